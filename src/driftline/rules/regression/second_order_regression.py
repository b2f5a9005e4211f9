"""What the second-order regressors share: least squares with a matrix P of variances.

    P <- P / forgetting                                    P is no larger than at the start
    h = P x,  v = x.h,  noise = r / c
    w <- w + (y - w.x) / (v + noise) h,    P <- P - h h^T / (v + noise)
    P <- P + drift x x^T / |x|^2

c is the sample weight. P = U D U^T is kept in factors (``internals.numeric.triangular``): the first
line divides D, entry by entry, and stops at the initial value. With ``diagonal=True`` the diagonal
of P is kept, and the first and the last line change only the features of the example.
"""

from __future__ import annotations

from typing import ClassVar

from driftline.internals.compiled import Floats, inlined
from driftline.internals.numeric.triangular import widen
from driftline.rules.second_order.second_order_rule import SecondOrder, diagonal_update


@inlined
def forget(D: Floats, top: int, prior: float, forgetting: float) -> None:
    """P <- P / forgetting, where D has entries below the prior."""
    for k in range(top):
        if D[k] != 0.0:
            D[k] = min(prior, D[k] / forgetting)


@inlined
def drifted(U: Floats, D: Floats, x: Floats, end: int, prior: float, drift: float, x_sq: float) -> None:
    """P <- P + drift x x^T / |x|^2; x is overwritten."""
    widen(U, D, x, end, prior, drift / x_sq)


@inlined
def forgotten(p: float, x: float, prior: float, forgetting: float) -> float:
    """p_i / forgetting of a feature of the example, at most the prior."""
    return p if x == 0.0 or p == 0.0 else min(prior, p / forgetting)


@inlined
def diagonal_step(
    w: float, p: float, x: float, prior: float, v: float, pull: float, noise: float, drift: float, x_sq: float
) -> tuple[float, float]:
    """Return (w_i', p_i') of one feature; ``pull`` is (y - w.x) / (v + noise)."""
    if x == 0.0:
        return w, p
    w, p = diagonal_update(w, p, x, prior, v, pull, noise)
    return w, p + drift * (x * x / x_sq)


class SecondOrderRegression(SecondOrder):
    """A second-order rule that learns real targets; its ``params`` are prior, r, forgetting, drift."""

    regresses: ClassVar[bool] = True
    engine: ClassVar[str] = "regression.least_squares:engine_of"
    place: ClassVar[int] = -1
