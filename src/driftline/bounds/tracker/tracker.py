"""The tracker: mistakes against the best sequence of its experts.

Let V(eta, q) = -ln(1 - (1 - e^-eta) q), where q is the weight on the wrong side. For one learning
rate eta, the shares are a Bayes mixture over sequences and switching rates. So the sum of
V(eta, q_t) is at most eta L + C, where C is the ``cost`` of the sequence. The vote is a Bayes
mixture, at rate 1/2, over E learning rates. So the sum of V(1/2, q_t) over the q_t of the vote
exceeds the same sum for any one rate by at most ln E. For eta >= 1/2, V(1/2, q) <= c V(eta, q)
with c = (1 - e^-1/2) / (1 - e^-eta), because the ratio of the two decreases in q. So the sum of
V(1/2, q_t) is at most

    ln E + c (eta L + C)

for each such eta. A mistake has q >= 1/2, hence V(1/2, q) >= ln(2 / (1 + e^-1/2)). Moreover,
V(1/2, q) >= (1 - e^-1/2) q. Learning rates below 1/2 give no smaller bound than 1/2 does.
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
    "the examples are arbitrary; a removed expert counts as wrong, an expert with a new rule as the same expert",
    "sample weights are 1, and the learner is new",
)
PER_MISTAKE = -math.log((1.0 + math.exp(-RATE)) / 2.0)
PER_LOSS = -math.expm1(-RATE)
PROMISING = tuple(rate for rate in RATES if rate >= RATE)


@dataclass(frozen=True, kw_only=True)
class Tracked(Bound):
    """The inputs of all theorems on the tracker, and the cost of a sequence of voters."""

    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = SHARES

    L: int = given("errors of the comparator sequence", least=0, whole=True)
    T: int = given("rounds", least=1, whole=True)
    E: int = given('learning rates; 1 for bank="recipe"', len(RATES), least=1, whole=True)

    def check(self) -> None:
        """E is 1 or the number of all learning rates, and no sequence errs more than T times."""
        self.holds(self.E in (1, len(RATES)), f"E = 1 or E = {len(RATES)}", self.E)
        self.holds(self.L <= self.T, "L <= T", self.L)

    @property
    @abstractmethod
    def shifts(self) -> int:
        """The number of shifts of the sequence."""

    @property
    @abstractmethod
    def entry(self) -> float:
        """ln(1 / prior of a voter)."""

    @property
    def cost(self) -> float:
        """ln 3 + (k + 1) entry + the minimum of (k + 1) ln T and, per switching rate a,
        k ln(1 / a) + (T - 1 - k) ln(1 / (1 - a)).
        """
        k, stays = self.shifts, self.T - 1 - self.shifts
        fixed = (-k * math.log(a) - stays * math.log1p(-a) for a in ALPHAS if a > 0.0)
        return math.log(len(ALPHAS)) + (k + 1) * self.entry + min((k + 1) * math.log(self.T), *fixed)

    @property
    def lost(self) -> float:
        """ln E + the minimum of c (eta L + cost) over eta = 1/2 (c = 1) and, unless E = 1, eta = 1
        (c = 0.6225).
        """
        rates = PROMISING if self.E > 1 else (RATE,)
        promised = (PER_LOSS / -math.expm1(-rate) * (rate * self.L + self.cost) for rate in rates)
        return math.log(self.E) + min(promised)


@dataclass(frozen=True, kw_only=True)
class TrackedExperts(Tracked):
    """The inputs of bounds against sequences of experts and constants."""

    k: int = given("shifts from one expert or constant to another", 0, least=0, whole=True)
    M: int = given("experts at the start", FULL_BANK, least=1, whole=True)

    def check(self) -> None:
        """There are at most T - 1 shifts."""
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
    """Mistakes of the tracker against every sequence of its experts, and of the constants, with k
    shifts.

    C = ln 3 + (k + 1) ln(2 (M + 2)) + the minimum of (k + 1) ln T and, for a = 0.001 and 0.01,
    k ln(1 / a) + (T - 1 - k) ln(1 / (1 - a)). If E = 1 (the recipe), the minimum in the formula
    is L / 2 + C.
    """

    name: ClassVar[str] = "tracker"
    tight: ClassVar[Tight] = Tight(0.87, "labels always opposite to the vote")
    limits: ClassVar[str] = "mistakes"

    @property
    def value(self) -> float:
        """(ln E + min(L / 2 + C, 0.6225 (L + C))) / ln(2 / (1 + e^-1/2))."""
        return self.lost / PER_MISTAKE


@dataclass(frozen=True, kw_only=True)
class TrackerExpected(TrackedExperts):
    """Expected mistakes of labels drawn with the share of the vote, (1 + p) / 2 for +1, that is the
    sum of |p - y| / 2, against the same sequences. ``predict_proba_one`` is calibrated instead.

    C is that of ``tracker``. If E = 1 (the recipe), the minimum in the formula is L / 2 + C.
    """

    name: ClassVar[str] = "tracker-expected"
    tight: ClassVar[Tight] = Tight(0.88, "labels always opposite to the vote")
    limits: ClassVar[str] = "loss"

    @property
    def value(self) -> float:
        """(ln E + min(L / 2 + C, 0.6225 (L + C))) / (1 - e^-1/2)."""
        return self.lost / PER_LOSS


@dataclass(frozen=True, kw_only=True)
class TrackerStacker(Tracked):
    """Mistakes of the tracker against any one of its three stackers.

    C = ln 18 + the minimum of ln T and, for a = 0.001 and 0.01, (T - 1) ln(1 / (1 - a)). If E = 1
    (the recipe), the minimum in the formula is L / 2 + C.
    """

    name: ClassVar[str] = "tracker-stacker"
    tight: ClassVar[Tight] = Tight(0.86, "labels always opposite to the vote")
    limits: ClassVar[str] = "mistakes"

    @property
    def shifts(self) -> int:
        """0."""
        return 0

    @property
    def entry(self) -> float:
        """ln 6."""
        return math.log(6.0)

    @property
    def value(self) -> float:
        """(ln E + min(L / 2 + C, 0.6225 (L + C))) / ln(2 / (1 + e^-1/2))."""
        return self.lost / PER_MISTAKE
