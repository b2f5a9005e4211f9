"""Objective-regularised passive-aggressive: reach margin 1 and shrink the weights.

    w' = argmin_v 1/2 |v - w|^2 + alpha/2 |v|^2    s.t.  y v.x >= 1
       = (w + tau y x) / (1 + alpha),    tau = max(0, 1 + alpha - m) / |x|^2 where m = y w.x fires

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), Lemma 3.1; feature removal: Theorem
3.3.
Differs from the paper: the paper writes tau with the hinge loss, which is wrong for m > 1.
``when="margin"`` updates on m < 1; the paper and the default update on a mistake. The removal rule
of the paper is read as the longest removable prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import WHEN, at_least, one_of
from driftline.rules.linear.margin_one import MarginOne
from driftline.rules.rule import When, limit

CODE = 9


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau); tau is already divided by 1 + alpha."""
    shrink = 1.0 / (1.0 + params[1])
    if m >= params[0] or x_sq == 0.0:
        return 1.0, 0.0
    return shrink, (1.0 - shrink * m) / x_sq


@dataclass(frozen=True)
class ShrunkPA(MarginOne):
    """Passive-aggressive, with weights that shrink in every update.

    It forgets by a constant factor per update, and nothing between updates. Use it if changes of
    the target show up as mistakes.

    Parameters
    ----------
    alpha : float, default=0.01
        Shrinkage, >= 0: each update divides the weights by 1 + ``alpha``.
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).
    sigma : float, default=0.0
        Feature removal, >= 0: after each update the smallest weights are set to 0 as long as the
        sum of their squares is below ``sigma``. 0 removes none.
    """

    alpha: float = 0.01
    when: When = "mistake"
    sigma: float = 0.0
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("shrunkpa", "shrunkpa-path")
    paper: ClassVar[str] = "Shen, Dietterich 2009"
    needs_scaling: ClassVar[bool] = True

    def check(self) -> None:
        """alpha >= 0, sigma >= 0, ``when`` is "margin" or "mistake"."""
        at_least("ShrunkPA", "alpha", self.alpha, 0.0)
        one_of("ShrunkPA", "when", self.when, WHEN)
        at_least("ShrunkPA", "sigma", self.sigma, 0.0)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update, alpha."""
        return limit(self.when), float(self.alpha)

    @property
    def removal(self) -> float:
        """sigma."""
        return float(self.sigma)
