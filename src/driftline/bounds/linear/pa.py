"""PA: the mistake bound for separable examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import ROUNDING, Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class PAMistakes(Bound):
    """Mistakes of PA, updating on mistakes or below margin 1, are at most R^2 D^2 for a fixed u."""

    name: ClassVar[str] = "pa"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 at the start",
        "y_t u.x_t >= 1 on every round that updates",
        "|u|_2 <= D",
    )
    citation: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7 (2006), Theorem 2"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the comparator's length", above=0.0)

    def check(self) -> None:
        """The comparator is long enough for margin 1."""
        self.holds(self.R * self.D >= 1.0 - ROUNDING, "R D >= 1", self.R * self.D)

    @property
    def value(self) -> float:
        """R^2 D^2."""
        return (self.R * self.D) ** 2
