"""A chart on the page: its picture, its numbers behind a button, and the legend that names its lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from driftline.report.charts.palette import style_of
from driftline.report.safe_text import named


class Picture(Protocol):
    """What has a title, is drawn, and has a twin of numbers."""

    @property
    def title(self) -> str:
        """What it shows."""

    def svg(self, identity: str) -> str:
        """Return the picture; ``identity`` is the start of its ids on the page."""

    def twin(self) -> str:
        """Return the same as a table."""


def figure(chart: Picture, identity: str, names: str = "", more: str = "", style: str = "") -> str:
    """Return the chart with its table; ``names`` is its own legend, ``more`` what follows, ``style`` a CSS class."""
    kind = f' class="{style}"' if style else ""
    return (
        f"<figure{kind}>\n<figcaption>{named(chart.title)}</figcaption>\n"
        f'<div class="crop">{chart.svg(identity)}</div>\n{names}'
        f"<details><summary>The same as a table</summary>{chart.twin()}</details>\n{more}</figure>"
    )


def legend(entries: Sequence[tuple[int, str]], style: str = "legend") -> str:
    """Return number, line and name of each entry, in columns."""
    items = "\n".join(
        f'<li class="{style_of(k)}" tabindex="0">{swatch(k)}<span class="long">{named(name)}</span></li>'
        for k, name in entries
    )
    return f'<ul class="{style}" aria-label="Legend">\n{items}\n</ul>\n'


def swatch(number: int) -> str:
    """Return the number of a line and a piece of it, as HTML."""
    return (
        f'<span class="tag"><span class="number">{number + 1}</span> '
        f'<svg class="swatch {style_of(number)}" viewBox="0 0 34 8" aria-hidden="true">'
        '<path d="M0 4H34"/></svg></span>'
    )
