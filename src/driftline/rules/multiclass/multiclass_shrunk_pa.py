"""Objective-regularised multiclass passive-aggressive: reach margin 1 and shrink all weights.

    W' = argmin_V 1/2 |V - W|^2 + alpha/2 |V|^2    s.t.  v_y.x - v_s.x >= 1
       = (W + tau A) / (1 + alpha),    tau = (1 + alpha - m) / |A|^2 where m = w_y.x - w_s.x fires

W = (w_1, ..., w_k) are the weights of all classes, |W|^2 = sum |w_r|^2, y is the right class and s
the other class with the highest score. A is x in the place of y, -x in the place of s, and 0
elsewhere, so m = W.A and |A|^2 = 2 |x|^2: the update is that of ``ShrunkPA`` on the example A.

If U has u_y.x - u_r.x >= 1 for all r != y in all rounds, then Theorem 3.1 of the paper holds for
the examples A, with 2 |x|^2 in place of |x|^2.

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), Lemma 3.1; feature removal: Theorem
3.3. The constraint of several classes: Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7
(2006), section 9.
Differs from the paper: the paper treats two classes and says that the results are easily
generalised. Only the constraint of the highest other class is met. Classes may appear at any time,
with weights of 0. See ``driftline.rules.linear.shrunk_pa`` for the differences of two classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import WHEN, at_least, one_of
from driftline.rules.linear.margin_one import MarginOne
from driftline.rules.rule import When, limit

KIND = 2


@inlined
def step(m: float, x_sq: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau) for a margin that fires; tau is already divided by 1 + alpha."""
    shrink = 1.0 / (1.0 + params[1])
    return shrink, (1.0 - shrink * m) / (2.0 * x_sq)


@dataclass(frozen=True)
class MulticlassShrunkPA(MarginOne):
    """``alpha`` >= 0: each update divides the weights of all classes by 1 + ``alpha``."""

    alpha: float = 0.01
    when: When = "mistake"
    sigma: float = 0.0
    engine: ClassVar[str] = "multiclass.regularised:engine_of"
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Shen, Dietterich 2009"
    needs_scaling: ClassVar[bool] = True
    several: ClassVar[bool] = True
    single: ClassVar[bool] = False
    no_bound: ClassVar[str] = "no theorem of the catalogue covers several classes"

    def check(self) -> None:
        """alpha >= 0, sigma >= 0, ``when`` is "margin" or "mistake"."""
        at_least("MulticlassShrunkPA", "alpha", self.alpha, 0.0)
        one_of("MulticlassShrunkPA", "when", self.when, WHEN)
        at_least("MulticlassShrunkPA", "sigma", self.sigma, 0.0)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update, alpha."""
        return limit(self.when), float(self.alpha)

    @property
    def removal(self) -> float:
        """sigma."""
        return float(self.sigma)
