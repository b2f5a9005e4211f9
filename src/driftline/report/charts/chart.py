"""A line chart as SVG, and its numbers as a table.

Every line has a number and a name at its right end. The chart is drawn twice, for wide and for
narrow pages, and the style sheet shows one of the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from driftline.internals.compiled import Floats
from driftline.report.charts.frame import Frame
from driftline.report.charts.label_spread import spread
from driftline.report.charts.layout import NARROW, WIDE, Layout
from driftline.report.charts.line import Axis, Line, Mark
from driftline.report.charts.palette import style_of
from driftline.report.charts.thinning import thinned
from driftline.report.charts.ticks import x_ticks
from driftline.report.html_table import MISSING, Row, table
from driftline.report.safe_text import brief, clipped, escaped, isolated, named, shown

LEARNER = "learner"
REFERENCE_NAME = 120.0
NEAR = 0.97  # a line that ends before this share of the width is connected to its name by dots
BADGE = 15.0  # least distance between the numbers of two alarms


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
        Positions on the x axis of dotted vertical lines.
    reference : Line or None
        A line without a number.
    what : str, default="learner"
        What each line stands for, in one word. It heads the table.
    alarms : sequence of Mark
        Numbered vertical lines.
    """

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    marks: Sequence[float] = ()
    reference: Line | None = None
    what: str = LEARNER
    alarms: Sequence[Mark] = ()

    def numbered(self) -> list[tuple[int, Line]]:
        """Return each line with its number."""
        return [(k if line.number is None else line.number, line) for k, line in enumerate(self.lines)]

    def cuts_names(self, layout: Layout) -> bool:
        """Return whether a name is too long for this layout."""
        return any(clipped(name, layout.longest) != name for name in (shown(line.name) for line in self.lines))

    @property
    def note(self) -> str:
        """What the chart leaves out, in sentences; empty if it shows all values."""
        infinite = [line.name for line in self.lines if line.unbounded]
        zero = [line.name for line in self.lines if self.y.log and bool(np.any(line.y[1:] <= 0.0))]
        parts = [_left_out("Infinite values are", infinite), _left_out("Zeros on the log scale are", zero)]
        return " ".join(part for part in parts if part)

    def svg(self, identity: str) -> str:
        """Return the chart for wide pages as SVG. Its element ids start with ``identity``."""
        drawn = [line for _, line in self._drawn()]
        head = (
            f'<svg class="{WIDE.style}" viewBox="0 0 {WIDE.width:g} {WIDE.height:g}" role="img" '
            f'aria-labelledby="{identity}-title {identity}-desc">'
            f'\n<title id="{identity}-title">{escaped(self.title)}</title>'
            f'\n<desc id="{identity}-desc">{escaped(self._description(drawn))}</desc>'
        )
        return f"{head}\n{self._content(WIDE)}\n</svg>"

    def narrow(self) -> str:
        """Return the chart for narrow pages as SVG."""
        spoken = f"{self.title}. {self._description([line for _, line in self._drawn()])}"
        head = (
            f'<svg class="{NARROW.style}" viewBox="0 0 {NARROW.width:g} {NARROW.height:g}" role="img" '
            f'aria-label="{escaped(spoken)}">'
        )
        return f"{head}\n{self._content(NARROW)}\n</svg>"

    def twin(self) -> str:
        """Return the values at the ticks of the x axis and at the end, as an HTML table."""
        ends = [end for line in self.lines if len(line.x) for end in (float(line.x[0]), float(line.x[-1]))]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        at: list[float] = []
        if high > 0.0:
            first = low if self.x.time else 0.0
            at = [t for t in x_ticks(self.x, low, high, 8).at if first < t < high] + [high]
        rows = [Row([named(line.name), *self._values(line, at)], style_of(k)) for k, line in self.numbered()]
        places = [self.x.text(a) if self.x.whole or self.x.time else f"{a:,g}" for a in at]
        return table(f"{self.title}: {self.y.title()} by {self.x.title()}", [self.what, *places], rows)

    def _drawn(self) -> list[tuple[int, Line]]:
        """Return the lines that have something to draw, with their numbers."""
        lines = [(k, line.above(0.0) if self.y.log else line) for k, line in self.numbered()]
        return [(k, line) for k, line in lines if line.pieces()]

    def _content(self, layout: Layout) -> str:
        drawn = self._drawn()
        everything = [line for _, line in drawn] + ([self.reference] if self.reference else [])
        frame = Frame.around(everything, self.x, self.y, layout)
        parts = [
            *frame.axes(self.x, self.y),
            *(f'<path class="mark" d="M{frame.px(at):.1f} {layout.top:g}V{layout.bottom:g}"/>' for at in self.marks),
            *_alarms(self.alarms, frame),
            *([f'<path class="reference" d="{_path(self.reference, frame)}"/>'] if self.reference else []),
            *(_curve(number, line, frame) for number, line in drawn),
            *([_below(self.reference, frame)] if self.reference else []),
            *_labels(drawn, frame),
        ]
        return "\n".join(parts)

    def _values(self, line: Line, at: Sequence[float]) -> list[str]:
        """Return the values of the line as text, with a dash where there is no value."""
        if not len(line.x):
            return [MISSING] * len(at)
        values = np.interp(at, line.x, line.y, left=math.nan).tolist()
        return [self.y.text(value) if math.isfinite(value) else MISSING for value in values]

    def _description(self, drawn: Sequence[Line]) -> str:
        """Return the text alternative for screen readers."""
        about = f"{self.y.title()} over {self.x.title()}, {len(drawn)} line{'s' if len(drawn) != 1 else ''}."
        if self.alarms:
            about += f" {len(self.alarms)} alarm{'s' if len(self.alarms) != 1 else ''} marked."
        if not drawn:
            return about
        ends = sorted((_end(line)[1], brief(line.name)) for line in drawn)
        (low, lowest), (high, highest) = ends[0], ends[-1]
        return f"{about} Lowest at the end: {lowest}, {self.y.text(low)}. Highest: {highest}, {self.y.text(high)}."


