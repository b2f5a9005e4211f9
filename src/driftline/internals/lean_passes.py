"""Passes of the compiler that do the work of numba's passes without analysing all variables again.

numba computes the lifetimes of all variables in almost every pass. Only the lowering to LLVM needs
them, and the last pass before it computes them once more. The passes here leave the blocks as
numba's passes leave them. They know no generators; no function of this package is one.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NativeLowering, NopythonRewrites, PreLowerStripPhis
from numba.core.types import Array, StringLiteral  # type: ignore[attr-defined]
from numba.core.untyped_passes import InlineClosureLikes, ReconstructSSA

from driftline.internals.reference_counts import counts_nothing


def _tidy(state: Any) -> bool:
    """Bring the blocks into the form in which numba's passes leave them."""
    state.func_ir.blocks = canonicalize_cfg(state.func_ir.blocks)
    return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanProcessing(FunctionPass):  # type: ignore[misc]
    """Replaces ``IRProcessing``."""

    _name = "driftline_processing"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Bring the blocks into their form."""
        return _tidy(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanClosures(InlineClosureLikes):  # type: ignore[misc]
    """Replaces ``InlineClosureLikes``, which changes only functions that contain other functions."""

    _name = "driftline_closures"

    def run_pass(self, state: Any) -> bool:
        """Inline the functions that are defined in this one."""
        if any(isinstance(one, CodeType) for one in state.func_id.code.co_consts):
            return bool(super().run_pass(state))
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanGenericRewrites(FunctionPass):  # type: ignore[misc]
    """Replaces ``GenericRewrites``."""

    _name = "driftline_generic_rewrites"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Apply each rewrite to each block until it finds nothing more."""
        blocks = state.func_ir.blocks
        for kind in rewrite_registry.rewrites["before-inference"]:
            rewrite, work = kind(state), list(blocks)
            while work:
                key = work.pop()
                if rewrite.match(state.func_ir, blocks[key], state.typemap, state.calltypes):
                    blocks[key] = rewrite.apply()
                    work.append(key)
        return _tidy(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanSSA(ReconstructSSA):  # type: ignore[misc]
    """Replaces ``ReconstructSSA``."""

    _name = "driftline_ssa"

    def run_pass(self, state: Any) -> bool:
        """Give each variable one assignment."""
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return _tidy(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanStripPhis(PreLowerStripPhis):  # type: ignore[misc]
    """Replaces ``PreLowerStripPhis``."""

    _name = "driftline_strip_phis"

    def run_pass(self, state: Any) -> bool:
        """Replace phi nodes by assignments."""
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return _tidy(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanRewrites(NopythonRewrites):  # type: ignore[misc]
    """Replaces ``NopythonRewrites``, which looks for array expressions and for text as an index."""

    _name = "driftline_rewrites"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function if it has an expression that can be rewritten."""
        if any(isinstance(kind, StringLiteral) for kind in state.typemap.values()) or _makes_arrays(state):
            return bool(super().run_pass(state))
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class LeanLowering(NativeLowering):  # type: ignore[misc]
    """Replaces ``NativeLowering``: a function that only borrows arrays counts no references."""

    _name = "driftline_lowering"

    def run_pass(self, state: Any) -> bool:
        """Generate LLVM code."""
        if counts_nothing(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return bool(super().run_pass(state))


def _makes_arrays(state: Any) -> bool:
    """Whether an operator or a call returns an array."""
    return any(
        isinstance(one, ir.Assign)
        and isinstance(one.value, ir.Expr)
        and one.value.op in {"unary", "binop", "call"}
        and isinstance(state.typemap.get(one.target.name), Array)
        for block in state.func_ir.blocks.values()
        for one in block.body
    )


REPLACED: dict[str, type[FunctionPass]] = {
    "IRProcessing": LeanProcessing,
    "InlineClosureLikes": LeanClosures,
    "GenericRewrites": LeanGenericRewrites,
    "ReconstructSSA": LeanSSA,
    "PreLowerStripPhis": LeanStripPhis,
    "NopythonRewrites": LeanRewrites,
    "NativeLowering": LeanLowering,
}
"""The name of each of numba's passes that is replaced, and its replacement."""
