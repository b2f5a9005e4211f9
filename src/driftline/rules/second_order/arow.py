"""AROW: ridge regression on the labels of the examples with a margin below 1.

    (w', P') = argmin KL(N(w', P') || N(w, P)) + max(0, 1 - y w'.x)^2 / (2 r) + x.P' x / (2 r)
    w' = w + (1 - m) / (v + r) y h,    P' = P - h h^T / (v + r)    where m = y w.x < 1,  h = P x,  v = x.h

AROW stands for adaptive regularisation of weights. P starts as the identity. ``gain`` returns
tau = (1 - m) / (v + r) and noise = r;
``second_order_rule`` applies them to w and P.
Crammer, Kulesza, Dredze. Adaptive regularization of weight vectors. Machine Learning 91 (2013),
section 3 (NIPS 2009).
Differs from the paper: a sample weight multiplies both terms of the loss, that is, it divides r.
With ``diagonal=True`` the diagonal of P' is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.rules.second_order.second_order_rule import SecondOrder, moderate

PLACE = 2


@inlined
def gain(m: float, v: float, weight: float, params: Params) -> tuple[float, float]:
    """Return (tau, noise)."""
    if m >= 1.0:
        return 0.0, 1.0
    noise = params[1] / weight
    return (1.0 - m) / (v + noise), noise


@dataclass(frozen=True)
class AROW(SecondOrder):
    """``r`` from 1e-60 to 1e100: a larger r takes smaller steps. Tolerates more noise than SCW.

    See ``SecondOrder`` for ``diagonal`` and ``most``.
    """

    r: float = 1.0
    diagonal: bool = False
    most: int = 4096
    place: ClassVar[int] = PLACE
    bounds: ClassVar[tuple[str, ...]] = ("arow", "arow-tightest")
    paper: ClassVar[str] = "Crammer et al. 2009"

    def check(self) -> None:
        """r from 1e-60 to 1e100."""
        moderate("AROW", "r", self.r)
        super().check()

    def params(self) -> tuple[float, ...]:
        """The initial diagonal of P, r."""
        return 1.0, float(self.r)

    @property
    def margin(self) -> float:
        """1."""
        return 1.0

    @property
    def passive(self) -> float:
        """1."""
        return 1.0
