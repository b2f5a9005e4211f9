"""Arrays without reference counting.

Compiled code updates the reference count of an array at every function call, and those of all arrays
of a named tuple. This took half the time of a round in a small kernel learner. A borrowed array must
outlive its use; an argument of the function that borrows it does.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.imputils import impl_ret_untracked

from driftline.internals.compiled import native


def _plain_borrowed(arrays: Any) -> Any:
    """``borrowed`` in Python."""
    return arrays


def lent(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value without the counters of its arrays."""
    if isinstance(kind, types.BaseTuple):
        parts = [lent(context, builder, one, builder.extract_value(value, k)) for k, one in enumerate(kind.types)]
        return context.make_tuple(builder, kind, parts)
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = array.meminfo.type(None)
    return array._getvalue()


@native(_plain_borrowed)
def borrowed(typing_context: Any, arrays: Any) -> Any:
    """The same array or tuple of arrays, without reference counting."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.return_type
        return impl_ret_untracked(context, builder, kind, lent(context, builder, kind, args[0]))

    return arrays(arrays), generate
