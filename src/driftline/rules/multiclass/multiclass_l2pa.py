"""L2-constrained multiclass passive-aggressive: reach margin 1 within a ball of all weights.

    W' = argmin_V 1/2 |V - W|^2    s.t.  v_y.x - v_s.x >= 1,  |V| <= beta
       = (W + tau A) / Z,    tau = (Z - m) / |A|^2,
    Z = max(1, sqrt((|W|^2 |A|^2 - m^2) / (beta^2 |A|^2 - 1)))

W = (w_1, ..., w_k) are the weights of all classes, |W|^2 = sum |w_r|^2, y is the right class and s
the other class with the highest score. A is x in the place of y, -x in the place of s, and 0
elsewhere, so m = W.A and |A|^2 = 2 |x|^2: the update is that of ``L2PA`` on the example A. A step
is feasible if beta |x| >= 1 / sqrt 2.

If U_t with |U_t| <= D <= beta have u_y.x - u_r.x >= 1 for all r != y in round t, there are at most
2 max |x|^2 (D^2 + 2 beta sum |U_t - U_{t+1}|) mistakes, by the proof for two classes.

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), Lemma 3.2; feature removal: Theorem
3.4. The constraint of several classes: Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7
(2006), section 9.
Differs from the paper: the paper treats two classes and says that the results are easily
generalised. Only the constraint of the highest other class is met. Classes may appear at any time,
with weights of 0. See ``driftline.rules.linear.l2pa`` for the differences of two classes, and for
infeasible steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.rules.linear import l2pa
from driftline.rules.linear.constrained import Constrained

KIND = 3


@inlined
def infeasible(m: float, x_sq: float, params: Params) -> bool:
    """Whether the rule fires and no point of the ball has margin 1."""
    return l2pa.infeasible(m, 2.0 * x_sq, params)


@inlined
def step(m: float, x_sq: float, w_sq: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau); tau is already divided by Z."""
    return l2pa.step(m, 2.0 * x_sq, w_sq, 0.0, params)


@dataclass(frozen=True)
class MulticlassL2PA(Constrained):
    """``beta`` > 0: radius of the L2 ball of the weights of all classes."""

    engine: ClassVar[str] = "multiclass.regularised:engine_of"
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Shen, Dietterich 2009"
    tracks_norm: ClassVar[bool] = True
    several: ClassVar[bool] = True
    single: ClassVar[bool] = False
    no_bound: ClassVar[str] = "no theorem of the catalogue covers several classes"

    @property
    def ball(self) -> float:
        """beta."""
        return float(self.beta)
