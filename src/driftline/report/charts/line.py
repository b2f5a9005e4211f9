"""The lines and axes of a chart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.report.charts.time_scale import time_text

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

    def above(self, least: float) -> Line:
        """Return the line with gaps where its values are not above ``least``."""
        return replace(self, y=np.where(self.y > least, self.y, np.nan))

    @property
    def unbounded(self) -> bool:
        """Whether a value is infinite or too large to be drawn."""
        return bool(np.any(np.abs(self.y) >= HIGHEST))

    def pieces(self) -> list[tuple[Floats, Floats]]:
        """Return the parts of the line between gaps."""
        known = np.flatnonzero(np.abs(self.y) < HIGHEST)
        cuts = np.flatnonzero(np.diff(known) > 1) + 1
        return [(self.x[part], self.y[part]) for part in np.split(known, cuts) if part.size]


@dataclass(frozen=True)
class Mark:
    """A vertical line at ``x`` with a number at its upper end, and a text as its tooltip."""

    x: float
    text: str


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
    log : bool, default=False
        Whether a y axis is logarithmic. Values <= 0 are then not drawn.
    time : bool, default=False
        Whether the values of an x axis are times, in seconds since 1970.
    span : (float, float) or None
        The ends of the axis. None: they follow from the values.
    """

    label: str
    unit: str = ""
    whole: bool = False
    decimals: int | None = 0
    log: bool = False
    time: bool = False
    span: tuple[float, float] | None = None

    def title(self, size: str = "") -> str:
        """Return the label with its unit in parentheses.

        ``size`` is a word such as "thousands".
        """
        unit = " ".join(part for part in (size, self.unit) if part)
        unit = ", ".join(part for part in (unit, "log scale" if self.log else "") if part)
        return f"{self.label} ({unit})" if unit else self.label

    def text(self, value: float) -> str:
        """Return a value as it is written in texts and tables."""
        if self.time:
            return time_text(value)
        return f"{value:,.4g}" if self.decimals is None else f"{value:,.{self.decimals}f}"
