"""Second-order Perceptron: a Perceptron on features whitened by its past mistakes.

    A = a I + sum x x^T,   w = sum y x    over the rounds with m = y r <= 0,      r = (A^-1 w).x

The state is P = A^-1 and omega = P w; ``weights()`` returns omega. With h = P x and v = x.h
    omega' = omega + (1 - m) / (1 + v) y h,      P' = P - h h^T / (v + 1)
``gain`` returns tau = (1 - m) / (1 + v) and noise = 1; ``second_order_rule.full_update`` applies
them. With ``diagonal=True`` the diagonal of A is kept, p_i = 1 / A_ii and omega_i = p_i w_i:
    p_i' = p_i / (1 + p_i x_i^2),    omega_i' = omega_i + p_i' x_i (y - x_i omega_i)
``diagonal_update`` returns these two.

Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM Journal on Computing 34
(2005). For every unit vector u and gamma > 0, with sums over the M updates, lambda_i the
eigenvalues of sum x x^T:
    M <= sum max(0, 1 - y u.x / gamma) + sqrt((a + sum (u.x)^2) sum ln(1 + lambda_i / a)) / gamma
The last sum is the learner's ``logdet``. As a grows, the rule approaches the Perceptron.
Differs from the paper: the paper adds x x^T to A before it predicts, which divides r by 1 + v.
The sign is the same, and so are the mistakes. A score of exactly 0 is a mistake for either label.
A sample weight multiplies the y x that is added to w; A ignores sample weights. The bound is not
proved for the diagonal of A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.rules.rule import above
from driftline.rules.second_order.second_order_rule import SecondOrder, moderate, variance_of

PLACE = 1


@inlined
def gain(m: float, v: float, weight: float, params: Params) -> tuple[float, float]:
    """Return (tau, noise)."""
    if m > 0.0:
        return 0.0, 1.0
    return (weight - m) / (1.0 + v), 1.0


@inlined
def diagonal_update(omega: float, p: float, x: float, prior: float, target: float) -> tuple[float, float]:
    """Return (omega_i', p_i') of one feature; ``target`` is y times the sample weight."""
    if x == 0.0:
        return omega, p
    p = variance_of(p, prior)
    p = p / (1.0 + p * x * x)
    return omega + p * x * (target - x * omega), p


@dataclass(frozen=True)
class SecondOrderPerceptron(SecondOrder):
    """``a`` from 1e-60 to 1e100: a small ``a`` adapts fast. For correlated features.

    a = 1 suits rows of length 1. See ``SecondOrder`` for ``diagonal`` and ``most``.
    """

    a: float = 1.0
    diagonal: bool = False
    most: int = 4096
    place: ClassVar[int] = PLACE
    paper: ClassVar[str] = "Cesa-Bianchi, Conconi, Gentile 2005"
    spreads: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("second-order", "second-order-separable")

    def check(self) -> None:
        """a from 1e-60 to 1e100."""
        moderate("SecondOrderPerceptron", "a", self.a)
        super().check()

    def params(self) -> tuple[float, ...]:
        """The initial diagonal of P."""
        return (1.0 / float(self.a),)

    @property
    def passive(self) -> float:
        """The smallest normal float above 0."""
        return above(0.0)
