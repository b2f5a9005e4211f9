"""The report of an experiment as one HTML file.

It opens with the number of claims that hold and the main figure. The claims follow, then all
verdicts, the other figures, choices and results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from driftline.report.html_table import Row, facts, table
from driftline.report.pages.page import page
from driftline.report.safe_text import escaped
from driftline.reproduce.conclusions import MANY, conclusions, count_text, unit
from driftline.reproduce.experiment import Experiment, Setting, Verdict
from driftline.reproduce.folder import RESULTS
from driftline.reproduce.rendered_figure import RenderedFigure

SHOWN = 200
"""Largest number of result rows shown on the page. Longer tables are only in the CSV file."""
WEAK = (
    "This was a quick run with short streams and few repetitions. Its verdicts are weak. "
    "Run it without --quick for reliable ones."
)
STYLE = """
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:18px;margin:20px 0 6px}
.figures svg{display:block;width:100%;height:auto;max-width:560px;background:#fff;border-radius:6px}
.figures p{margin:10px 0 0;font-size:.9rem}
.verdicts td.text{min-width:22em}
.verdicts td:nth-child(3){white-space:normal;min-width:11em}
.verdicts td,.verdicts th{vertical-align:top;text-align:left}
.yes,.no{font-weight:700}
.no{color:var(--c1)}
.yes{color:var(--c2)}
@media (max-width:640px){.figures svg{border-radius:0}}
@media (max-width:1040px){
.verdicts thead{display:none}
.verdicts table,.verdicts caption,.verdicts tbody,.verdicts tr,.verdicts th,.verdicts td:nth-child(n){
display:block;position:static;border:0;padding:0;min-width:0;white-space:normal}
.verdicts tr{border-top:1px solid var(--rule);padding:8px 0}
.verdicts .head{max-width:none;width:auto;font-weight:600}
}
"""
OUTCOMES = {True: ("holds", "yes"), False: ("does not hold", "no"), None: ("undecided", "open")}


@dataclass(frozen=True)
class Findings:
    """Everything that the report shows about a finished experiment, except the figures."""

    verdicts: Sequence[Verdict]
    rows: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    data: Mapping[str, str]
    """The data files used, each with its origin."""


def outcome(verdict: Verdict) -> str:
    """Return the verdict as "holds", "does not hold", "undecided" or "not judged"."""
    return OUTCOMES[verdict.holds][0] if verdict.judged else "not judged"


def document(experiment: Experiment, setting: Setting, found: Findings, figures: Sequence[RenderedFigure]) -> str:
    """Return the HTML page."""
    parts = [
        f'<p class="note">{escaped(experiment.citation)}</p>',
        f"<p><strong>{escaped(WEAK)}</strong></p>" if setting.quick else "",
        _section("Summary", f"<p>{escaped(count_text(found.verdicts))}</p>\n{_figures(figures[:1])}"),
        _section("What holds", f"{_claims(found.verdicts)}{_verdicts(found.verdicts)}"),
        _section("Figures", _figures(figures[1:])) if figures[1:] else "",
        _section("Choices made here", _notes(found.notes)) if found.notes else "",
        _section("How to reproduce this", _provenance(experiment, setting, found.data)),
        _section("Results", _results(found.rows)) if found.rows else "",
    ]
    return page(experiment.title, experiment.lead, "\n".join(filter(None, parts)), 0, STYLE)


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{escaped(title)}</h2>\n{body}\n</section>"


def _claims(verdicts: Sequence[Verdict]) -> str:
    """Return a table with one row per claim, or nothing if all verdicts fit on the page."""
    if len(verdicts) <= MANY:
        return ""
    case = unit(verdicts)
    rows = [
        Row([escaped(one.claim), escaped(one.text), *(escaped("; ".join(one.where(h))) for h in (True, False))])
        for one in conclusions(verdicts)
    ]
    header = ("claim", f"{case}s in which it holds", "holds", "does not hold")
    return f'<div class="verdicts">{table(f"Claims by {case}", header, rows, texts=2)}</div>\n'


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for one in verdicts:
        style = OUTCOMES[one.holds][1]
        holds = f'<span class="{style}">{outcome(one)}</span>'
        rows.append(Row([escaped(one.claim), holds, escaped(one.where), escaped(one.says)]))
    caption = "The paper's claims, and whether the results here support them"
    shown = table(caption, ("claim", "verdict", "judged on", "results"), rows, texts=1)
    opened = " open" if len(verdicts) <= MANY else ""
    heading = f"<summary>All {len(verdicts)} verdicts</summary>"
    return f'<details{opened}>{heading}<div class="verdicts">{shown}</div></details>'


def _figures(figures: Sequence[RenderedFigure]) -> str:
    return f'<div class="figures">\n{"".join(map(_figure, figures))}</div>' if figures else ""


def _figure(figure: RenderedFigure) -> str:
    return (
        f'<figure>\n<figcaption id="title-{figure.name}">{escaped(figure.title)}</figcaption>\n'
        f"{figure.inline()}<p>{escaped(figure.caption)}</p>\n</figure>\n"
    )


def _notes(notes: Sequence[str]) -> str:
    return "\n".join(f"<p>{escaped(note)}</p>" for note in notes)


def _provenance(experiment: Experiment, setting: Setting, data: Mapping[str, str]) -> str:
    quick = " --quick" if setting.quick else ""
    command = f"driftline reproduce {experiment.name}{quick} --seed {setting.seed}"
    rows = [Row(["command", f"<code>{escaped(command)}</code>"])]
    rows += [Row([escaped(name), f"from {escaped(origin)}"]) for name, origin in data.items()]
    return facts("Command and data", rows)


def _results(rows: Sequence[Mapping[str, Any]]) -> str:
    link = f'<a href="{RESULTS}">{RESULTS}</a>'
    if len(rows) > SHOWN:
        return f"<p>{len(rows):,} rows, in {link} in the same folder.</p>"
    names = list(rows[0])
    shown = table("Results", names, [Row([_cell(row[name]) for name in names]) for row in rows])
    return (
        f"<p>The same rows as a file: {link}.</p>\n"
        f"<details><summary>{len(rows)} rows as a table</summary>{shown}</details>"
    )


def _cell(value: Any) -> str:
    return escaped(f"{value:g}" if isinstance(value, float) else value)
