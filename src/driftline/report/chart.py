"""A line chart as SVG, and the same numbers as a table.

Every line has a number and a name at its right end. On a narrow screen the page shows the picture larger and
cuts off the names, which begin at `NAMES`; the numbers remain, and the legend has the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from driftline.compiled import Floats
from driftline.report.palette import style_of
from driftline.report.scale import covering, thousands, ticks, written
from driftline.report.spread import spread
from driftline.report.table import MISSING, Row, table

WIDTH, HEIGHT = 640.0, 388.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 452.0, 34.0, 340.0
NAMES = 496.0
PITCH = 17.0
LONGEST = 21
POINTS = 400
REFERENCE_NAME = 120.0

FLAT = 1e-300  # lines that rise by less are drawn as level


@dataclass(frozen=True)
class Line:
    """A name, and y over x; x rises."""

    name: str
    x: Floats
    y: Floats


@dataclass(frozen=True)
class Axis:
    """What is measured and in which unit; ``whole`` for counts, ``decimals`` for its numbers in the table."""

    label: str
    unit: str = ""
    whole: bool = False
    decimals: int = 0

    def title(self, thousand: str) -> str:
        """The label with its unit in brackets."""
        unit = " ".join(part for part in (thousand, self.unit) if part)
        return f"{self.label} ({unit})" if unit else self.label


@dataclass(frozen=True)
class Chart:
    """Lines over common axes. ``marks`` are upright lines at some x, ``reference`` a line without number."""

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    marks: Sequence[float] = ()
    reference: Line | None = None

    def svg(self, identity: str) -> str:
        """Return the picture; ``identity`` is the start of its ids on the page."""
        shown = [(index, line) for index, line in enumerate(self.lines) if len(line.x)]
        frame = _Frame.around([line for _, line in shown] + ([self.reference] if self.reference else []), self)
        parts = [
            f'<svg class="chart" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
            f'aria-labelledby="{identity}-title {identity}-desc">',
            f'<title id="{identity}-title">{escape(self.title)}</title>',
            f'<desc id="{identity}-desc">{escape(self._description(shown))}</desc>',
            *frame.axes(self),
            *(f'<path class="mark" d="M{frame.px(at):.1f} {TOP:g}V{BOTTOM:g}"/>' for at in self.marks),
            *([f'<path class="reference" d="{_path(self.reference, frame)}"/>'] if self.reference else []),
            *(_curve(index, line, frame) for index, line in shown),
            *([_below(self.reference, frame)] if self.reference else []),
            *_labels(shown, frame),
            "</svg>",
        ]
        return "\n".join(parts)

    def twin(self) -> str:
        """Return the numbers behind the picture, at the ticks of its x axis and at the end."""
        ends = [float(line.x[-1]) for line in self.lines if len(line.x)]
        high = max(ends, default=0.0)
        at = [t for t in ticks(0.0, high, 8, self.x.whole) if 0.0 < t < high] + [high] if high > 0.0 else []
        rows = [Row([escape(line.name), *self._values(line, at)], style_of(k)) for k, line in enumerate(self.lines)]
        places = [f"{a:,.0f}" if self.x.whole else f"{a:,g}" for a in at]
        return table(f"{self.title}: {self.y.title('')} by {self.x.title('')}", ["learner", *places], rows)

    def _values(self, line: Line, at: Sequence[float]) -> list[str]:
        """The line's values as text; a dash where it has not begun."""
        return [
            f"{np.interp(a, line.x, line.y):,.{self.y.decimals}f}" if len(line.x) and a >= line.x[0] else MISSING
            for a in at
        ]

    def _description(self, shown: Sequence[tuple[int, Line]]) -> str:
        """What the picture shows, for those who do not see it."""
        about = f"{self.y.title('')} over {self.x.title('')}, {len(shown)} line{'s' if len(shown) != 1 else ''}."
        if not shown:
            return about
        ends = sorted((float(line.y[-1]), line.name) for _, line in shown)
        (low, lowest), (high, highest) = ends[0], ends[-1]
        d = self.y.decimals
        return f"{about} Lowest at the end: {lowest}, {low:,.{d}f}. Highest: {highest}, {high:,.{d}f}."


