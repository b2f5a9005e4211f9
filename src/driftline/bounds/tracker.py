"""The tracker's vote against the best sequence of its experts: a Bayes mixture over sequences and rates."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given
from driftline.rules.tracker import ALPHAS, FULL_BANK, RATE

SHARES = (
    "Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998); Vovk. Derandomizing stochastic "
    "prediction strategies. Machine Learning 35 (1999)"
)
CONDITIONS = (
    "nothing is assumed of the examples; an expert that has left counts as wrong",
    "sample weights are 1, and the learner was new",
)
PER_MISTAKE = -math.log((1.0 + math.exp(-RATE)) / 2.0)
PER_LOSS = -math.expm1(-RATE)


@dataclass(frozen=True, kw_only=True)
class Tracked(Bound):
    """The inputs of all of them, and what a sequence of voters costs."""

    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = SHARES

    L: int = given("errors of the sequence that one is compared with", least=0, whole=True)
    T: int = given("rounds", least=1, whole=True)

    @property
    @abstractmethod
    def shifts(self) -> int:
        """How often the sequence shifts."""

    @property
    @abstractmethod
    def entry(self) -> float:
        """ln of one over the prior of a voter."""

    @property
    def cost(self) -> float:
        """ln 3 + (k + 1) entry + the least of (k + 1) ln T and, a rate, k ln(1 / a) + (T - 1 - k) ln(1 / (1 - a))."""
        k, stays = self.shifts, self.T - 1 - self.shifts
        fixed = (-k * math.log(a) - stays * math.log1p(-a) for a in ALPHAS if a > 0.0)
        return math.log(len(ALPHAS)) + (k + 1) * self.entry + min((k + 1) * math.log(self.T), *fixed)


@dataclass(frozen=True, kw_only=True)
class TrackedExperts(Tracked):
    """The inputs of bounds against sequences of experts and constants."""

    k: int = given("shifts from one expert or constant to another", 0, least=0, whole=True)
    M: int = given("experts at the start", FULL_BANK, least=1, whole=True)

    def check(self) -> None:
        """Shifts fit between the rounds."""
        self.holds(self.k <= self.T - 1, "k <= T - 1", self.k)

    @property
    def shifts(self) -> int:
        """k."""
        return self.k

    @property
    def entry(self) -> float:
        """ln(2 (M + 2))."""
        return math.log(2.0 * (self.M + 2))


@dataclass(frozen=True, kw_only=True)
class TrackerMistakes(TrackedExperts):
    """Mistakes of the tracker against every sequence of its experts, and of the constants, with k shifts."""

    name: ClassVar[str] = "tracker"
    tight: ClassVar[Tight] = Tight(0.87, "labels always against the vote")
    limits: ClassVar[str] = "mistakes"

    @property
    def value(self) -> float:
        """(L / 2 + ln 3 + (k + 1) ln(2 (M + 2)) + switching) / ln(2 / (1 + e^-1/2)), switching as in ``cost``."""
        return (RATE * self.L + self.cost) / PER_MISTAKE


@dataclass(frozen=True, kw_only=True)
class TrackerExpected(TrackedExperts):
    """Expected mistakes of labels drawn by ``predict_proba_one``, that is the sum of |p - y| / 2, against the same."""

    name: ClassVar[str] = "tracker-expected"
    tight: ClassVar[Tight] = Tight(0.88, "labels always against the vote")
    limits: ClassVar[str] = "loss"

    @property
    def value(self) -> float:
        """(L / 2 + ln 3 + (k + 1) ln(2 (M + 2)) + switching) / (1 - e^-1/2), switching as in ``cost``."""
        return (RATE * self.L + self.cost) / PER_LOSS


@dataclass(frozen=True, kw_only=True)
class TrackerStacker(Tracked):
    """Mistakes of the tracker against any one of its three stackers."""

    name: ClassVar[str] = "tracker-stacker"
    tight: ClassVar[Tight] = Tight(0.86, "labels always against the vote")
    limits: ClassVar[str] = "mistakes"

    @property
    def shifts(self) -> int:
        """None."""
        return 0

    @property
    def entry(self) -> float:
        """ln 6."""
        return math.log(6.0)

    @property
    def value(self) -> float:
        """(L / 2 + ln 18 + min(ln T, (T - 1) ln(1 / 0.999))) / ln(2 / (1 + e^-1/2))."""
        return (RATE * self.L + self.cost) / PER_MISTAKE
