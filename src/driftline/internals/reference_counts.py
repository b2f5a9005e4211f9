"""Which functions need no reference counts.

numba counts a reference to an array for each variable that holds it. Most of these pairs of
operations are removed again by the optimiser, which costs as much as the generation of the code
around them. A function that only reads and writes arrays of its caller can leave out all of them,
because the caller keeps the arrays while it waits. Such a function makes no array, returns none, and
passes arrays only to functions of this package, to ``len`` and to ``reshape``, which makes a view.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.extending import _Intrinsic

BORROWING = {
    "getattr",
    "getitem",
    "static_getitem",
    "typed_getitem",
    "build_tuple",
    "exhaust_iter",
    "getiter",
    "iternext",
    "pair_first",
    "pair_second",
    "cast",
    "null",
}
"""Expressions whose result, if it is an array, is a part of an operand."""
VIEW = "array.reshape"
OWN = f"{__name__.partition('.')[0]}."
STATEMENTS = (ir.Assign, ir.Del, ir.Jump, ir.Branch, ir.Return, ir.SetItem, ir.StaticSetItem, ir.StaticRaise)


def counts_nothing(state: Any) -> bool:
    """Whether the function can be compiled without reference counts."""
    counted = _Counted(state)
    return not counted.type(state.return_type) and all(
        counted.borrows(one) for block in state.func_ir.blocks.values() for one in block.body
    )


class _Counted:
    """Tells which variables of a function hold references."""

    def __init__(self, state: Any) -> None:
        self._types, self._models = state.typemap, state.targetctx.data_model_manager

    def type(self, kind: Any) -> bool:
        """Whether a value of this type holds a reference."""
        return bool(self._models[kind].contains_nrt_meminfo())

    def _variable(self, one: Any) -> bool:
        return self.type(self._types[one.name])

    def borrows(self, one: Any) -> bool:
        """Whether the statement only uses what the caller keeps."""
        if not isinstance(one, STATEMENTS):
            return False
        if isinstance(one, ir.SetItem):
            return not self._variable(one.value) and not self._variable(one.index)
        if isinstance(one, ir.StaticSetItem):
            return not self._variable(one.value)
        if isinstance(one, ir.Assign) and isinstance(one.value, ir.Expr):
            return self._expression(one.value, self._variable(one.target))
        return True

    def _expression(self, value: Any, held: bool) -> bool:
        """Whether the expression, whose result may hold a reference, makes nothing that must be counted."""
        if value.op == "call":
            function = self._types[value.func.name]
            if _lends(function):
                return True
            passed = [self._types[one.name] for one in (*value.args, *(one for _, one in value.kws))]
            if isinstance(function, types.BoundFunction):
                passed.append(function.this)
            kept = not isinstance(function, types.Dispatcher) and any(map(self.type, passed))
            return not held and not kept and value.vararg is None
        if value.op == "getitem" and self._variable(value.index):
            return False
        if value.op in BORROWING:
            return True
        return not held and not any(map(self._variable, value.list_vars()))


def _lends(function: Any) -> bool:
    """Whether the result is a part of the arguments, and the function keeps none of them.

    This holds for code for LLVM of this package (``native``), which never counts references.
    """
    key = getattr(function, "typing_key", None)
    if isinstance(key, _Intrinsic):
        return str(key._defn.__module__).startswith(OWN)
    return key == VIEW or key is len
