"""Exponential weights with square loss: loss against the best expert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.experts.outcome_bound import ONCE, SQUARE, OutcomeLoss


@dataclass(frozen=True, kw_only=True)
class SquareLossExpertsLoss(OutcomeLoss):
    """Square loss of the weighted mean: exp(-eta (p - y)^2) is concave in p for eta <= 1/(8 B^2)."""

    name: ClassVar[str] = "squarelossexperts"
    limits: ClassVar[str] = "square loss"
    conditions: ClassVar[tuple[str, ...]] = (SQUARE, ONCE, "eta <= 1 / (8 B^2)")
    citation: ClassVar[str] = "Kivinen, Warmuth (1999); Cesa-Bianchi, Lugosi (2006), section 3.3"
    tight: ClassVar[Tight] = Tight(0.99, "two experts near 0, outcomes of B: as a share of the regret, value - L")
    largest: ClassVar[float] = 0.125
