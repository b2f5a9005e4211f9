"""AdaHedge: loss against the best expert, without a learning rate to choose."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.experts.expert_bound import LOSS, Rounds


@dataclass(frozen=True, kw_only=True)
class AdaHedgeLoss(Rounds):
    """Loss of AdaHedge, which needs no learning rate: two bounds hold, and the value is the
    smaller one.
    """

    name: ClassVar[str] = "adahedge"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS,)
    citation: ClassVar[str] = "De Rooij, Van Erven, Gruenwald, Koolen. Follow the leader if you can. JMLR 15 (2014)"
    tight: ClassVar[Tight] = Tight(0.58, "random advice: as a share of the regret, value - L")

    @property
    def value(self) -> float:
        """L + min(1 + sqrt(1 + T ln n), b + sqrt(b^2 + 4 L ln n)), b = 1 + 2 ln n."""
        ln = math.log(self.n)
        b = 1.0 + 2.0 * ln
        return self.L + min(1.0 + math.sqrt(1.0 + self.T * ln), b + math.sqrt(b * b + 4.0 * self.L * ln))
