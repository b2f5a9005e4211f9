"""The weighted majority: mistakes against any expert."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.experts.expert_bound import WARMUTH, Experts


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
