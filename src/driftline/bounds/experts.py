"""Weighted majority, exponential weights, AdaHedge, fixed and variable share: losses against the best experts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

WARMUTH = "Littlestone, Warmuth (1994)"
SHARES = "Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998); Gentile, tutorial (2005)"
LOSS = "the loss of a round is |p - y| / 2, from 0 to 1"
SHARE = "weights are shared as the rule does; n >= 2"


@dataclass(frozen=True, kw_only=True)
class Experts(Bound):
    """The inputs of all of them."""

    n: int = given("experts", least=1, whole=True)
    L: float = given("loss of the expert, or of the partition, that one is compared with", least=0.0)


def halved(eta: float) -> float:
    """ln(2 / (1 + e^-eta)): what a mistake takes from the logarithm of all weights, also where eta is tiny."""
    return -math.log1p(math.expm1(-eta) / 2.0)


@dataclass(frozen=True, kw_only=True)
class AverageLoss(Experts):
    """Bounds on the loss of an average of advice. ``vote`` bounds the mistakes of its sign, which cost 1/2 at least."""

    @property
    def vote(self) -> float:
        """Twice the bound on the loss."""
        return 2.0 * self.value


@dataclass(frozen=True, kw_only=True)
class WeightedMajorityMistakes(Experts):
    """Mistakes of the weighted majority against any expert's errors."""

    name: ClassVar[str] = "weightedmajority"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("an expert votes by the sign of its advice, and errs unless that is y",)
    citation: ClassVar[str] = WARMUTH
    tight: ClassVar[Tight] = Tight(0.86, "advice that splits the weight in halves, and a label against the vote")

    beta: float = given("what an error multiplies a weight by", above=0.0, below=1.0)

    @property
    def value(self) -> float:
        """(L ln(1/beta) + ln n) / ln(2 / (1 + beta))."""
        return (-math.log(self.beta) * self.L + math.log(self.n)) / -math.log1p((self.beta - 1.0) / 2.0)


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsLoss(AverageLoss):
    """Loss of the exponentially weighted average; ``vote`` bounds the mistakes of its sign."""

    name: ClassVar[str] = "exponentialweights"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, "eta is fixed")
    citation: ClassVar[str] = WARMUTH + "; Gentile, tutorial (2005)"
    erratum: ClassVar[str] = "The printed (1 + eta) L + (1 + eta)/eta ln n follows from this tighter form."
    tight: ClassVar[Tight] = Tight(0.97, "random advice")

    eta: float = given("the rate", above=0.0)

    @property
    def value(self) -> float:
        """(eta L + ln n) / (1 - e^-eta)."""
        return (self.eta * self.L + math.log(self.n)) / -math.expm1(-self.eta)

    @property
    def vote(self) -> float:
        """(eta L + ln n) / ln(2 / (1 + e^-eta))."""
        return (self.eta * self.L + math.log(self.n)) / halved(self.eta)


@dataclass(frozen=True, kw_only=True)
class Rounds(AverageLoss):
    """The inputs of bounds on regret over T rounds."""

    T: int = given("rounds", least=1, whole=True)

    @property
    def root(self) -> float:
        """sqrt(T ln n / 2)."""
        return math.sqrt(self.T * math.log(self.n) / 2.0)


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsKnown(Rounds):
    """Loss of exponential weights with eta = sqrt(8 ln n / T), T known in advance."""

    name: ClassVar[str] = "exponentialweights-known"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, "eta as prescribed")
    citation: ClassVar[str] = "Cesa-Bianchi, Lugosi (2006), Theorem 2.2"
    tight: ClassVar[Tight] = Tight(0.83, "random advice: of the regret, which is what it allows beyond L")

    @property
    def value(self) -> float:
        """L + sqrt(T ln n / 2)."""
        return self.L + self.root

    def tuning(self) -> dict[str, float]:
        """eta = sqrt(8 ln n / T)."""
        return {"eta": math.sqrt(8.0 * math.log(self.n) / self.T)}


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsAnytime(Rounds):
    """Loss of exponential weights with eta_t = sqrt(8 ln n / t) on all past losses."""

    name: ClassVar[str] = "exponentialweights-anytime"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, 'schedule="anytime"')
    citation: ClassVar[str] = "Cesa-Bianchi, Lugosi (2006), Theorem 2.3"
    tight: ClassVar[Tight] = Tight(
        0.46, "a leader who is always wrong: of the regret, which is what it allows beyond L"
    )

    @property
    def value(self) -> float:
        """L + 2 sqrt(T ln n / 2) + sqrt(ln n / 8)."""
        return self.L + 2.0 * self.root + math.sqrt(math.log(self.n) / 8.0)


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsDoubling(Rounds):
    """Loss of exponential weights that begin anew after 1, 2, 4, ... rounds."""

    name: ClassVar[str] = "exponentialweights-doubling"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, 'schedule="doubling"')
    citation: ClassVar[str] = "Cesa-Bianchi, Lugosi (2006), section 2.3"
    tight: ClassVar[Tight] = Tight(0.44, "random advice: of the regret, which is what it allows beyond L")

    @property
    def value(self) -> float:
        """L + sqrt(2) / (sqrt(2) - 1) sqrt(T ln n / 2)."""
        return self.L + math.sqrt(2.0) / (math.sqrt(2.0) - 1.0) * self.root


