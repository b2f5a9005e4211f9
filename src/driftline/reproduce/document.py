"""The report of an experiment: its verdicts, its figures, what was chosen, and its numbers, as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from driftline.report.html_table import Row, facts, table
from driftline.report.pages.page import page
from driftline.report.safe_text import escaped
from driftline.reproduce.experiment import Experiment, Setting, Verdict
from driftline.reproduce.folder import RESULTS
from driftline.reproduce.plates import Plate

SHOWN = 200
"""Rows of results that the page has; more are in the file."""
WEAK = "This was a quick run: short streams and few repetitions. Its verdicts are weak; run it without --quick."
STYLE = """
.plates{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:18px;margin:20px 0 6px}
.plates svg{display:block;width:100%;height:auto;max-width:560px;background:#fff;border-radius:6px}
.plates p{margin:10px 0 0;font-size:.9rem}
.verdicts td.text{min-width:22em}
.verdicts td:nth-child(3){white-space:normal;min-width:11em}
.verdicts td,.verdicts th{vertical-align:top;text-align:left}
.yes,.no{font-weight:700}
.no{color:var(--c1)}
.yes{color:var(--c2)}
@media (max-width:640px){.plates svg{border-radius:0}}
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
    """All that came out of an experiment."""

    verdicts: Sequence[Verdict]
    rows: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    data: Mapping[str, str]
    """The data used, and where they came from."""


def outcome(verdict: Verdict) -> str:
    """The verdict in a word or three."""
    return OUTCOMES[verdict.holds][0]


def document(experiment: Experiment, setting: Setting, found: Findings, plates: Sequence[Plate]) -> str:
    """Return the page."""
    parts = [
        f'<p class="note">{escaped(experiment.citation)}</p>',
        f"<p><strong>{escaped(WEAK)}</strong></p>" if setting.quick else "",
        _section("What holds", _verdicts(found.verdicts)),
        _section("Figures", f'<div class="plates">\n{"".join(map(_figure, plates))}</div>') if plates else "",
        _section("What was chosen here", _notes(found.notes)) if found.notes else "",
        _section("How it was made", _made(experiment, setting, found.data)),
        _section("Results", _results(found.rows)) if found.rows else "",
    ]
    return page(experiment.title, experiment.lead, "\n".join(filter(None, parts)), 0, STYLE)


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{escaped(title)}</h2>\n{body}\n</section>"


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for one in verdicts:
        word, style = OUTCOMES[one.holds]
        holds = f'<span class="{style}">{word}</span>'
        rows.append(Row([escaped(one.claim), holds, escaped(one.where), escaped(one.says)]))
    caption = "What the paper says, and whether the numbers here carry it"
    shown = table(caption, ("claim", "here it", "judged on", "the numbers"), rows, texts=1)
    return f'<div class="verdicts">{shown}</div>'


def _figure(plate: Plate) -> str:
    return (
        f'<figure>\n<figcaption id="title-{plate.name}">{escaped(plate.title)}</figcaption>\n'
        f"{plate.inline()}<p>{escaped(plate.caption)}</p>\n</figure>\n"
    )


def _notes(notes: Sequence[str]) -> str:
    return "\n".join(f"<p>{escaped(note)}</p>" for note in notes)


def _made(experiment: Experiment, setting: Setting, data: Mapping[str, str]) -> str:
    quick = " --quick" if setting.quick else ""
    command = f"driftline reproduce {experiment.name}{quick} --seed {setting.seed}"
    rows = [Row(["command", f"<code>{escaped(command)}</code>"])]
    rows += [Row([escaped(name), f"from {escaped(origin)}"]) for name, origin in data.items()]
    return facts("How it was made", rows)


def _results(rows: Sequence[Mapping[str, Any]]) -> str:
    link = f'<a href="{RESULTS}">{RESULTS}</a>'
    if len(rows) > SHOWN:
        return f"<p>{len(rows):,} rows, in {link} beside this file.</p>"
    names = list(rows[0])
    shown = table("As in the file", names, [Row([_cell(row[name]) for name in names]) for row in rows])
    return (
        f"<p>The same as a file: {link}.</p>\n<details><summary>{len(rows)} rows, as a table</summary>{shown}</details>"
    )


def _cell(value: Any) -> str:
    return escaped(f"{value:g}" if isinstance(value, float) else value)
