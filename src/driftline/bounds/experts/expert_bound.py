"""What the theorems on expert learners have in common: the inputs, and the vote of an average."""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftline.bounds.bound import Bound, given

WARMUTH = "Littlestone, Warmuth (1994)"
SHARES = "Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998); Gentile, tutorial (2005)"
LOSS = "the loss of a round is |p - y| / 2, from 0 to 1"
SHARE = "weights are shared as the rule does; n >= 2"


@dataclass(frozen=True, kw_only=True)
class Experts(Bound):
    """The inputs of all of them."""

    n: int = given("experts", least=1, whole=True)
    L: float = given("loss of the expert, or of the partition, that one is compared with", least=0.0)


@dataclass(frozen=True, kw_only=True)
class AverageLoss(Experts):
    """Bounds on the loss of an average of advice. ``vote`` bounds the mistakes of its sign, which cost 1/2 at least."""

    @property
    def vote(self) -> float:
        """Twice the bound on the loss."""
        return 2.0 * self.value


@dataclass(frozen=True, kw_only=True)
class Rounds(AverageLoss):
    """The inputs of bounds on regret over T rounds."""

    T: int = given("rounds", least=1, whole=True)

    @property
    def root(self) -> float:
        """sqrt(T ln n / 2)."""
        return math.sqrt(self.T * math.log(self.n) / 2.0)


@dataclass(frozen=True, kw_only=True)
class Shifting(AverageLoss):
    """The inputs of both shares; L is the loss of a partition with k shifts."""

    k: int = given("shifts from one expert to another", least=0, whole=True)
    alpha: float = given("the share that is given away", above=0.0, below=1.0)
    eta: float = given("the rate", above=0.0)

    def check(self) -> None:
        """There is someone to share with."""
        self.holds(self.n >= 2, "n >= 2", self.n)
        self.holds(self.alpha <= (self.n - 1) / self.n, "alpha <= (n - 1) / n", self.alpha)


def halved(eta: float) -> float:
    """ln(2 / (1 + e^-eta)): what a mistake takes from the logarithm of all weights, also where eta is tiny."""
    return -math.log1p(math.expm1(-eta) / 2.0)
