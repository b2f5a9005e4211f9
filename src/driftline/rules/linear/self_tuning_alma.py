"""Gentile's ALMA: step and margin shrink with each update, and it approaches the largest margin.

    xh = x / |x|_p,   k = 1 + updates so far,   gamma_k = B sqrt(p-1) / sqrt(k),   eta_k = C / (sqrt(p-1) sqrt(k))
    theta' = (theta + eta_k y xh) / max(1, |theta + eta_k y xh|_p)   where y w.xh <= (1 - alpha) gamma_k

The paper sets B = sqrt(8) / alpha and C = sqrt(2). On separable data with best margin g and
|x|_p = 1, it proves updates <= 2 (p-1) / g^2 (2 / alpha - 1)^2 + 8 / alpha - 4.
Gentile. A new approximate maximal margin classification algorithm. JMLR 2 (2001).
Differs from the paper: nothing. The margin changes with each update, so margin errors are counted
at 0, like mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least, number, positive, require
from driftline.rules.rule import Rule

CODE = 5


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau); ``two_numbers.into_ball`` projects on the unit ball."""
    slack, B, C, root = params[0], params[1], params[2], params[3]
    if x_sq == 0.0:
        return 1.0, 0.0
    length = sqrt(x_sq)
    if m > slack * B * root / sqrt(1.0 + k) * length:
        return 1.0, 0.0
    return 1.0, C / (root * sqrt(1.0 + k)) / length


@dataclass(frozen=True)
class SelfTuningALMA(Rule):
    """ALMA with a rate and a margin that fall with each update; it approaches the largest margin.

    Use it for a separable target that does not change: its steps become ever smaller.

    Parameters
    ----------
    alpha : float, default=0.9
        Accuracy, > 0 and <= 1: it ends with at least 1 - ``alpha`` times the largest margin.
    B : float or None, default=None
        Scale of the margin, > 0. None is sqrt(8) / ``alpha``, the choice of the paper.
    C : float or None, default=None
        Scale of the step, > 0. None is sqrt(2), the choice of the paper.
    p : float, default=2.0
        Norm of the geometry, >= 2. 2 is Euclidean; a larger ``p`` favours targets that depend on
        few of many features.
    """

    alpha: float = 0.9
    B: float | None = None
    C: float | None = None
    p: float = 2.0
    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Gentile 2001"
    tracks_norm: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("selftuningalma",)

    def check(self) -> None:
        """0 < alpha <= 1, B > 0, C > 0, p >= 2."""
        alpha = number("SelfTuningALMA", "alpha", self.alpha)
        require(0 < alpha <= 1, "SelfTuningALMA", "alpha must be in (0, 1]", self.alpha)
        if self.B is not None:
            positive("SelfTuningALMA", "B", self.B)
        if self.C is not None:
            positive("SelfTuningALMA", "C", self.C)
        at_least("SelfTuningALMA", "p", self.p, 2.0)

    def params(self) -> tuple[float, ...]:
        """1 - alpha, B, C, sqrt(p - 1)."""
        B = sqrt(8.0) / self.alpha if self.B is None else float(self.B)
        C = sqrt(2.0) if self.C is None else float(self.C)
        return 1.0 - self.alpha, B, C, sqrt(self.p - 1.0)

    @property
    def norm(self) -> float:
        """p."""
        return float(self.p)

    @property
    def ball(self) -> float:
        """1."""
        return 1.0
