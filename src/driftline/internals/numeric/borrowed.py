"""Arrays without reference counting.

Compiled code updates the reference count of an array at every function call. This took half the
time of a round in a small kernel learner. A borrowed array must outlive its use; an argument of
the function that borrows it does.
"""

from __future__ import annotations

from typing import Any

from numba.core.imputils import impl_ret_untracked

from driftline.internals.compiled import native


def _plain_borrowed(array: Any) -> Any:
    """``borrowed`` in Python."""
    return array


@native(_plain_borrowed)
def borrowed(typing_context: Any, array: Any) -> Any:
    """The same array without reference counting."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lent = context.make_array(signature.args[0])(context, builder, args[0])
        lent.meminfo = lent.meminfo.type(None)
        return impl_ret_untracked(context, builder, signature.return_type, lent._getvalue())

    return array(array), generate
