"""The aggregating algorithm with square loss: loss against the best expert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.experts.outcome_bound import ONCE, SQUARE, OutcomeLoss


@dataclass(frozen=True, kw_only=True)
class AggregatingExpertsLoss(OutcomeLoss):
    """Square loss of the aggregating algorithm: the square loss is mixable for eta <= 1/(2 B^2)."""

    name: ClassVar[str] = "aggregatingexperts"
    limits: ClassVar[str] = "square loss"
    conditions: ClassVar[tuple[str, ...]] = (SQUARE, ONCE, "eta <= 1 / (2 B^2)")
    citation: ClassVar[str] = "Vovk (1990); Vovk. Competitive on-line statistics (2001)"
    tight: ClassVar[Tight] = Tight(1.0, "two experts near 0, outcomes of B: as a share of the regret, value - L")
    largest: ClassVar[float] = 0.5
