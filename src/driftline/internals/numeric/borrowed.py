"""Arrays without a count of references: compiled code counts at every call of a function, and counting is not free.

A round of a small kernel learner took half its time in it. The array that is borrowed must outlive the loan: an
argument of the function that borrows it does.
"""

from __future__ import annotations

from typing import Any

from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic


@intrinsic
def borrowed(typing_context: Any, array: Any) -> Any:
    """The same array, which nobody counts."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lent = context.make_array(signature.args[0])(context, builder, args[0])
        lent.meminfo = lent.meminfo.type(None)
        return impl_ret_untracked(context, builder, signature.return_type, lent._getvalue())

    return array(array), generate
