"""A chart as an HTML figure: the drawing, a table of its numbers that can be opened, and a
legend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from driftline.report.charts.palette import style_of
from driftline.report.safe_text import named


class Picture(Protocol):
    """A drawing with a title and a table of its numbers."""

    @property
    def title(self) -> str:
        """The title."""

    def svg(self, identity: str) -> str:
        """Return the drawing as SVG. Its element ids start with ``identity``."""

    def twin(self) -> str:
        """Return its numbers as an HTML table."""


def figure(chart: Picture, identity: str, names: str = "", more: str = "", style: str = "") -> str:
    """Return the chart and its table as an HTML figure.

    ``names`` is the HTML of its legend, ``more`` HTML at the end, ``style`` a CSS class.
    """
    kind = f' class="{style}"' if style else ""
    return (
        f"<figure{kind}>\n<figcaption>{named(chart.title)}</figcaption>\n"
        f'<div class="crop">{chart.svg(identity)}</div>\n{names}'
        f"<details><summary>The same as a table</summary>{chart.twin()}</details>\n{more}</figure>"
    )


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
