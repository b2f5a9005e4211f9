"""Base of the theorems on experts with real outcomes: square loss on [-B, B]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import given
from driftline.bounds.experts.expert_bound import Experts

SQUARE = "the loss of a round is (p - y)^2; all predictions and outcomes are in [-B, B]"
ONCE = "sample weights are at most 1"


@dataclass(frozen=True, kw_only=True)
class OutcomeLoss(Experts):
    """The inputs of bounds on the square loss; ``largest`` is the largest eta B^2."""

    largest: ClassVar[float]

    B: float = given("the largest absolute prediction or outcome", 1.0, above=0.0)
    eta: float | None = given("the learning rate that was used; the default is the largest one", None, above=0.0)

    @property
    def rate(self) -> float:
        """The learning rate that was used."""
        return self.largest / self.B**2 if self.eta is None else self.eta

    def check(self) -> None:
        """The learning rate is small enough for B."""
        most = self.largest / self.B**2
        self.holds(self.rate <= most * (1.0 + 1e-12), f"eta <= {self.largest:g} / B^2 = {most:g}", self.rate)

    @property
    def ceiling(self) -> float | None:
        """4 B^2 for each round; None if the theorem does not use their number."""
        rounds = super().ceiling
        return None if rounds is None else 4.0 * self.B**2 * rounds

    @property
    def value(self) -> float:
        """L + ln n / eta."""
        return self.L + math.log(self.n) / self.rate
