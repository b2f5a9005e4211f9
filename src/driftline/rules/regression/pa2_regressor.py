"""Passive-aggressive regression, PA-II: the smallest change into the tube, with a squared slack.

    w' = argmin_v 1/2 |v - w|^2 + C xi^2    s.t.  |y - v.x| <= epsilon + xi
       = w + tau sgn(y - w.x) x,    tau = l / (|x|^2 + 1 / (2 C)),   l = |y - w.x| - epsilon > 0

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
(2006), section 5.
Differs from the paper: nothing. With epsilon = 0 it is an implicit gradient step on the square
loss, as in normalised least mean squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least, positive
from driftline.rules.regression.residual_rule import Residual

CODE = 15


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m >= 0.0 or x_sq == 0.0:
        return 1.0, 0.0
    return 1.0, -m / (x_sq + 0.5 / params[0])


@dataclass(frozen=True)
class PA2Regressor(Residual):
    """``C`` > 0: the larger, the more of an error is corrected; ``epsilon`` >= 0."""

    C: float = 0.01
    epsilon: float = 0.01
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("pa2-regression",)
    paper: ClassVar[str] = "Crammer et al. 2006"

    def check(self) -> None:
        """C > 0, epsilon >= 0."""
        positive("PA2Regressor", "C", self.C, finite=False)
        at_least("PA2Regressor", "epsilon", self.epsilon, 0.0)

    def params(self) -> tuple[float, ...]:
        """C."""
        return (float(self.C),)

    @property
    def tube(self) -> float:
        """epsilon."""
        return float(self.epsilon)
