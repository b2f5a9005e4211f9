"""A chart as an HTML figure: the drawing, a table of its numbers that can be opened, and a
legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from driftline.report.charts.chart import Chart
from driftline.report.charts.layout import NARROW, WIDE
from driftline.report.charts.palette import style_of
from driftline.report.safe_text import escaped, named


class Picture(Protocol):
    """A drawing with a title and a table of its numbers."""

    @property
    def title(self) -> str:
        """The title."""

    def svg(self, identity: str) -> str:
        """Return the drawing as SVG. Its element ids start with ``identity``."""

    def twin(self) -> str:
        """Return its numbers as an HTML table."""


def figure(drawn: Picture, identity: str, more: str = "", style: str = "", shared: bool = False) -> str:
    """Return the chart and its table as an HTML figure.

    ``more`` is HTML below the drawing, ``style`` a CSS class. ``shared``: the page has a legend of all
    lines. A chart without one gets a legend if a name beside its lines is cut off.
    """
    kind = f' class="{style}"' if style else ""
    pictures = drawn.svg(identity)
    if isinstance(drawn, Chart):
        note = f'<p class="note">{escaped(drawn.note)}</p>\n' if drawn.note else ""
        pictures = f"{pictures}\n{drawn.narrow()}\n{note}{_names(drawn, shared)}"
    return (
        f"<figure{kind}>\n<figcaption>{named(drawn.title)}</figcaption>\n{pictures}\n{more}"
        f"<details><summary>The same as a table</summary>{drawn.twin()}</details>\n</figure>"
    )


def _names(chart: Chart, shared: bool) -> str:
    """Return the legend of names that are cut off; one that only narrow pages show if it is shared."""
    entries = [(number, line.name) for number, line in chart.numbered()]
    if chart.cuts_names(WIDE) and not shared:
        return legend(entries)
    return legend(entries, "legend own") if chart.cuts_names(NARROW) else ""


def legend(entries: Sequence[tuple[int, str]], style: str = "legend") -> str:
    """Return the legend as an HTML list: number, line style and name of each entry."""
    items = "\n".join(
        f'<li class="{style_of(k)}" tabindex="0">{swatch(k)}<span class="long">{named(name)}</span></li>'
        for k, name in entries
    )
    return f'<ul class="{style}" aria-label="Legend">\n{items}\n</ul>\n'


def swatch(number: int) -> str:
    """Return the number of a line and a sample of its style as HTML."""
    return (
        f'<span class="tag"><span class="number">{number + 1}</span> '
        f'<svg class="swatch {style_of(number)}" viewBox="0 0 34 8" aria-hidden="true">'
        '<path d="M0 4H34"/></svg></span>'
    )
