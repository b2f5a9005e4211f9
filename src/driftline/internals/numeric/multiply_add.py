"""a * b + c with one rounding.

The compiler may fuse a product and a sum by itself (``fused``), but need not do so in every copy
of a function. Where the bits must not depend on the copy, the operation is explicit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from driftline.internals.compiled import native


def _plainly(a: float, b: float, c: float) -> float:
    """a * b + c, rounded twice; used only if nothing is compiled."""
    return a * b + c


@native(_plainly)
def multiplied_and_added(typing: Any, a: Any, b: Any, c: Any) -> tuple[Any, Callable[..., Any]]:
    """a * b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate
