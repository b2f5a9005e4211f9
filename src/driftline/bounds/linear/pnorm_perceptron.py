"""The p-norm Perceptron, p >= 2: |x|_p and |u|_q = 1 with 1/p + 1/q = 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given
from driftline.bounds.linear.perceptron import START

CITATION = "Grove, Littlestone, Schuurmans (2001); Gentile, tutorial (2005), p-norm Perceptrons"
ERRATUM = "R is the p-norm radius; the paper does not say so."
UNIT = "|u|_q = 1, 1/p + 1/q = 1"


@dataclass(frozen=True, kw_only=True)
class PNormSeparable(Bound):
    """Updates are at most (p - 1) R^2 / gamma^2 if some u has margin gamma on every round.

    For p = 2 ln n and |u|_1 = 1 this is at most (2 ln n - 1) e X^2 / gamma^2, X = max |x_i|, which
    is small for sparse u.
    """

    name: ClassVar[str] = "pnorm-separable"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, UNIT, "y_t u.x_t >= gamma on every round")
    citation: ClassVar[str] = CITATION
    erratum: ClassVar[str] = ERRATUM
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at p = 2")

    p: float = given("the norm", least=2.0)
    R: float = given("the largest length of an example, max |x_t|_p", above=0.0)
    gamma: float = given("the margin of u, in units of |x|", above=0.0)

    def check(self) -> None:
        """gamma is at most R."""
        self.holds(self.gamma <= self.R, "gamma <= R", self.gamma)

    @property
    def value(self) -> float:
        """(p - 1) R^2 / gamma^2."""
        return (self.p - 1.0) * (self.R / self.gamma) ** 2


@dataclass(frozen=True, kw_only=True)
class PNorm(Bound):
    """Updates are at most D + sqrt((p - 1) S) / gamma; S is summed over all updates."""

    name: ClassVar[str] = "pnorm"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, UNIT)
    citation: ClassVar[str] = CITATION
    erratum: ClassVar[str] = ERRATUM
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at p = 2")

    p: float = given("the norm", least=2.0)
    S: float = given("sum over updates of |x|_p^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", least=0.0)

    @property
    def value(self) -> float:
        """D + sqrt((p - 1) S) / gamma."""
        return self.D + math.sqrt((self.p - 1.0) * self.S) / self.gamma


@dataclass(frozen=True, kw_only=True)
class PNormMoving(Bound):
    """Updates are at most D + (1 + V) sqrt((p - 1) S) / gamma against a moving u_t.

    For p = 2 this is the Perceptron.

    Proof: |theta|_p <= sqrt((p - 1) S), so a move of u costs at most sqrt((p - 1) S) times its
    q-norm. The rest is the proof for a fixed u.
    """

    name: ClassVar[str] = "pnorm-moving"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, "|u_t|_q <= 1 on every round, 1/p + 1/q = 1")
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at p = 2 with a fixed u; 0.58 if u is negated once")
    citation: ClassVar[str] = (
        "derived here; for Perceptrons with a budget: Cavallanti, Cesa-Bianchi, Gentile. Tracking the best hyperplane "
        "with a simple budget Perceptron. Machine Learning 69 (2007)"
    )

    p: float = given("the norm", 2.0, least=2.0)
    S: float = given("sum over updates of |x|_p^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u_t.x / gamma)", least=0.0)
    V: float = given("path length, sum of |u_(t+1) - u_t|_q", least=0.0)

    @property
    def value(self) -> float:
        """D + (1 + V) sqrt((p - 1) S) / gamma."""
        return self.D + (1.0 + self.V) * math.sqrt((self.p - 1.0) * self.S) / self.gamma
