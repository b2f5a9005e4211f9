"""Halving over a grid of linear classifiers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.consistent.separated import Separated

LECTURE = "Kakade, lecture on the mistake-bound model"
SEPARABLE = "some w of length W has y_t w.x_t >= gamma on every round"


@dataclass(frozen=True, kw_only=True)
class GridMistakes(Separated):
    """Mistakes of Halving over the grid of step gamma / (sqrt(d) R)."""

    name: ClassVar[str] = "gridhalving"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (SEPARABLE, "R, W and gamma are known in advance")
    citation: ClassVar[str] = LECTURE
    erratum: ClassVar[str] = "The grid is 2 sqrt(d) times coarser than the lecture's."
    tight: ClassVar[Tight] = Tight(
        0.98, "rows orthogonal to the mean of the remaining candidates, with labels opposite to the vote"
    )

    W: float = given("the length of w", 1.0, above=0.0)

    @property
    def value(self) -> float:
        """d log2(2 ceil(sqrt(d) R W / gamma) + 1)."""
        return self.d * math.log2(2.0 * math.ceil(math.sqrt(self.d) * self.R * self.W / self.gamma) + 1.0)


@dataclass(frozen=True, kw_only=True)
class GridLectureMistakes(GridMistakes):
    """Mistakes of Halving over the lecture's grid, of step gamma / (2 R d)."""

    name: ClassVar[str] = "gridhalving-lecture"
    erratum: ClassVar[str] = "An axis has 2 ceil(N) + 1 points, not ceil(2 N) + 1, N = 2 R W d / gamma."
    tight: ClassVar[Tight] = Tight(
        0.98, "rows orthogonal to the mean of the remaining candidates, with labels opposite to the vote"
    )

    @property
    def value(self) -> float:
        """d log2(2 ceil(2 R W d / gamma) + 1)."""
        return self.d * math.log2(2.0 * math.ceil(2.0 * self.R * self.W * self.d / self.gamma) + 1.0)
