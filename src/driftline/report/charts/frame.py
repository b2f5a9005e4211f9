"""The frame of a chart: the mapping from data to SVG coordinates, the grid and the axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from driftline.report.charts.line import Axis, Line
from driftline.report.charts.scale import covering, magnitude, ticks, written
from driftline.report.safe_text import escaped

WIDTH, HEIGHT = 640.0, 388.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 452.0, 34.0, 340.0
# tick labels of 5 characters fit left of the axis; each further one widens the margin
FITTING, DIGIT = 5, 9.0
FLAT = 1e-300  # a smaller range of values is drawn as a flat line


@dataclass(frozen=True)
class Frame:
    """The mapping from data to SVG coordinates, and the ticks."""

    left: float
    width: float
    y_ticks: tuple[float, ...]
    y_texts: tuple[str, ...]
    y_unit: str
    x_ticks: tuple[float, ...]

    @classmethod
    def around(cls, lines: Sequence[Line], x: Axis, y: Axis, ceiling: float) -> Frame:
        """Return the frame of these lines.

        x runs from 0 to the end of the longest line. y runs between round numbers that cover 0 and
        all values up to ``ceiling``.
        """
        width = max((float(line.x[-1]) for line in lines if len(line.x)), default=0.0) or 1.0
        values = np.concatenate([[0.0], *(part for line in lines for _, part in line.pieces())])
        low, high = float(values.min()), min(float(values.max()), ceiling)
        y_ticks = covering(low, high if high - low > FLAT else low + 1.0, 6, y.whole)
        unit, name = magnitude(max(-y_ticks[0], y_ticks[-1]))
        texts = written([t / unit for t in y_ticks])
        left = LEFT + DIGIT * max(0, max(map(len, texts)) - FITTING)
        return cls(left, width, tuple(y_ticks), tuple(texts), name, tuple(ticks(0.0, width, 5, x.whole)))

    def px(self, x: float) -> float:
        """Return the horizontal SVG coordinate of x."""
        return self.left + (RIGHT - self.left) * x / self.width

    def py(self, y: float) -> float:
        """Return the vertical SVG coordinate of y. Values above the frame are drawn at its top."""
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return BOTTOM - (BOTTOM - TOP) * (min(y, high) - low) / (high - low)

    def axes(self, x_axis: Axis, y_axis: Axis) -> list[str]:
        """Return the grid, ticks and titles of both axes, with an emphasised line at y = 0."""
        parts = [f'<text class="axis" x="0" y="14">{escaped(y_axis.title(self.y_unit))}</text>']
        for tick, text in zip(self.y_ticks, self.y_texts, strict=True):
            y = self.py(tick)
            style = "grid base" if tick == 0.0 else "grid"
            parts.append(f'<path class="{style}" d="M{self.left:g} {y:.1f}H{RIGHT:g}"/>')
            parts.append(
                f'<text class="tick" x="{self.left - 8:g}" y="{y:.1f}" dy=".35em" text-anchor="end">{text}</text>'
            )
        unit, name = magnitude(self.width)
        for tick, text in zip(self.x_ticks, written([t / unit for t in self.x_ticks]), strict=True):
            x = self.px(tick)
            parts.append(f'<path class="base" d="M{x:.1f} {BOTTOM:g}v5"/>')
            parts.append(f'<text class="tick" x="{x:.1f}" y="{BOTTOM + 20:g}" text-anchor="middle">{text}</text>')
        middle = (self.left + RIGHT) / 2
        title = escaped(x_axis.title(name))
        parts.append(f'<text class="axis" x="{middle:g}" y="{HEIGHT - 8:g}" text-anchor="middle">{title}</text>')
        return parts
