"""Exponential weights: loss against the best expert, for each of its schedules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.experts.expert_bound import LOSS, WARMUTH, AverageLoss, Rounds, halved


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsLoss(AverageLoss):
    """Loss of the exponentially weighted average; ``vote`` bounds the mistakes of its sign."""

    name: ClassVar[str] = "exponentialweights"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, "eta is fixed")
    citation: ClassVar[str] = WARMUTH + "; Gentile, tutorial (2005)"
    erratum: ClassVar[str] = "The printed (1 + eta) L + (1 + eta)/eta ln n follows from this tighter bound."
    tight: ClassVar[Tight] = Tight(0.97, "random advice")

    eta: float = given("the learning rate", above=0.0)

    @property
    def value(self) -> float:
        """(eta L + ln n) / (1 - e^-eta)."""
        return (self.eta * self.L + math.log(self.n)) / -math.expm1(-self.eta)

    @property
    def vote(self) -> float:
        """(eta L + ln n) / ln(2 / (1 + e^-eta))."""
        return (self.eta * self.L + math.log(self.n)) / halved(self.eta)


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsKnown(Rounds):
    """Loss of exponential weights with eta = sqrt(8 ln n / T), T known in advance."""

    name: ClassVar[str] = "exponentialweights-known"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, "eta as prescribed")
    citation: ClassVar[str] = "Cesa-Bianchi, Lugosi (2006), Theorem 2.2"
    tight: ClassVar[Tight] = Tight(0.83, "random advice: as a share of the regret, value - L")

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
    tight: ClassVar[Tight] = Tight(0.46, "a leader that is always wrong: as a share of the regret, value - L")

    @property
    def value(self) -> float:
        """L + 2 sqrt(T ln n / 2) + sqrt(ln n / 8)."""
        return self.L + 2.0 * self.root + math.sqrt(math.log(self.n) / 8.0)


@dataclass(frozen=True, kw_only=True)
class ExponentialWeightsDoubling(Rounds):
    """Loss of exponential weights with restarts after 1, 2, 4, ... rounds."""

    name: ClassVar[str] = "exponentialweights-doubling"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, 'schedule="doubling"')
    citation: ClassVar[str] = "Cesa-Bianchi, Lugosi (2006), section 2.3"
    tight: ClassVar[Tight] = Tight(0.44, "random advice: as a share of the regret, value - L")

    @property
    def value(self) -> float:
        """L + sqrt(2) / (sqrt(2) - 1) sqrt(T ln n / 2)."""
        return self.L + math.sqrt(2.0) / (math.sqrt(2.0) - 1.0) * self.root
