"""GradientDescent: the loss against the best fixed vector of the ball."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class GradientDescentLoss(Bound):
    """Absolute loss, or loss beyond epsilon, of gradient descent in a ball with steps eta / sqrt(t).

    It is at most L + 2 B^2 sqrt(T) / eta + eta R^2 (sqrt(T) - 1/2), where T is the number of updates:
    a round without an update has loss 0.
    """

    name: ClassVar[str] = "gradient-descent"
    limits: ClassVar[str] = "loss"
    conditions: ClassVar[tuple[str, ...]] = (
        'loss="absolute" or loss="epsilon"',
        "w = 0 at the start",
        "sample weights are 1",
        "u is in the ball of radius B",
    )
    citation: ClassVar[str] = "Zinkevich. ICML 2003, Theorem 1, with diameter 2 B and gradients of length <= R"
    tight: ClassVar[Tight] = Tight(0.5, "a single round: as a share of the regret, value - L")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    B: float = given("the radius of the ball", above=0.0)
    eta: float = given("the parameter eta", above=0.0)
    T: int = given("the number of updates", least=1, whole=True)
    L: float = given("the loss of u in the rounds with an update", least=0.0)

    @property
    def ceiling(self) -> None:
        """None: nothing limits the loss of a round."""
        return None

    @property
    def value(self) -> float:
        """L + 2 B^2 sqrt(T) / eta + eta R^2 (sqrt(T) - 1/2)."""
        root = math.sqrt(self.T)
        return self.L + 2.0 * self.B**2 * root / self.eta + self.eta * self.R**2 * (root - 0.5)
