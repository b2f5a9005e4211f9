"""The sizes of a line chart: one for wide pages, one for phones. Both have names beside the lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """Sizes in SVG units, which are about one pixel on a page of the intended width.

    Attributes
    ----------
    style
        CSS class of the drawing.
    width, height
        Size of the drawing.
    left, right, top, bottom
        Edges of the area in which lines are drawn.
    names
        Left edge of the names of lines.
    longest
        Longest name in columns; longer ones are cut.
    pitch
        Least distance between two names.
    x_ticks
        Most ticks of the x axis.
    points
        Most points of a line.
    """

    style: str
    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    names: float
    longest: int
    pitch: float
    x_ticks: int
    points: int


WIDE = Layout("chart", 640.0, 388.0, 52.0, 452.0, 34.0, 340.0, 496.0, 21, 17.0, 5, 400)
NARROW = Layout("narrow", 362.0, 300.0, 40.0, 232.0, 32.0, 250.0, 262.0, 14, 16.0, 4, 200)
