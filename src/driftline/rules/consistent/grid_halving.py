"""Halving over a grid of linear classifiers: predict with the majority of those that were never wrong.

    candidates: step m,  m in {-M, ..., M}^d;    predict the majority of sgn(w.x), a tie is +1;    drop the wrong ones

If y u.x >= gamma with |u| = W and |x| <= radius, some candidate near u is never wrong, and every mistake drops at least
half of them: at most lg((2 M + 1)^d) mistakes. ``grid="sqrt"``: step gamma / (sqrt(d) radius) and
M = ceil(sqrt(d) radius W / gamma), as rounding u to the grid costs no more than gamma / 2. ``grid="lecture"``: step
gamma / (2 d radius) and M = ceil(2 d radius W / gamma), the finer grid of the lecture.

Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988); Kakade's lecture notes on
online learning.
Differs from the papers: the coarser grid, with the same guarantee; the lecture counts ceil(2 N) + 1 points an axis
where there are 2 ceil(N) + 1. gamma, radius and W must be known. d, in which the constant feature counts, must stay.
Where no candidate is left, all come back with the next example (``empty="reset"``; each such epoch costs every
candidate a mistake), or the example is refused ("raise"). Such examples are counted as infeasible. The score is the
margin of the vote, from -1 to 1. Sample weights have no effect, but 0 only tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.require import one_of, positive, require, whole
from driftline.rules.rule import Rule

Grid = Literal["sqrt", "lecture"]
Empty = Literal["reset", "raise"]
GRID = ("sqrt", "lecture")
EMPTY = ("reset", "raise")
MOST = 2**32 - 1
FINEST = 1e-9


@dataclass(frozen=True)
class GridHalving(Rule):
    """For two or three dimensions: it refuses where points times dimensions exceed ``most``."""

    gamma: float = 0.5
    radius: float = 1.0
    W: float = 1.0
    grid: Grid = "sqrt"
    features: int | None = None
    empty: Empty = "reset"
    most: int = 20_000_000
    engine: ClassVar[str] = "consistent.grid_halving:GridHalvingEngine"
    paper: ClassVar[str] = "Littlestone 1988"
    voting: ClassVar[bool] = True
    single: ClassVar[bool] = False

    def check(self) -> None:
        """gamma, radius and W > 0, gamma not beyond floats, known words, features >= 1, most from 1 to 2^32 - 1."""
        positive("GridHalving", "gamma", self.gamma)
        positive("GridHalving", "radius", self.radius)
        positive("GridHalving", "W", self.W)
        fine = float(self.gamma) >= FINEST * float(self.radius) * float(self.W)
        require(fine, "GridHalving", f"gamma must be >= {FINEST:g} radius W", self.gamma)
        one_of("GridHalving", "grid", self.grid, GRID)
        if self.features is not None:
            whole("GridHalving", "features", self.features, 1)
        one_of("GridHalving", "empty", self.empty, EMPTY)
        whole("GridHalving", "most", self.most, 1, MOST)

    @property
    def refuses(self) -> bool:
        """Too large a grid, features that it has none for, and, with "raise", examples that leave no candidate."""
        return True

    def finest(self, d: int) -> float:
        """Steps between 0 and W on an axis, before rounding up."""
        return (math.sqrt(d) if self.grid == "sqrt" else 2.0 * d) * self.radius * self.W / self.gamma

    def step(self, d: int) -> float:
        """The distance between neighbours on an axis."""
        return self.W / self.finest(d)
