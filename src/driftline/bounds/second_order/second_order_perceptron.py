"""The second-order Perceptron: eigenvalues of the Gram matrix of the updates in place of R^2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

CITATION = "Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM J. Comput. 34 (2005)"
ERRATUM = "The tutorial's theorems omit the condition |u| = 1; without it they fail."
CONDITIONS = ("updates exactly where y r <= 0", "the matrix is full, not diagonal", "|u|_2 = 1")


@dataclass(frozen=True, kw_only=True)
class SecondOrder(Bound):
    """Updates are at most D + sqrt((a + lambda_u) logdet) / gamma."""

    name: ClassVar[str] = "second-order"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = CITATION
    erratum: ClassVar[str] = ERRATUM
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at a = 100")

    a: float = given("the parameter a", above=0.0)
    logdet: float = given(
        "sum of ln(1 + lambda_i / a), lambda_i the eigenvalues of the updates' Gram matrix", least=0.0
    )
    lambda_u: float = given("sum over updates of (u.x)^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """D + sqrt((a + lambda_u) logdet) / gamma."""
        return self.D + math.sqrt((self.a + self.lambda_u) * self.logdet) / self.gamma


@dataclass(frozen=True, kw_only=True)
class SecondOrderSeparable(Bound):
    """Updates are at most (a + logdet) / gamma if |x_t| <= 1 and u has margin gamma on every
    round.
    """

    name: ClassVar[str] = "second-order-separable"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, "|x_t| <= 1", "y_t u.x_t >= gamma on every round")
    citation: ClassVar[str] = CITATION
    erratum: ClassVar[str] = ERRATUM
    tight: ClassVar[Tight] = Tight(0.63, "a single row")

    a: float = given("the parameter a", above=0.0)
    logdet: float = given(
        "sum of ln(1 + lambda_i / a), lambda_i the eigenvalues of the updates' Gram matrix", least=0.0
    )
    gamma: float = given("the margin of u, in units of |x|", above=0.0, most=1.0)

    @property
    def value(self) -> float:
        """(a + logdet) / gamma."""
        return (self.a + self.logdet) / self.gamma