def _left_out(what: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{what} not drawn: {isolated(brief(names[0]))}{others}."


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
    """Return the SVG path of a piece, thinned so that its peaks stay."""
    chosen = thinned(y, frame.layout.points)
    points = zip(x[chosen].tolist(), y[chosen].tolist(), strict=True)
    return "M" + "L".join(f"{frame.px(at):.1f} {frame.py(value):.1f}" for at, value in points)


def _alarms(alarms: Sequence[Mark], frame: Frame) -> list[str]:
    """Return a line for each alarm, and its number where there is room for it."""
    parts, last = [], -math.inf
    layout = frame.layout
    for number, alarm in enumerate(alarms, 1):
        x = frame.px(alarm.x)
        badge = ""
        if x - last >= BADGE:
            last = x
            badge = f'<text x="{x:.1f}" y="{layout.top - 5:g}" text-anchor="middle">{number}</text>'
        parts.append(
            f'<g class="alarm"><title>{escaped(alarm.text)}</title>'
            f'<path d="M{x:.1f} {layout.top:g}V{layout.bottom:g}"/>{badge}</g>'
        )
    return parts


def _below(line: Line, frame: Frame) -> str:
    """Return the name of the reference line, below its right end."""
    layout, x = frame.layout, frame.x
    start = x.high - (x.high - x.low) * min(1.0, REFERENCE_NAME / (layout.right - frame.left))
    lowest = max(frame.py(float(np.interp(at, line.x, line.y))) for at in (start, x.high))
    y = min(lowest + 16.0, layout.bottom - 5.0)
    return f'<text class="tick halo" x="{layout.right - 6:g}" y="{y:.1f}" text-anchor="end">{escaped(line.name)}</text>'


def _labels(drawn: Sequence[tuple[int, Line]], frame: Frame) -> list[str]:
    """Return number, name and leader at the right end of each line; nothing if they do not fit."""
    layout = frame.layout
    top, bottom = layout.top - 14.0, layout.bottom + 14.0
    if not drawn or (len(drawn) - 1) * layout.pitch > bottom - top:
        return []
    ends = [_end(line) for _, line in drawn]
    heights = [frame.py(y) for _, y in ends]
    parts = []
    for (number, line), (x, _), height, place in zip(
        drawn, ends, heights, spread(heights, layout.pitch, top, bottom), strict=True
    ):
        style, name = style_of(number), escaped(clipped(shown(line.name), layout.longest))
        leader = "leader" if frame.x.share(x) >= NEAR else "leader far"
        parts.append(
            f'<g class="line label {style}">'
            f'<path class="{leader}" d="M{frame.px(x) + 1:.1f} {height:.1f}L{layout.right + 9:g} {place:.1f}h5"/>'
            f'<text class="key" x="{layout.names - 4:g}" y="{place:.1f}" dy=".35em" text-anchor="end">'
            f"{number + 1}</text>"
            f'<text class="name" x="{layout.names:g}" y="{place:.1f}" dy=".35em">{name}</text></g>'
        )
    return parts
