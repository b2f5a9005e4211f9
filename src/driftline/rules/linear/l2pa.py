"""L2-constrained passive-aggressive: repair the margin without leaving the ball of radius beta.

    w' = argmin_v 1/2 |v - w|^2    s.t.  y v.x >= 1,  |v| <= beta
       = (w + tau y x) / Z,    Z = max(1, sqrt((|w|^2 |x|^2 - m^2) / (beta^2 |x|^2 - 1))),    tau = (Z - m) / |x|^2

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments. Statistical
Analysis and Data Mining 2 (2009), Lemma 3.2; feature removal: Theorem 3.4.
Differs from the paper: ``when="margin"`` fires on m < 1 (the paper and the default: on a mistake). It ignores that no v
may exist (beta |x| < 1): such a step is counted and skipped, relaxed (target ``kappa beta |x|`` instead of 1), set to
the best point of the ball (``beta y x / |x|``: forgets everything), or refused. beta >= 1 / min |x| avoids it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.rules.linear.constrained import Constrained

CODE = 10
ROUNDING = 1e-15


@inlined
def infeasible(m: float, x_sq: float, params: Params) -> bool:
    """Whether it fires and no point of the ball has margin 1."""
    beta = params[1]
    return m < params[0] and x_sq > 0.0 and beta * beta * x_sq < 1.0 - ROUNDING


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau), tau already divided by Z. ``eta`` is the margin to reach, normally 1."""
    beta, kappa = params[1], params[2]
    if x_sq == 0.0:
        return 1.0, 0.0
    if m >= params[0]:
        return beta / sqrt(w_sq) if w_sq > beta * beta else 1.0, 0.0
    eta = 1.0
    if infeasible(m, x_sq, params):
        if kappa == 0.0:
            return 1.0, 0.0
        eta = kappa * beta * sqrt(x_sq)
    across = max(0.0, w_sq * x_sq - m * m)
    room = beta * beta * x_sq - eta * eta
    if m >= eta:
        return 1.0, 0.0
    if across <= room:
        return 1.0, (eta - m) / x_sq
    if room <= 8.0 * ROUNDING * eta * eta:
        return 0.0, eta / x_sq
    Z = sqrt(across / room)
    return 1.0 / Z, (eta - m / Z) / x_sq


@dataclass(frozen=True)
class L2PA(Constrained):
    """Ball of radius ``beta`` > 0 (infinity is PA); after each update the smallest weights of energy < ``sigma`` go.

    Keeps what still fits and lets go of the rest: for targets that move. Policy for impossible steps: ``infeasible``.
    """

    code: ClassVar[int] = CODE
    tracks_norm: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("l2pa", "l2pa-path")

    @property
    def ball(self) -> float:
        """beta."""
        return float(self.beta)
