"""AROW for regression: least squares with variances that a drifting target keeps from vanishing.

    h = P x,  v = x.h,   w <- w + (y - w.x) / (v + r / c) h,   P <- P - h h^T / (v + r / c)
    P <- P + drift x x^T / |x|^2

P starts as the identity, and c is the sample weight. Every example adds the variance ``drift`` in
its own direction. This is a Kalman filter for weights that make a random walk.
Vaits, Crammer. Re-adapting the regularization of weights for non-stationary regression. ALT 2011,
section 3 (AROWR, drift = 0). Moroshko, Crammer. A last-step regression algorithm for
non-stationary online learning. AISTATS 2013 (P + drift I).
Differs from the paper: the variance is added in the direction of x only, which takes O(d^2) time
and leaves features alone that are absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, inlined
from driftline.internals.numeric.triangular import widen
from driftline.internals.require import number, require
from driftline.rules.regression.second_order_regression import SecondOrderRegression
from driftline.rules.second_order.second_order_rule import moderate


@inlined
def drift_on(U: Floats, D: Floats, x: Floats, end: int, prior: float, drift: float, x_sq: float) -> None:
    """P <- P + drift x x^T / |x|^2, P = U D U^T; x is overwritten."""
    widen(U, D, x, end, prior, drift / x_sq)


@inlined
def drift_one(p: float, x: float, drift: float, x_sq: float) -> float:
    """Return p_i + drift x_i^2 / |x|^2. For the diagonal of P."""
    return p if x == 0.0 else p + drift * (x * x / x_sq)


@dataclass(frozen=True)
class AROWRegressor(SecondOrderRegression):
    """``r`` from 1e-60 to 1e100: a larger r takes smaller steps; ``drift`` from 0 to 1e6.

    See ``SecondOrder`` for ``diagonal`` and ``most``.
    """

    r: float = 1.0
    drift: float = 0.003
    diagonal: bool = False
    most: int = 4096
    bounds: ClassVar[tuple[str, ...]] = ("least-squares",)
    paper: ClassVar[str] = "Vaits, Crammer 2011"

    def check(self) -> None:
        """r from 1e-60 to 1e100, 0 <= drift <= 1e6."""
        moderate("AROWRegressor", "r", self.r)
        inside = 0.0 <= number("AROWRegressor", "drift", self.drift) <= 1e6
        require(inside, "AROWRegressor", "drift must be >= 0 and <= 1e6", self.drift)
        super().check()

    def params(self) -> tuple[float, ...]:
        """The initial diagonal of P, r, forgetting, drift."""
        return 1.0, float(self.r), 1.0, float(self.drift)
