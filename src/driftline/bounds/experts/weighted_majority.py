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
    conditions: ClassVar[tuple[str, ...]] = (
        "experts vote with the sign of their advice; an expert errs unless the sign is y",
    )
    citation: ClassVar[str] = WARMUTH
    tight: ClassVar[Tight] = Tight(0.86, "advice that splits the weight into halves, with labels opposite to the vote")

    beta: float = given("the factor of a weight for each error", above=0.0, below=1.0)

    @property
    def value(self) -> float:
        """(L ln(1/beta) + ln n) / ln(2 / (1 + beta))."""
        return (-math.log(self.beta) * self.L + math.log(self.n)) / -math.log1p((self.beta - 1.0) / 2.0)
