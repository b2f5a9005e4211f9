"""Passive-aggressive regression, PA-I: the smallest change into the tube, the step capped at C.

    w' = argmin_v 1/2 |v - w|^2 + C xi    s.t.  |y - v.x| <= epsilon + xi,  xi >= 0
       = w + tau sgn(y - w.x) x,    tau = min(C, l / |x|^2),   l = |y - w.x| - epsilon > 0

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
(2006), section 5.
Differs from the paper: nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least, positive
from driftline.rules.regression.residual_rule import Residual

CODE = 13


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m >= 0.0 or x_sq == 0.0:
        return 1.0, 0.0
    return 1.0, min(params[0], -m / x_sq)


@dataclass(frozen=True)
class PA1Regressor(Residual):
    """``C`` > 0, the largest step; ``epsilon`` >= 0, an error that is not corrected."""

    C: float = 1.0
    epsilon: float = 0.01
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("pa1-regression",)
    paper: ClassVar[str] = "Crammer et al. 2006"

    def check(self) -> None:
        """C > 0, epsilon >= 0."""
        positive("PA1Regressor", "C", self.C, finite=False)
        at_least("PA1Regressor", "epsilon", self.epsilon, 0.0)

    def params(self) -> tuple[float, ...]:
        """C."""
        return (float(self.C),)

    @property
    def tube(self) -> float:
        """epsilon."""
        return float(self.epsilon)
