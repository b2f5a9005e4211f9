"""Halving over a grid of linear classifiers: predict by the majority of those never wrong so far.

    candidates: w = step (m_1, ..., m_d),  m_j in {-M, ..., M}
    predict sgn(sum of sgn(w.x) over the candidates),  sgn(0) = +1
    keep the candidates with sgn(w.x) = y,  on every round

If y u.x >= gamma with |u| = W and |x| <= radius, some candidate near u is never wrong. Every
mistake removes at least half of the candidates, so there are at most lg((2 M + 1)^d) mistakes.
``grid="sqrt"`` has step = gamma / (sqrt(d) radius) and M = ceil(sqrt(d) radius W / gamma),
because rounding u to the grid costs at most gamma / 2. ``grid="lecture"`` is the finer grid of
the lecture: step = gamma / (2 d radius) and M = ceil(2 d radius W / gamma).

Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988);
Kakade's lecture notes on online learning.
Differs from the paper: the coarser grid has the same guarantee. The lecture counts
ceil(2 N) + 1 points on an axis; there are 2 ceil(N) + 1. gamma, radius and W must be known. d,
which counts the constant feature, must not change. If no candidate is left, the example is
infeasible: all candidates come back with the next example (``empty="reset"``; each such epoch
costs every candidate a mistake), or the example is refused ("raise"). The score is the margin of
the vote, from -1 to 1. A sample weight has no effect, except that an example of weight 0 is only
scored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from driftline.internals.compiled import Floats, Indices, jit
from driftline.internals.require import one_of, positive, require, whole
from driftline.rules.rule import Rule

Grid = Literal["sqrt", "lecture"]
Empty = Literal["reset", "raise"]
GRID = ("sqrt", "lecture")
EMPTY = ("reset", "raise")
MOST = 2**32 - 1
FINEST = 1e-9


@jit
def grid_dot(point: int, base: int, x: Floats) -> float:
    """Return sum_j m_j x_j, which has the sign of w.x, for one candidate.

    A candidate is stored as a whole number of d digits in base 2 M + 1; digit j is m_j + M.
    """
    digits = np.uint32(point)
    radix = np.uint32(base)
    M = np.uint32(base // 2)
    dot = 0.0
    for j in range(x.size):
        dot += (float(digits % radix) - float(M)) * x[j]
        digits = digits // radix
    return dot


@jit
def votes(points: Indices, left: int, base: int, x: Floats) -> int:
    """Return how many of the first ``left`` candidates predict +1."""
    count = 0
    for i in range(left):
        count += grid_dot(points[i], base, x) >= 0.0
    return count


@jit
def score(count: int, left: int) -> float:
    """Return the margin of the vote if ``count`` of ``left`` candidates predict +1; a tie is 0."""
    return (2.0 * count - left) / left


@jit
def survivors(count: int, left: int, y: float) -> int:
    """Return how many of ``left`` candidates predict y, if ``count`` of them predict +1."""
    return count if y > 0.0 else left - count


@jit
def update(points: Indices, left: int, base: int, x: Floats, y: float) -> int:
    """Keep the candidates that predict y, at the front and in order; return their number."""
    kept = 0
    for i in range(left):
        if (grid_dot(points[i], base, x) >= 0.0) == (y > 0.0):
            points[kept] = points[i]
            kept += 1
    return kept


@jit
def reset(points: Indices) -> int:
    """Bring all candidates back; return how many there are."""
    for i in range(points.size):
        points[i] = i
    return points.size


@dataclass(frozen=True)
class GridHalving(Rule):
    """For two or three dimensions and clean labels.

    Parameters
    ----------
    gamma
        The margin of the target, > 0.
    radius
        The length of the longest example, > 0.
    W
        The length of the target, > 0.
    grid
        ``"sqrt"``, or ``"lecture"`` for the finer grid of the lecture.
    features
        The number of features without the constant one; None takes it from the first example.
    empty
        What to do if no candidate is left: ``"reset"`` to all candidates, or ``"raise"``.
    most
        The largest number of candidates times dimensions. A larger grid is refused.
    """

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
    bounds: ClassVar[tuple[str, ...]] = ("gridhalving", "gridhalving-lecture")

    def check(self) -> None:
        """Positive sizes, gamma >= 1e-9 radius W, known words, features >= 1, 1 <= most < 2^32."""
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
        """Too large a grid, new features, and, with "raise", examples that leave no candidate."""
        return True

    def finest(self, d: int) -> float:
        """W / step, of which M is the ceiling."""
        return (math.sqrt(d) if self.grid == "sqrt" else 2.0 * d) * self.radius * self.W / self.gamma

    def step(self, d: int) -> float:
        """The distance between neighbours on an axis."""
        return self.W / self.finest(d)

    def base(self, d: int) -> int:
        """The number of points on an axis, 2 M + 1."""
        return 2 * math.ceil(self.finest(d)) + 1
