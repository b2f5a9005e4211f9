"""A line chart as SVG, and its numbers as a table.

Every line has a number and a name at its right end. A narrow page enlarges the chart and cuts off
the names, which start at x = `NAMES`. The numbers stay visible, and the legend has the names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from driftline.internals.compiled import Floats
from driftline.report.charts.frame import BOTTOM, HEIGHT, RIGHT, TOP, WIDTH, Frame
from driftline.report.charts.label_spread import spread
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.palette import style_of
from driftline.report.charts.scale import ticks
from driftline.report.html_table import MISSING, Row, table
from driftline.report.safe_text import brief, clipped, escaped, named, shown

NAMES = 496.0
PITCH = 17.0
LONGEST = 21
POINTS = 400
REFERENCE_NAME = 120.0
NEAR = 0.97  # a line that ends before this share of the width is connected to its name by dots


@dataclass(frozen=True)
class Chart:
    """A line chart.

    Parameters
    ----------
    title : str
        Title.
    x, y : Axis
        The axes.
    lines : sequence of Line
        The lines.
    marks : sequence of float
        Positions on the x axis of vertical lines.
    reference : Line or None
        A line without a number.
    what : str, default="learner"
        What each line stands for, in one word. It heads the table.
    ceiling : float, default=inf
        Values above it are drawn at the top edge.
    """

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    marks: Sequence[float] = ()
    reference: Line | None = None
    what: str = "learner"
    ceiling: float = math.inf

    def numbered(self) -> list[tuple[int, Line]]:
        """Return each line with its number."""
        return [(k if line.number is None else line.number, line) for k, line in enumerate(self.lines)]

    def svg(self, identity: str) -> str:
        """Return the chart as SVG. Its element ids start with ``identity``."""
        drawn = [(number, line) for number, line in self.numbered() if line.pieces()]
        everything = [*self.lines, *([self.reference] if self.reference else [])]
        frame = Frame.around(everything, self.x, self.y, self.ceiling)
        parts = [
            f'<svg class="chart" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
            f'aria-labelledby="{identity}-title {identity}-desc">',
            f'<title id="{identity}-title">{escaped(self.title)}</title>',
            f'<desc id="{identity}-desc">{escaped(self._description([line for _, line in drawn]))}</desc>',
            *frame.axes(self.x, self.y),
            *(f'<path class="mark" d="M{frame.px(at):.1f} {TOP:g}V{BOTTOM:g}"/>' for at in self.marks),
            *([f'<path class="reference" d="{_path(self.reference, frame)}"/>'] if self.reference else []),
            *(_curve(number, line, frame) for number, line in drawn),
            *([_below(self.reference, frame)] if self.reference else []),
            *_labels(drawn, frame),
            "</svg>",
        ]
        return "\n".join(parts)

    def twin(self) -> str:
        """Return the values at the ticks of the x axis and at the end, as an HTML table."""
        ends = [float(line.x[-1]) for line in self.lines if len(line.x)]
        high = max(ends, default=0.0)
        at = [t for t in ticks(0.0, high, 8, self.x.whole) if 0.0 < t < high] + [high] if high > 0.0 else []
        rows = [Row([named(line.name), *self._values(line, at)], style_of(k)) for k, line in self.numbered()]
        places = [f"{a:,.0f}" if self.x.whole else f"{a:,g}" for a in at]
        return table(f"{self.title}: {self.y.title()} by {self.x.title()}", [self.what, *places], rows)

    def _values(self, line: Line, at: Sequence[float]) -> list[str]:
        """Return the values of the line as text, with a dash where there is no value."""
        if not len(line.x):
            return [MISSING] * len(at)
        values = np.interp(at, line.x, line.y, left=math.nan).tolist()
        return [self.y.text(value) if math.isfinite(value) else MISSING for value in values]

    def _description(self, drawn: Sequence[Line]) -> str:
        """Return the text alternative for screen readers."""
        about = f"{self.y.title()} over {self.x.title()}, {len(drawn)} line{'s' if len(drawn) != 1 else ''}."
        if not drawn:
            return about
        ends = sorted((_end(line)[1], brief(line.name)) for line in drawn)
        (low, lowest), (high, highest) = ends[0], ends[-1]
        return f"{about} Lowest at the end: {lowest}, {self.y.text(low)}. Highest: {highest}, {self.y.text(high)}."


def _end(line: Line) -> tuple[float, float]:
    """Return the last point that has a value."""
    x, y = line.pieces()[-1]
    return float(x[-1]), float(y[-1])


def _curve(number: int, line: Line, frame: Frame) -> str:
    """Return one line with its name as a tooltip. Gaps are dotted; a single point is a dot."""
    style, name = style_of(number), f"<title>{escaped(line.name)}</title>"
    pieces = line.pieces()
    if len(pieces) == 1 and len(pieces[0][0]) == 1:
        x, y = _end(line)
        return f'<circle class="line dot {style}" cx="{frame.px(x):.1f}" cy="{frame.py(y):.1f}" r="3">{name}</circle>'
    bridges = "".join(
        _piece(np.array([x[-1], after[0]]), np.array([y[-1], values[0]]), frame)
        for (x, y), (after, values) in pairwise(pieces)
    )
    path = _path(line, frame)
    return (f'<path class="line bridge {style}" d="{bridges}">{name}</path>' if bridges else "") + (
        f'<path class="line {style}" d="{path}">{name}</path>' if path else ""
    )


def _path(line: Line, frame: Frame) -> str:
    """Return the SVG path of all pieces with more than one point."""
    return "".join(_piece(x, y, frame) for x, y in line.pieces() if len(x) > 1)


def _piece(x: Floats, y: Floats, frame: Frame) -> str:
    """Return the SVG path of a piece, thinned evenly to at most ``POINTS`` points."""
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), POINTS)).round().astype(np.intp))
    points = zip(x[chosen].tolist(), y[chosen].tolist(), strict=True)
    return "M" + "L".join(f"{frame.px(at):.1f} {frame.py(value):.1f}" for at, value in points)


def _below(line: Line, frame: Frame) -> str:
    """Return the name of the reference line, below its right end."""
    start = frame.width * (1.0 - REFERENCE_NAME / (RIGHT - frame.left))
    lowest = max(frame.py(float(np.interp(x, line.x, line.y))) for x in (start, frame.width))
    y = min(lowest + 16.0, BOTTOM - 5.0)
    return f'<text class="tick halo" x="{RIGHT - 6:g}" y="{y:.1f}" text-anchor="end">{escaped(line.name)}</text>'


def _labels(drawn: Sequence[tuple[int, Line]], frame: Frame) -> list[str]:
    """Return number, name and leader at the right end of each line; nothing if they do not fit."""
    top, bottom = TOP - 14.0, BOTTOM + 14.0
    if not drawn or (len(drawn) - 1) * PITCH > bottom - top:
        return []
    ends = [_end(line) for _, line in drawn]
    heights = [frame.py(y) for _, y in ends]
    parts = []
    for (number, line), (x, _), height, place in zip(
        drawn, ends, heights, spread(heights, PITCH, top, bottom), strict=True
    ):
        style, name = style_of(number), escaped(clipped(shown(line.name), LONGEST))
        leader = "leader" if x >= NEAR * frame.width else "leader far"
        parts.append(
            f'<g class="line label {style}">'
            f'<path class="{leader}" d="M{frame.px(x) + 1:.1f} {height:.1f}L{RIGHT + 9:g} {place:.1f}h5"/>'
            f'<text class="key" x="{NAMES - 4:g}" y="{place:.1f}" dy=".35em" text-anchor="end">'
            f"{number + 1}</text>"
            f'<text class="name" x="{NAMES:g}" y="{place:.1f}" dy=".35em">{name}</text></g>'
        )
    return parts
