"""Passive-aggressive regression: the smallest change that brings the target into the tube.

    w' = argmin_v 1/2 |v - w|^2    s.t.  |y - v.x| <= epsilon
       = w + tau sgn(y - w.x) x,    tau = l / |x|^2,   l = |y - w.x| - epsilon > 0

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
(2006), section 5.
Differs from the paper: nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least
from driftline.rules.regression.residual_rule import Residual

CODE = 14


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m >= 0.0 or x_sq == 0.0:
        return 1.0, 0.0
    return 1.0, -m / x_sq


@dataclass(frozen=True)
class PARegressor(Residual):
    """``epsilon`` >= 0: errors up to it are not corrected. It follows fast changes."""

    epsilon: float = 0.01
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("pa-regression",)
    paper: ClassVar[str] = "Crammer et al. 2006"

    def check(self) -> None:
        """epsilon >= 0."""
        at_least("PARegressor", "epsilon", self.epsilon, 0.0)

    @property
    def tube(self) -> float:
        """epsilon."""
        return float(self.epsilon)
