"""The tracker's vote against the best sequence of its experts: a Bayes mixture over sequences and rates.

Let V(eta, q) = -ln(1 - (1 - e^-eta) q), where q is the weight on the wrong side. The shares of the rate of learning eta
are a Bayes mixture over sequences and rates of switching: the sum of V(eta, q_t) over their q_t is at most eta L + C,
C being the ``cost`` of the sequence. The vote is a Bayes mixture, at the rate 1/2, over E rates of learning: the sum of
V(1/2, q_t) over its own q_t is at most ln E more than over those of any one rate. And V(1/2, q) <= c V(eta, q) with
c = (1 - e^-1/2) / (1 - e^-eta) where eta >= 1/2, since the ratio falls with q. So the sum of V(1/2, q_t) is at most

    ln E + c (eta L + C)

for each such eta. A mistake has q >= 1/2 and so V(1/2, q) >= ln(2 / (1 + e^-1/2)); and V(1/2, q) >= (1 - e^-1/2) q.
Rates below 1/2 promise no more than 1/2 does.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given
from driftline.rules.tracker.tracker import ALPHAS, FULL_BANK, RATE, RATES

SHARES = (
    "Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998); Vovk. Derandomizing stochastic "
    "prediction strategies. Machine Learning 35 (1999)"
)
CONDITIONS = (
    "nothing is assumed of the examples; an expert that has left counts as wrong, one with a new rule as the same",
    "sample weights are 1, and the learner was new",
)
PER_MISTAKE = -math.log((1.0 + math.exp(-RATE)) / 2.0)
PER_LOSS = -math.expm1(-RATE)
PROMISING = tuple(rate for rate in RATES if rate >= RATE)


@dataclass(frozen=True, kw_only=True)
class Tracked(Bound):
    """The inputs of all of them, and what a sequence of voters costs."""

    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = SHARES

    L: int = given("errors of the sequence that one is compared with", least=0, whole=True)
    T: int = given("rounds", least=1, whole=True)
    E: int = given("rates of learning; 1 for the recipe", len(RATES), least=1, whole=True)

    def check(self) -> None:
        """One rate, or all of them."""
        self.holds(self.E in (1, len(RATES)), f"E = 1 or E = {len(RATES)}", self.E)

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

    @property
    def lost(self) -> float:
        """ln E + the least c (eta L + cost) over eta = 1/2 and, unless E = 1, eta = 1; c = 1 and c = 0.6225."""
        rates = PROMISING if self.E > 1 else (RATE,)
        promised = (PER_LOSS / -math.expm1(-rate) * (rate * self.L + self.cost) for rate in rates)
        return math.log(self.E) + min(promised)


@dataclass(frozen=True, kw_only=True)
class TrackedExperts(Tracked):
    """The inputs of bounds against sequences of experts and constants."""

    k: int = given("shifts from one expert or constant to another", 0, least=0, whole=True)
    M: int = given("experts at the start", FULL_BANK, least=1, whole=True)

    def check(self) -> None:
        """Shifts fit between the rounds."""
        super().check()
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
    """Mistakes of the tracker against every sequence of its experts, and of the constants, with k shifts.

    C = ln 3 + (k + 1) ln(2 (M + 2)) + the least of (k + 1) ln T and, for a = 0.001 and 0.01, k ln(1 / a) + (T - 1 - k)
    ln(1 / (1 - a)). With E = 1, for the recipe, the least in the formula is L / 2 + C.
    """

    name: ClassVar[str] = "tracker"
    tight: ClassVar[Tight] = Tight(0.87, "labels always against the vote")
    limits: ClassVar[str] = "mistakes"

    @property
    def value(self) -> float:
        """(ln E + min(L / 2 + C, 0.6225 (L + C))) / ln(2 / (1 + e^-1/2))."""
        return self.lost / PER_MISTAKE


@dataclass(frozen=True, kw_only=True)
class TrackerExpected(TrackedExperts):
    """Expected mistakes of labels drawn by ``predict_proba_one``, that is the sum of |p - y| / 2, against the same.

    C is that of ``tracker``. With E = 1, for the recipe, the least in the formula is L / 2 + C.
    """

    name: ClassVar[str] = "tracker-expected"
    tight: ClassVar[Tight] = Tight(0.88, "labels always against the vote")
    limits: ClassVar[str] = "loss"

    @property
    def value(self) -> float:
        """(ln E + min(L / 2 + C, 0.6225 (L + C))) / (1 - e^-1/2)."""
        return self.lost / PER_LOSS


@dataclass(frozen=True, kw_only=True)
class TrackerStacker(Tracked):
    """Mistakes of the tracker against any one of its three stackers.

    C = ln 18 + the least of ln T and, for a = 0.001 and 0.01, (T - 1) ln(1 / (1 - a)). With E = 1, for the recipe, the
    least in the formula is L / 2 + C.
    """

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
        """(ln E + min(L / 2 + C, 0.6225 (L + C))) / ln(2 / (1 + e^-1/2))."""
        return self.lost / PER_MISTAKE
