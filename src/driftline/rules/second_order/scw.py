"""SCW-I: the smallest change of N(w, P) that classifies x correctly with probability eta, capped.

    (w', P') = argmin KL(N(w', P') || N(w, P)) + C max(0, phi sqrt(x.P' x) - y w'.x),    phi = Phi^-1(eta)
    w' = w + tau y h,    P' = P - h h^T / (v + noise)    where m = y w.x < phi sqrt(v),  h = P x,  v = x.h
    tau = min(C, (-m (1 + phi^2 / 2) + root) / (v (1 + phi^2))),   root = sqrt(m^2 phi^4 / 4 + v phi^2 (1 + phi^2))
    noise = s / (tau phi),   s = (-tau v phi + sqrt(tau^2 v^2 phi^2 + 4 v)) / 2

SCW stands for soft confidence-weighted. P starts as the identity. If tau < C,
y w'.x = phi sqrt(x.P' x) after the update. ``gain`` returns tau and noise; ``second_order_rule``
applies them to w and P.
Wang, Zhao, Hoi. Exact soft confidence-weighted learning. ICML 2012, proposition 1.
Differs from the paper: both roots are written without cancellation, and noise is at least
1e-30 v. A sample weight multiplies C. With ``diagonal=True`` only the diagonal of P' is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import number, positive, require
from driftline.rules.second_order.second_order_rule import SecondOrder

PLACE = 3
# lower limit of noise / v: bounds the confidence that one example can add
LEAST_NOISE = 1e-30


@inlined
def gain(m: float, v: float, weight: float, params: Params) -> tuple[float, float]:
    """Return (tau, noise)."""
    C, phi = params[1] * weight, params[2]
    edge = phi * sqrt(v)
    if m >= edge or v == 0.0:
        return 0.0, 1.0
    phi_sq = phi * phi
    root = sqrt(0.25 * phi_sq * phi_sq * m * m + (1.0 + phi_sq) * phi_sq * v)
    if m > 0.0:
        tau = (edge - m) / v * ((edge + m) / (m * (1.0 + 0.5 * phi_sq) + root))
    else:
        tau = (root - m * (1.0 + 0.5 * phi_sq)) / (v * (1.0 + phi_sq))
    tau = min(C, tau)
    spread = tau * v * phi
    deviation = 2.0 * v / (spread + sqrt(spread * spread + 4.0 * v))
    return tau, max(LEAST_NOISE * v, deviation / (tau * phi))


@dataclass(frozen=True)
class SCW(SecondOrder):
    """Largest step ``C`` > 0 and confidence 0.5 < ``eta`` < 1. Learns fast from clean labels.

    See ``SecondOrder`` for ``diagonal`` and ``most``.
    """

    C: float = 1.0
    eta: float = 0.9
    diagonal: bool = False
    most: int = 4096
    place: ClassVar[int] = PLACE
    no_bound: ClassVar[str] = (
        "no theorem of the catalogue covers SCW; the proof for AROW does not carry over, because it needs updates "
        "that add a positive multiple of y x to P^-1 w, and a step that is capped at C may subtract one"
    )
    paper: ClassVar[str] = "Wang, Zhao, Hoi 2012"

    def check(self) -> None:
        """C > 0, eta between 0.5 and 1."""
        positive("SCW", "C", self.C, finite=False)
        eta = number("SCW", "eta", self.eta)
        require(0.5 < eta < 1.0, "SCW", "eta must be in (0.5, 1)", self.eta)
        super().check()

    def params(self) -> tuple[float, ...]:
        """The initial diagonal of P, C, phi."""
        return 1.0, float(self.C), NormalDist().inv_cdf(float(self.eta))
