"""Selective sampling: expected mistakes over all rounds, and expected number of labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given, largest_root

CITATION = "Cesa-Bianchi, Gentile, Zaniboni. Worst-case analysis of selective sampling. JMLR 7 (2006)"
CONDITIONS = ("w = 0 at the start", "an example does not depend on the coin of its round", "|u|_2 = 1", "D is expected")

ASKS = "a label is requested with probability at most b_t / (b_t + |score|)"


@dataclass(frozen=True, kw_only=True)
class Sampled(Bound):
    """The inputs of the first-order variants."""

    b: float = given("the parameter b", above=0.0)
    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma), in expectation", 0.0, least=0.0)

    def check(self) -> None:
        """D is at least the loss of one update."""
        self.reaches(self.R / self.gamma, 1.0, self.D, "D >= 1 - R / gamma")


@dataclass(frozen=True, kw_only=True)
class LabelEfficientMistakes(Sampled):
    """Expected mistakes with constant b: two bounds hold, and the value is the smaller one."""

    name: ClassVar[str] = "labelefficient"
    limits: ClassVar[str] = "expected mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, 'variant="constant"')
    citation: ClassVar[str] = CITATION
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at b = 1/2")

    @property
    def value(self) -> float:
        """min of (2b + R^2)^2/(8 b g^2) + c D and the largest x = R/g sqrt(x) + R^4/(8 b g^2) + c D, c = 1 + R^2/2b."""
        lost = (1.0 + self.R**2 / (2.0 * self.b)) * self.D
        first = (2.0 * self.b + self.R**2) ** 2 / (8.0 * self.b * self.gamma**2) + lost
        return min(first, largest_root(self.R / self.gamma, self.R**4 / (8.0 * self.b * self.gamma**2) + lost))

    def tuning(self) -> dict[str, float]:
        """The b at which the bound equals that with all labels: R^2/2 sqrt(1 + 4 gamma^2 D / R^2)."""
        return {"b": self.R**2 / 2.0 * math.sqrt(1.0 + 4.0 * self.gamma**2 * self.D / self.R**2)}


@dataclass(frozen=True, kw_only=True)
class LabelEfficientAdaptive(Sampled):
    """Expected mistakes with b_t = b R_t^2 sqrt(1 + updates)."""

    name: ClassVar[str] = "labelefficient-adaptive"
    limits: ClassVar[str] = "expected mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, 'variant="adaptive"')
    citation: ClassVar[str] = CITATION
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at b = 100, where nearly every label is requested")

    first: float | None = given("the running maximum of |x| at the first update; the default is R", None, above=0.0)

    def check(self) -> None:
        """The first maximum is at most R."""
        super().check()
        self.holds(self.first is None or self.first <= self.R, "first <= R", self.first or 0.0)

    @property
    def value(self) -> float:
        """The largest x = R/g sqrt(x) + min(R^4/(8 b g^2 R_1^2), R/g (1 + ln(1 + x))/(2b)) + (1 + 1/2b) D."""
        ratio, lost = self.R / self.gamma, (1.0 + 1.0 / (2.0 * self.b)) * self.D
        radius = self.R if self.first is None else self.first
        constant = largest_root(ratio, self.R**4 / (8.0 * self.b * self.gamma**2 * radius**2) + lost)
        x, before = 16.0 * (constant + 1.0) + (ratio / self.b) ** 2, math.inf
        while x < before:
            before = x
            x = ratio * (math.sqrt(x) + (1.0 + math.log1p(x)) / (2.0 * self.b)) + lost
        return min(constant, before)


@dataclass(frozen=True, kw_only=True)
class LabelEfficientSecondOrder(Bound):
    """Expected mistakes of the second-order variant."""

    name: ClassVar[str] = "labelefficient-second-order"
    limits: ClassVar[str] = "expected mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, "all inputs are expected values")
    citation: ClassVar[str] = CITATION
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at a = 100 and the best b")

    b: float = given("the parameter b", above=0.0)
    a: float = given("the parameter a", above=0.0)
    logdet: float = given(
        "sum of ln(1 + lambda_i / a), lambda_i the eigenvalues of the updates' Gram matrix", least=0.0
    )
    lambda_u: float = given("sum over updates of (u.x)^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """D + b (a + lambda_u) / (2 gamma^2) + logdet / (2 b)."""
        return self.D + self.b * (self.a + self.lambda_u) / (2.0 * self.gamma**2) + self.logdet / (2.0 * self.b)


@dataclass(frozen=True, kw_only=True)
class Asked(Bound):
    """The inputs of the bounds on labels, and the formula that they share."""

    T: int = given("rounds", least=1, whole=True)
    m: float = given("a threshold on |score|", above=0.0)
    close: float = given("expected rounds with |score| < m", least=0.0)
    b: float = given("the parameter b", above=0.0)

    def check(self) -> None:
        """close is at most T."""
        self.holds(self.close <= self.T, "close <= T", self.close)

    @property
    def largest(self) -> float:
        """The largest b_t."""
        return self.b

    @property
    def value(self) -> float:
        """close + (T - close) b / (b + m)."""
        return self.close + (self.T - self.close) * self.largest / (self.largest + self.m)


@dataclass(frozen=True, kw_only=True)
class LabelEfficientLabels(Asked):
    """Expected labels with constant b: 1 per round with |score| < m, and at
    most b / (b + m) per other round.

    If the score of every round is known, ``expected_labels`` computes the expectation itself.
    """

    name: ClassVar[str] = "labelefficient-labels"
    limits: ClassVar[str] = "expected labels"
    conditions: ClassVar[tuple[str, ...]] = (ASKS, 'variant="constant"')
    citation: ClassVar[str] = CITATION
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows in three passes")


@dataclass(frozen=True, kw_only=True)
class LabelEfficientAdaptiveLabels(Asked):
    """Expected labels with b_t = b R_t^2 sqrt(1 + updates), which is largest at the end."""

    name: ClassVar[str] = "labelefficient-adaptive-labels"
    limits: ClassVar[str] = "expected labels"
    conditions: ClassVar[tuple[str, ...]] = (ASKS, 'variant="adaptive"')
    citation: ClassVar[str] = CITATION
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows in three passes")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    updates: int = given("updates, at most", least=0, whole=True)

    @property
    def largest(self) -> float:
        """b R^2 sqrt(1 + updates)."""
        return self.b * self.R**2 * math.sqrt(1.0 + self.updates)

    @property
    def value(self) -> float:
        """close + (T - close) c / (c + m), c = b R^2 sqrt(1 + updates)."""
        return super().value


@dataclass(frozen=True, kw_only=True)
class LabelEfficientSecondOrderLabels(Asked):
    """Expected labels of the second-order variant; scores are r / (1 + q), with x_t included in
    the inverse.
    """

    name: ClassVar[str] = "labelefficient-second-order-labels"
    limits: ClassVar[str] = "expected labels"
    conditions: ClassVar[tuple[str, ...]] = (
        ASKS,
        'variant="second"',
        "scores are r / (1 + q), with x_t included in the inverse",
    )
    citation: ClassVar[str] = CITATION
    tight: ClassVar[Tight] = Tight(0.95, "orthonormal rows in three passes")


def expected_labels(b: float, scores: Iterable[float]) -> float:
    """Expected number of labels with constant b, given the score of every round.

    Parameters
    ----------
    b
        The parameter of the learner.
    scores
        The score of every round.

    Examples
    --------

    >>> expected_labels(1.0, [0.0, 1.0, -3.0])
    1.75
    """
    if not 0.0 < b < math.inf:
        raise ValueError(f"expected_labels: b must be > 0 and finite, got {b!r}")
    return float(sum(b / (b + abs(score)) for score in scores))