@dataclass(frozen=True)
class _Frame:
    """Where numbers lie in the picture."""

    width: float
    low: float
    high: float
    y_ticks: tuple[float, ...]
    x_ticks: tuple[float, ...]

    @classmethod
    def around(cls, lines: Sequence[Line], chart: Chart) -> _Frame:
        """The frame from 0 to the end of all lines, in height from round number to round number."""
        width = max((float(line.x[-1]) for line in lines if len(line.x)), default=0.0) or 1.0
        values = np.concatenate([[0.0], *(line.y for line in lines)])
        low, high = float(values.min()), float(values.max())
        y_ticks = covering(low, high if high - low > FLAT else low + 1.0, 6, chart.y.whole)
        x_ticks = ticks(0.0, width, 5, chart.x.whole)
        return cls(width, y_ticks[0], y_ticks[-1], tuple(y_ticks), tuple(x_ticks))

    def px(self, x: float) -> float:
        """From left to right."""
        return LEFT + (RIGHT - LEFT) * x / self.width

    def py(self, y: float) -> float:
        """From top to bottom."""
        return BOTTOM - (BOTTOM - TOP) * (y - self.low) / (self.high - self.low)

    def axes(self, chart: Chart) -> list[str]:
        """Grid, ticks and titles of both axes."""
        x_unit, x_name = thousands(self.width)
        y_unit, y_name = thousands(self.high)
        parts = [f'<text class="axis" x="0" y="14">{escape(chart.y.title(y_name))}</text>']
        for tick, text in zip(self.y_ticks, written([t / y_unit for t in self.y_ticks]), strict=True):
            y = self.py(tick)
            parts.append(f'<path class="grid" d="M{LEFT:g} {y:.1f}H{RIGHT:g}"/>')
            parts.append(f'<text class="tick" x="{LEFT - 8:g}" y="{y:.1f}" dy=".35em" text-anchor="end">{text}</text>')
        for tick, text in zip(self.x_ticks, written([t / x_unit for t in self.x_ticks]), strict=True):
            x = self.px(tick)
            parts.append(f'<path class="base" d="M{x:.1f} {BOTTOM:g}v5"/>')
            parts.append(f'<text class="tick" x="{x:.1f}" y="{BOTTOM + 20:g}" text-anchor="middle">{text}</text>')
        parts.append(f'<path class="base" d="M{LEFT:g} {BOTTOM:g}H{RIGHT:g}"/>')
        middle = (LEFT + RIGHT) / 2
        title = escape(chart.x.title(x_name))
        parts.append(f'<text class="axis" x="{middle:g}" y="{HEIGHT - 8:g}" text-anchor="middle">{title}</text>')
        return parts


def _curve(index: int, line: Line, frame: _Frame) -> str:
    """One line, with its name for whoever points at it."""
    path = _path(line, frame)
    return f'<path class="line {style_of(index)}" d="{path}"><title>{escape(line.name)}</title></path>'


def _path(line: Line, frame: _Frame) -> str:
    """At most a few hundred points, evenly chosen, the last one always among them."""
    chosen = np.unique(np.linspace(0, len(line.x) - 1, min(len(line.x), POINTS)).round().astype(np.intp))
    points = zip(line.x[chosen].tolist(), line.y[chosen].tolist(), strict=True)
    return "M" + "L".join(f"{frame.px(x):.1f} {frame.py(y):.1f}" for x, y in points)


def _below(line: Line, frame: _Frame) -> str:
    """The name of the reference, below its right end."""
    start = frame.width * (1.0 - REFERENCE_NAME / (RIGHT - LEFT))
    lowest = max(frame.py(float(np.interp(x, line.x, line.y))) for x in (start, frame.width))
    y = min(lowest + 16.0, BOTTOM - 5.0)
    return f'<text class="tick halo" x="{RIGHT - 6:g}" y="{y:.1f}" text-anchor="end">{escape(line.name)}</text>'


def _labels(shown: Sequence[tuple[int, Line]], frame: _Frame) -> list[str]:
    """Number and name at the right end of each line, tied to it by a thin one; none without room for all."""
    top, bottom = TOP - 14.0, BOTTOM + 14.0
    if not shown or (len(shown) - 1) * PITCH > bottom - top:
        return []
    ends = [frame.py(float(line.y[-1])) for _, line in shown]
    parts = []
    for (index, line), end, place in zip(shown, ends, spread(ends, PITCH, top, bottom), strict=True):
        start = frame.px(float(line.x[-1]))
        name = line.name if len(line.name) <= LONGEST else line.name[: LONGEST - 1] + "…"
        parts.append(
            f'<g class="line label {style_of(index)}">'
            f'<path class="leader" d="M{start + 1:.1f} {end:.1f}L{RIGHT + 9:g} {place:.1f}h5"/>'
            f'<text class="key" x="{NAMES - 4:g}" y="{place:.1f}" dy=".35em" text-anchor="end">'
            f"{index + 1}</text>"
            f'<text class="name" x="{NAMES:g}" y="{place:.1f}" dy=".35em">{escape(name)}</text></g>'
        )
    return parts