@dataclass(frozen=True, kw_only=True)
class AdaHedgeLoss(Rounds):
    """Loss of AdaHedge, which needs no rate: both forms hold, the smaller counts."""

    name: ClassVar[str] = "adahedge"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS,)
    citation: ClassVar[str] = "De Rooij, Van Erven, Gruenwald, Koolen. Follow the leader if you can. JMLR 15 (2014)"
    tight: ClassVar[Tight] = Tight(0.58, "random advice: of the regret, which is what it allows beyond L")

    @property
    def value(self) -> float:
        """L + min(1 + sqrt(1 + T ln n), b + sqrt(b^2 + 4 L ln n)), b = 1 + 2 ln n."""
        ln = math.log(self.n)
        b = 1.0 + 2.0 * ln
        return self.L + min(1.0 + math.sqrt(1.0 + self.T * ln), b + math.sqrt(b * b + 4.0 * self.L * ln))


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


@dataclass(frozen=True, kw_only=True)
class FixedShareLoss(Shifting):
    """Loss of fixed share against every partition with k shifts; ``vote`` bounds the mistakes of its sign."""

    name: ClassVar[str] = "fixedshare"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, SHARE)
    citation: ClassVar[str] = SHARES
    erratum: ClassVar[str] = (
        "The printed bound omits ln n for the first expert and + k: with k = 0 it would cost nothing."
    )
    tight: ClassVar[Tight] = Tight(0.72, "advice that splits those who were never wrong")

    T: int = given("rounds", least=2, whole=True)

    def check(self) -> None:
        """Shifts fit between the rounds."""
        super().check()
        self.holds(self.k <= self.T - 1, "k <= T - 1", self.k)

    @property
    def cost(self) -> float:
        """ln n + k ln((n - 1) / alpha) + (T - 1 - k) ln(1 / (1 - alpha))."""
        shifted = self.k * math.log((self.n - 1) / self.alpha) if self.k else 0.0
        return math.log(self.n) + shifted - (self.T - 1 - self.k) * math.log1p(-self.alpha)

    @property
    def value(self) -> float:
        """(eta L + cost) / (1 - e^-eta)."""
        return (self.eta * self.L + self.cost) / -math.expm1(-self.eta)

    @property
    def vote(self) -> float:
        """(eta L + cost) / ln(2 / (1 + e^-eta))."""
        return (self.eta * self.L + self.cost) / halved(self.eta)

    def tuning(self) -> dict[str, float]:
        """alpha = k / (T - 1)."""
        return {"alpha": min(max(self.k, 1) / (self.T - 1), (self.n - 1) / self.n), "eta": self.eta}


@dataclass(frozen=True, kw_only=True)
class FixedShareVote(FixedShareLoss):
    """Mistakes of fixed share where it answers with the side that has more weight, against every partition."""

    name: ClassVar[str] = "fixedshare-vote"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("advice is -1 or +1", SHARE)
    tight: ClassVar[Tight] = Tight(0.85, "advice that splits those who were never wrong")

    @property
    def value(self) -> float:
        """(eta L + cost) / ln(2 / (1 + e^-eta)), cost as for its loss."""
        return self.vote


@dataclass(frozen=True, kw_only=True)
class VariableShareLoss(Shifting):
    """Loss of variable share against every partition with k shifts, for any T; ``vote``: mistakes of its sign."""

    name: ClassVar[str] = "variableshare"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, SHARE, "experts' losses are 0 or 1")
    citation: ClassVar[str] = SHARES
    tight: ClassVar[Tight] = Tight(0.72, "advice that splits those who were never wrong")

    @property
    def cost(self) -> float:
        """ln n + k (eta + ln((n - 1) / alpha)) + L (eta + ln(1 / (1 - alpha)))."""
        shifted = self.k * (self.eta + math.log((self.n - 1) / self.alpha))
        return math.log(self.n) + shifted + self.L * (self.eta - math.log1p(-self.alpha))

    @property
    def value(self) -> float:
        """(ln n + k (eta + ln((n - 1) / alpha)) + L (eta + ln(1 / (1 - alpha)))) / (1 - e^-eta)."""
        return self.cost / -math.expm1(-self.eta)

    @property
    def vote(self) -> float:
        """The same over ln(2 / (1 + e^-eta))."""
        return self.cost / halved(self.eta)

    def tuning(self) -> dict[str, float]:
        """alpha about k / (k + L)."""
        k = max(self.k, 1)
        return {"alpha": min(k / (k + self.L), (self.n - 1) / self.n), "eta": self.eta}
