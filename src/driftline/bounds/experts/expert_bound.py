"""Base of the theorems on expert learners: their common inputs, and the vote of an average."""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftline.bounds.bound import Bound, given

WARMUTH = "Littlestone, Warmuth (1994)"
SHARES = "Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998); Gentile, tutorial (2005)"
LOSS = "the loss of a round is |p - y| / 2, from 0 to 1"
SHARE = "weights are shared as in the rule; n >= 2"


@dataclass(frozen=True, kw_only=True)
class Experts(Bound):
    """The inputs of all theorems on experts."""

    n: int = given("experts", least=1, whole=True)
    L: float = given("loss of the comparator: an expert or a partition", least=0.0)


@dataclass(frozen=True, kw_only=True)
class AverageLoss(Experts):
    """Bounds on the loss of an average of advice.

    ``vote`` bounds the mistakes of its sign: each costs a loss of at least 1/2.
    """

    @property
    def vote(self) -> float:
        """Twice the bound on the loss."""
        return 2.0 * self.value


@dataclass(frozen=True, kw_only=True)
class Rounds(AverageLoss):
    """The inputs of bounds on regret over T rounds."""

    T: int = given("rounds", least=1, whole=True)

    def check(self) -> None:
        """A round costs a comparator at most 1."""
        self.holds(self.L <= self.T, "L <= T", self.L)

    @property
    def root(self) -> float:
        """sqrt(T ln n / 2)."""
        return math.sqrt(self.T * math.log(self.n) / 2.0)


@dataclass(frozen=True, kw_only=True)
class Shifting(AverageLoss):
    """The inputs of fixed and variable share; L is the loss of a partition with k shifts."""

    k: int = given("shifts from one expert to another", least=0, whole=True)
    alpha: float = given("the share of its weight that an expert gives to the others", above=0.0, below=1.0)
    eta: float = given("the learning rate", above=0.0)

    def check(self) -> None:
        """There are two experts or more, and alpha is at most the share of the others."""
        self.holds(self.n >= 2, "n >= 2", self.n)
        self.holds(self.alpha <= (self.n - 1) / self.n, "alpha <= (n - 1) / n", self.alpha)


def halved(eta: float) -> float:
    """ln(2 / (1 + e^-eta)), by which a mistake reduces the logarithm of the total weight; exact
    for tiny eta.
    """
    return -math.log1p(math.expm1(-eta) / 2.0)
