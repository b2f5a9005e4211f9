"""Variable share: loss against every sequence of experts with k shifts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.experts.expert_bound import LOSS, SHARE, SHARES, Shifting, halved


@dataclass(frozen=True, kw_only=True)
class VariableShareLoss(Shifting):
    """Loss of variable share against every partition with k shifts, for any T; ``vote`` bounds the
    mistakes of its sign.
    """

    name: ClassVar[str] = "variableshare"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, SHARE, "experts' losses are 0 or 1")
    citation: ClassVar[str] = SHARES
    tight: ClassVar[Tight] = Tight(0.72, "advice that splits the experts without errors")

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
