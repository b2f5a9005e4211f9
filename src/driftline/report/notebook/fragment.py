"""The HTML fragment of a view, with a style sheet that touches nothing outside it.

Notebooks have light and dark themes that a page cannot ask for. Text and rules therefore take the
colour of the notebook, and lines have colours that are readable on white and on black.
"""

from __future__ import annotations

from collections.abc import Sequence

from driftline.report.charts.palette import ON_BOTH, style_of, styles_in
from driftline.report.html_table import Row
from driftline.report.safe_text import escaped

NAME = "driftline-view"
RULES = (
    "{color:inherit;font:14px/1.5 system-ui,sans-serif;max-width:760px;overflow-wrap:anywhere}",
    " .title{font-weight:600;font-size:15px;margin:0 0 2px}",
    " p{margin:0 0 8px}",
    " .soft{opacity:.75;font-size:12.5px}",
    " .scroll{overflow-x:auto;margin:6px 0}",
    " table{border-collapse:collapse;font-size:13px;margin:0;border:0}",
    " caption{caption-side:top;text-align:left;opacity:.75;padding:0 0 4px;color:inherit}",
    " tr{background:none!important}",
    " th, td{text-align:right;padding:3px 0 3px 18px;font-weight:400;border:0;color:inherit;white-space:nowrap;"
    "font-variant-numeric:tabular-nums;vertical-align:top}",
    " th:first-child{text-align:left;padding-left:0;white-space:normal;min-width:9em}",
    " tbody td, tbody th{border-top:1px solid color-mix(in srgb,currentColor 22%,transparent)}",
    " td.text{text-align:left;white-space:normal}",
    " thead th{opacity:.75}",
    " .bar{display:inline-block;height:.7em;margin-right:8px;border-radius:2px;background:#7c79e0}",
    " svg{display:block;width:100%;max-width:460px;height:auto;overflow:visible;font-family:inherit}",
    " svg text{fill:currentColor;font-size:12px}",
    " svg .tick, svg .axis{opacity:.75}",
    " svg .key{font-weight:600}",
    " svg path{fill:none}",
    " .grid{stroke:currentColor;stroke-opacity:.15}",
    " .base, .reference{stroke:currentColor;stroke-opacity:.6}",
    " .reference{stroke-dasharray:4 3}",
    " .line{stroke-linejoin:round}",
    " path.line{stroke:var(--ink);stroke-width:1.8}",
    " .dot{fill:var(--ink)}",
    " .leader{stroke:var(--ink);stroke-width:1.2}",
    " .far, path.bridge{stroke-dasharray:1 4}",
    " .alarm path{stroke:#d6453d;stroke-width:1.3}",
    " svg .alarm text{fill:#d6453d;font-size:11px}",
)


def fragment(title: str, parts: Sequence[str], lines: int = 0) -> str:
    """Return the fragment.

    Parameters
    ----------
    title : str
        Title, as plain text.
    parts : sequence of str
        Content, as HTML.
    lines : int, default=0
        Number of line styles that its chart needs.
    """
    body = "\n".join(part for part in parts if part)
    styles = max(lines, styles_in(body))
    inks = [f" .{style_of(k)}{{--ink:{ON_BOTH[k % len(ON_BOTH)]}}}" for k in range(styles)]
    sheet = "\n".join(_scoped(rule) for rule in (*RULES, *inks))
    return f'<div class="{NAME}"><style>{sheet}</style>\n<div class="title">{escaped(title)}</div>\n{body}\n</div>'


def paragraph(text: str, style: str = "") -> str:
    """Return a paragraph of plain text."""
    kind = f' class="{style}"' if style else ""
    return f"<p{kind}>{escaped(text)}</p>"


def small_table(caption: str, header: Sequence[str], rows: Sequence[Row]) -> str:
    """Return a table. Captions and headings are plain text, cells HTML."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in header)
    body = "\n".join(
        f'<tr><th scope="row">{row.cells[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row.cells[1:]) + "</tr>"
        for row in rows
    )
    above = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{above}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def small_bar(share: float) -> str:
    """Return a bar of at most 6em, of which ``share`` is drawn."""
    return f'<span class="bar" style="width:{6.0 * min(1.0, max(0.0, share)):.2f}em"></span>'


def _scoped(rule: str) -> str:
    """Return the rule with every selector inside the view."""
    selectors, brace, block = rule.partition("{")
    return ",".join(f".{NAME}{one.rstrip()}" for one in _split(selectors)) + brace + block


def _split(selectors: str) -> list[str]:
    return [f" {one.strip()}" if one.strip() else "" for one in selectors.split(",")]
