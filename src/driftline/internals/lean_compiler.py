"""numba's compiler without work that the functions of this package do not need.

The generated code is the same. ``LeanCompiler`` leaves out passes for parts of the language that
are not used here, and replaces others (``lean_passes``).
``LeanFlags`` are compared by the options that were set: numba looks its overloads up by the options,
once for each operator in the source, and builds a list of all options to compare two of them.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler, Flags

from driftline.internals.lean_passes import REPLACED

UNUSED = {
    "WithLifting",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "DumpParforDiagnostics",
}
"""Passes for ``with`` blocks, inlining of source, literal types and parallel loops."""


class LeanCompiler(Compiler):  # type: ignore[misc]
    """numba's pipeline without the unused passes, and with lean ones."""

    def define_pipelines(self) -> list[Any]:
        """Return the pipelines."""
        pipelines: list[Any] = super().define_pipelines()
        for pipeline in pipelines:
            kept = [(one, about) for one, about in pipeline.passes if one.__name__ not in UNUSED]
            pipeline.passes = [(REPLACED.get(one.__name__, one), about) for one, about in kept]
        return pipelines


class LeanFlags(Flags):  # type: ignore[misc]
    """Options of a compilation, with a quick comparison."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LeanFlags) and bool(self._values == other._values)

    def __hash__(self) -> int:
        return len(self._values)
