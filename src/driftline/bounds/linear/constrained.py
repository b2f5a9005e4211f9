"""The common part of the theorems of Shen and Dietterich on L2PA, L1PA and ShrunkPA."""

from __future__ import annotations

from dataclasses import dataclass

from driftline.bounds.bound import ROUNDING, Bound, given

CITATION = (
    "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments (2009)"
)
START = (
    "w = 0 at the start",
    "y_t u_t.x_t >= 1 on every round that updates",
    "beta |x_t| >= 1: every step is feasible",
)
STILL = "The theorems omit that u may move only on rounds with an update; without it they are false."


@dataclass(frozen=True, kw_only=True)
class ConstrainedTarget(Bound):
    """The inputs of the theorems on L2PA and L1PA."""

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the largest length of a comparator, in the norm of the constraint", above=0.0)
    beta: float = given("the radius of the ball of w", above=0.0)

    def check(self) -> None:
        """The comparators are in the ball, and long enough for margin 1."""
        self.holds(self.R * self.D >= 1.0 - ROUNDING, "R D >= 1", self.R * self.D)
        self.holds(self.beta >= self.D, "D <= beta", self.D)
