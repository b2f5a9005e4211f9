"""Fixed share: loss and mistakes against every sequence of experts with k shifts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.experts.expert_bound import LOSS, SHARE, SHARES, Shifting, halved


@dataclass(frozen=True, kw_only=True)
class FixedShareLoss(Shifting):
    """Loss of fixed share against every partition with k shifts; ``vote`` bounds the mistakes of
    its sign.
    """

    name: ClassVar[str] = "fixedshare"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (LOSS, SHARE)
    citation: ClassVar[str] = SHARES
    erratum: ClassVar[str] = "The printed bound omits ln n for the first expert, and + k; for k = 0 its cost is 0."
    tight: ClassVar[Tight] = Tight(0.72, "advice that splits the experts without errors")

    T: int = given("rounds", least=2, whole=True)

    def check(self) -> None:
        """There are at most T - 1 shifts, and a round costs a comparator at most 1."""
        super().check()
        self.holds(self.k <= self.T - 1, "k <= T - 1", self.k)
        self.holds(self.L <= self.T, "L <= T", self.L)

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
    """Mistakes of fixed share, answering with the side of greater weight, against every partition."""

    name: ClassVar[str] = "fixedshare-vote"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("advice is -1 or +1", SHARE)
    tight: ClassVar[Tight] = Tight(0.85, "advice that splits the experts without errors")

    @property
    def value(self) -> float:
        """(eta L + cost) / ln(2 / (1 + e^-eta)), cost as for its loss."""
        return self.vote
