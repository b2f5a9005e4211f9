"""L2-constrained passive-aggressive: reach margin 1 without leaving the ball of radius beta.

    w' = argmin_v 1/2 |v - w|^2    s.t.  y v.x >= 1,  |v| <= beta
       = (w + tau y x) / Z,    Z = max(1, sqrt((|w|^2 |x|^2 - m^2) / (beta^2 |x|^2 - 1))),    tau = (Z - m) / |x|^2

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), Lemma 3.2; feature removal: Theorem
3.4.
Differs from the paper: ``when="margin"`` updates on m < 1; the paper and the default update on a
mistake. The paper does not treat infeasible steps: if beta |x| < 1, no v exists. Such a step is
counted as infeasible and skipped, relaxed (target ``kappa beta |x|`` instead of 1), set to the
best point of the ball (``beta y x / |x|``, which forgets everything), or refused. With
beta >= 1 / min |x| every step is feasible.
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
    """Whether the rule fires and no point of the ball has margin 1."""
    beta = params[1]
    return m < params[0] and x_sq > 0.0 and beta * beta * x_sq < 1.0 - ROUNDING


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau), tau already divided by Z. ``eta`` is the target margin, usually 1."""
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
    """Passive-aggressive inside the ball of L2 norm ``beta``, solved exactly.

    Every update that would leave the ball shrinks the older weights. Use it for targets that
    move.

    Parameters
    ----------
    beta : float, default=10.0
        Radius of the ball, > 0. Infinity gives ``PA``. Every step is feasible if ``beta`` is at
        least 1 / |x| for every example.
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).
    infeasible : {"skip", "relax", "best", "raise"}, default="skip"
        What to do if no point of the ball gives the example margin 1. "skip" leaves the weights
        unchanged, "relax" aims at a smaller margin (see ``kappa``), "best" goes to the point of
        the ball with the largest margin, and "raise" refuses the example with a ValueError.
    kappa : float, default=0.5
        The fraction of the largest possible margin that "relax" aims at, > 0 and < 1.
    sigma : float, default=0.0
        Feature removal, >= 0: after each update the smallest weights are set to 0 as long as the
        sum of their squares is below ``sigma``. 0 removes none.
    """

    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Shen, Dietterich 2009"
    tracks_norm: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("l2pa", "l2pa-path", "steps")

    @property
    def ball(self) -> float:
        """beta."""
        return float(self.beta)
