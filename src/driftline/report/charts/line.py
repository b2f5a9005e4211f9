"""The lines and axes of a chart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.internals.compiled import Floats

HIGHEST = 1e300  # values of a larger magnitude are not drawn


@dataclass(frozen=True)
class Line:
    """A line of a chart.

    Parameters
    ----------
    name : str
        Name in the legend and the table.
    x : ndarray
        Increasing positions on the x axis.
    y : ndarray
        Values. The line has a gap where a value is NaN.
    number : int or None
        Number of the line, from 0, which gives its style. None: its position in the chart.
    """

    name: str
    x: Floats
    y: Floats
    number: int | None = None

    def pieces(self) -> list[tuple[Floats, Floats]]:
        """Return the parts of the line between gaps."""
        known = np.flatnonzero(np.abs(self.y) < HIGHEST)
        cuts = np.flatnonzero(np.diff(known) > 1) + 1
        return [(self.x[part], self.y[part]) for part in np.split(known, cuts) if part.size]


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Parameters
    ----------
    label : str
        The quantity.
    unit : str, default=""
        Its unit.
    whole : bool, default=False
        Whether ticks are whole numbers, as for counts.
    decimals : int or None, default=0
        Decimals of numbers in texts and tables. None: four significant digits.
    """

    label: str
    unit: str = ""
    whole: bool = False
    decimals: int | None = 0

    def title(self, size: str = "") -> str:
        """Return the label with its unit in parentheses.

        ``size`` is a word such as "thousands".
        """
        unit = " ".join(part for part in (size, self.unit) if part)
        return f"{self.label} ({unit})" if unit else self.label

    def text(self, value: float) -> str:
        """Return a value as it is written in texts and tables."""
        return f"{value:,.4g}" if self.decimals is None else f"{value:,.{self.decimals}f}"
