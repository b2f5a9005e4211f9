"""L1-constrained multiclass passive-aggressive: reach margin 1 within an L1 ball of all weights.

    W' = argmin_V 1/2 |V - W|^2    s.t.  v_y.x - v_s.x >= 1,  |V|_1 <= beta
       = soft(W + tau A, theta),    soft(z, theta)_i = sign(z_i) max(|z_i| - theta, 0)

W = (w_1, ..., w_k) are the weights of all classes, |W|_1 = sum |w_r|_1, y is the right class and s
the other class with the highest score. A is x in the place of y, -x in the place of s, and 0
elsewhere, so W.A = w_y.x - w_s.x: the update is that of ``L1PA`` on the example A. ``l1pa.solve``
finds tau and theta exactly, in O(nnz(W) + nnz(x)). A step is feasible if beta |x|_inf >= 1.

If U_t with |U_t|_1 <= D <= beta have u_y.x - u_r.x >= 1 for all r != y in round t, there are at
most 2 max |x|^2 (D^2 + 2 beta sum |U_t - U_{t+1}|_inf) mistakes, by the proof for two classes.

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), section 2; feature removal: Theorem
3.4. The constraint of several classes: Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7
(2006), section 9.
Differs from the paper: the paper treats two classes and says that the results are easily
generalised. Only the constraint of the highest other class is met. Classes may appear at any time,
with weights of 0. See ``driftline.rules.linear.l1pa`` for the exact algorithm, the differences of
two classes, and infeasible steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, Params, jit
from driftline.rules.linear import l1pa
from driftline.rules.linear.constrained import Constrained

KIND = 4


@jit
def step(w: Floats, a: Floats, eta: float, params: Params, weight: float) -> None:
    """W <- W + weight (W' - W) in place, where W or A is not zero. ``eta`` is the goal, usually 1."""
    l1pa.step(w, a, params[1], eta, weight)


@dataclass(frozen=True)
class MulticlassL1PA(Constrained):
    """``beta`` > 0: radius of the L1 ball of the weights of all classes."""

    engine: ClassVar[str] = "multiclass.regularised:engine_of"
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Shen, Dietterich 2009"
    several: ClassVar[bool] = True
    single: ClassVar[bool] = False
    no_bound: ClassVar[str] = "no theorem of the catalogue covers several classes"
