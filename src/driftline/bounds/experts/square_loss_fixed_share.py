"""Fixed share with square loss: loss against every sequence of experts with k shifts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.experts.expert_bound import SHARE, SHARES
from driftline.bounds.experts.outcome_bound import ONCE, SQUARE, OutcomeLoss


@dataclass(frozen=True, kw_only=True)
class SquareLossFixedShareLoss(OutcomeLoss):
    """Square loss of fixed share against every partition with k shifts; L is its loss."""

    name: ClassVar[str] = "squarelossfixedshare"
    limits: ClassVar[str] = "square loss"
    conditions: ClassVar[tuple[str, ...]] = (SQUARE, ONCE, SHARE, "eta <= 1 / (2 B^2)")
    citation: ClassVar[str] = SHARES
    tight: ClassVar[Tight] = Tight(0.68, "two experts that are right in turn: as a share of the regret, value - L")
    largest: ClassVar[float] = 0.5

    k: int = given("shifts from one expert to another", least=0, whole=True)
    alpha: float = given("the share of its weight that an expert gives to the others", above=0.0, below=1.0)
    T: int = given("rounds", least=2, whole=True)

    def check(self) -> None:
        """Also, there are two experts or more, alpha is at most the share of the others, and k < T."""
        super().check()
        self.holds(self.n >= 2, "n >= 2", self.n)
        self.holds(self.alpha <= (self.n - 1) / self.n, "alpha <= (n - 1) / n", self.alpha)
        self.holds(self.k <= self.T - 1, "k <= T - 1", self.k)

    @property
    def value(self) -> float:
        """L + (ln n + k ln((n - 1) / alpha) + (T - 1 - k) ln(1 / (1 - alpha))) / eta."""
        shifted = self.k * math.log((self.n - 1) / self.alpha) if self.k else 0.0
        stayed = -(self.T - 1 - self.k) * math.log1p(-self.alpha)
        return self.L + (math.log(self.n) + shifted + stayed) / self.rate

    def tuning(self) -> dict[str, float]:
        """alpha = k / (T - 1)."""
        return {"alpha": min(max(self.k, 1) / (self.T - 1), (self.n - 1) / self.n), "eta": self.rate, "B": self.B}
