"""The Forgetron, a kernel Perceptron with a budget: mistakes against comparators of bounded norm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

LEAST = 83
"""The smallest B with 1 / (B + 1) + 2 / sqrt(B + 1) + 1 / (2 sqrt(ln(B + 1))) <= 15/32, as the
proof needs.
"""


@dataclass(frozen=True, kw_only=True)
class ForgetronMistakes(Bound):
    """Mistakes of the self-tuned Forgetron with a budget of B support vectors."""

    name: ClassVar[str] = "forgetron"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("B >= 83", "k(x, x) <= 1", "|g| <= sqrt((B + 1) / ln(B + 1)) / 4")
    citation: ClassVar[str] = "Dekel, Shalev-Shwartz, Singer. The Forgetron. SIAM J. Comput. 37 (2008)"
    tight: ClassVar[Tight] = Tight(0.5, "orthonormal rows, with no support vector removed")

    B: int = given("the budget", least=LEAST, whole=True)
    length: float = given("the comparator's norm |g|", least=0.0)
    hinge: float = given("sum of max(0, 1 - y g(x)) over all rounds", least=0.0)

    def check(self) -> None:
        """The hinge loss is at least that of one round, and the norm is small enough for the budget."""
        self.reaches(self.length, 1.0, self.hinge, "hinge >= 1 - |g|")
        most = math.sqrt((self.B + 1.0) / math.log(self.B + 1.0)) / 4.0
        self.holds(self.length <= most, f"|g| <= sqrt((B + 1) / ln(B + 1)) / 4 = {most:g}", self.length)

    @property
    def value(self) -> float:
        """2 |g|^2 + 4 hinge."""
        return 2.0 * self.length**2 + 4.0 * self.hinge
