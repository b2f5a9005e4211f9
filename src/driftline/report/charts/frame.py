"""The frame of a chart: the mapping from data to SVG coordinates, the grid and the axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from driftline.report.charts.layout import Layout
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.ticks import Ticks, x_ticks, y_ticks
from driftline.report.safe_text import escaped

# tick labels of 5 characters fit left of the axis; each further one widens the margin
FITTING, DIGIT = 5, 9.0


@dataclass(frozen=True)
class Frame:
    """The mapping from data to SVG coordinates, and the ticks."""

    layout: Layout
    left: float
    x: Ticks
    y: Ticks

    @classmethod
    def around(cls, lines: Sequence[Line], x: Axis, y: Axis, layout: Layout) -> Frame:
        """Return the frame of these lines.

        The x axis runs from 0 to the end of the longest line, or from the first to the last time.
        The y axis runs between round numbers that cover all values and, if it is linear, 0.
        """
        ends = [end for line in lines if len(line.x) for end in (float(line.x[0]), float(line.x[-1]))]
        values = [part for line in lines for _, part in line.pieces()] or [np.array([1.0 if y.log else 0.0])]
        upright = y_ticks(y, min(float(some.min()) for some in values), max(float(some.max()) for some in values))
        left = layout.left + DIGIT * max(0, max(map(len, upright.texts)) - FITTING)
        level = x_ticks(x, min(ends, default=0.0), max(ends, default=0.0), layout.x_ticks)
        return cls(layout, left, level, upright)

    def px(self, x: float) -> float:
        """Return the horizontal SVG coordinate of x."""
        return self.left + (self.layout.right - self.left) * self.x.share(x)

    def py(self, y: float) -> float:
        """Return the vertical SVG coordinate of y."""
        return self.layout.bottom - (self.layout.bottom - self.layout.top) * self.y.share(y)

    def axes(self, x_axis: Axis, y_axis: Axis) -> list[str]:
        """Return the grid, ticks and titles of both axes, with an emphasised line at y = 0."""
        at = self.layout
        parts = [f'<text class="axis" x="0" y="14">{escaped(y_axis.title(self.y.unit))}</text>']
        for tick, text in zip(self.y.at, self.y.texts, strict=True):
            y = self.py(tick)
            style = "grid base" if tick == 0.0 else "grid"
            parts.append(f'<path class="{style}" d="M{self.left:g} {y:.1f}H{at.right:g}"/>')
            parts.append(
                f'<text class="tick" x="{self.left - 8:g}" y="{y:.1f}" dy=".35em" text-anchor="end">{text}</text>'
            )
        for tick, text in zip(self.x.at, self.x.texts, strict=True):
            x = self.px(tick)
            parts.append(f'<path class="base" d="M{x:.1f} {at.bottom:g}v5"/>')
            parts.append(f'<text class="tick" x="{x:.1f}" y="{at.bottom + 20:g}" text-anchor="middle">{text}</text>')
        middle = (self.left + at.right) / 2
        title = escaped(x_axis.title(self.x.unit))
        parts.append(f'<text class="axis" x="{middle:g}" y="{at.height - 8:g}" text-anchor="middle">{title}</text>')
        return parts
