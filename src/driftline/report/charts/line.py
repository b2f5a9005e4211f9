"""What a chart is made of: lines, and what their numbers mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.internals.compiled import Floats

HIGHEST = 1e300  # what lies further from 0 is not drawn


@dataclass(frozen=True)
class Line:
    """A name, and y over x; x rises. Where y is NaN it is not known, and the line has a gap.

    ``number`` gives its number and style, from 0; without it that is its place in the chart.
    """

    name: str
    x: Floats
    y: Floats
    number: int | None = None

    def pieces(self) -> list[tuple[Floats, Floats]]:
        """The parts between gaps."""
        known = np.flatnonzero(np.abs(self.y) < HIGHEST)
        cuts = np.flatnonzero(np.diff(known) > 1) + 1
        return [(self.x[part], self.y[part]) for part in np.split(known, cuts) if part.size]


@dataclass(frozen=True)
class Axis:
    """What is measured and in which unit; ``whole`` for counts.

    ``decimals`` are those of its numbers in words and tables; None for numbers of any size: four digits that count.
    """

    label: str
    unit: str = ""
    whole: bool = False
    decimals: int | None = 0

    def title(self, size: str = "") -> str:
        """The label with its unit in brackets."""
        unit = " ".join(part for part in (size, self.unit) if part)
        return f"{self.label} ({unit})" if unit else self.label

    def text(self, value: float) -> str:
        """A number of this axis in words and tables."""
        return f"{value:,.4g}" if self.decimals is None else f"{value:,.{self.decimals}f}"
