"""The inputs of the theorems on Halving over linear classifiers."""

from __future__ import annotations

from dataclasses import dataclass

from driftline.bounds.bound import Bound, given


@dataclass(frozen=True, kw_only=True)
class Separated(Bound):
    """The inputs of Halving over linear classifiers."""

    d: int = given("dimensions", least=1, whole=True)
    gamma: float = given("the margin, in units of |x| W", above=0.0)
    R: float = given("the largest length of an example, max |x_t|_2", 1.0, above=0.0)

    def check(self) -> None:
        """gamma is at most R W."""
        longest = self.R * getattr(self, "W", 1.0)
        self.holds(self.gamma <= longest, "gamma <= R W", self.gamma)
