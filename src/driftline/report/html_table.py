"""HTML tables, which scroll horizontally on a narrow page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from driftline.report.safe_text import escaped

MISSING = "\N{EN DASH}"


class Row(NamedTuple):
    """A row: its cells as HTML, of which the first is the row heading, and its CSS class."""

    cells: Sequence[str]
    style: str = ""


def table(caption: str, header: Sequence[str], rows: Sequence[Row], texts: int = 0) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    caption : str
        Caption, as plain text.
    header : sequence of str
        Column headings, as plain text.
    rows : sequence of Row
        Rows with cells as HTML.
    texts : int, default=0
        The last ``texts`` columns hold text, and are aligned to the left.

    Returns
    -------
    str
    """
    styles = [""] * (len(header) - texts) + [' class="text"'] * texts
    head = "".join(f'<th scope="col"{s}>{escaped(name)}</th>' for s, name in zip(styles, header, strict=True))
    body = "\n".join(_row(row, styles) for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escaped(caption)}"><table>'
        f"<caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
        "</table></div>"
    )


def facts(caption: str, rows: Sequence[Row]) -> str:
    """Return a two-column table of names and values (HTML), which wraps on a narrow page."""
    body = "\n".join(_row(row, ["", ""]) for row in rows)
    return f'<table class="facts" aria-label="{escaped(caption)}">\n<tbody>\n{body}\n</tbody></table>'


def bar(text: str, share: float) -> str:
    """Return a cell with a bar before its text.

    ``share`` is the length relative to the longest bar.
    """
    return f'<span class="bar"><i style="--share:{share:.3f}"></i>{escaped(text)}</span>'


def _row(row: Row, styles: Sequence[str]) -> str:
    style = f' class="{row.style}"' if row.style else ""
    cells = "".join(f"<td{s}>{cell}</td>" for s, cell in zip(styles[1:], row.cells[1:], strict=True))
    return f'<tr{style}><th scope="row"><span class="head">{row.cells[0]}</span></th>{cells}</tr>'
