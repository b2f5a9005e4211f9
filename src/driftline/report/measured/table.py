"""The tables of metrics: one column for each run, and one row for each label."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.evaluate import Run
from driftline.evaluate.metrics import Figures, Metrics
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.measured.numbers import NUMBERS, text, written
from driftline.report.safe_text import brief, escaped, isolated, named

SHOWN = 30  # labels in the table of labels


def metrics_table(runs: Sequence[tuple[Run, Metrics]]) -> str:
    """Return the table of all metrics, and a note with the reason for each undefined one.

    The first run also has a column for its last examples.
    """
    (first, metrics), *_ = runs
    window = metrics.window
    columns: list[tuple[str, Figures]] = [(first.name, metrics)]
    if 0 < window.examples < metrics.examples:
        last = f"last {window.examples:,}"
        columns.append((f"{brief(first.name)}, {last}" if len(runs) > 1 else last, window))
    columns += [(run.name, own) for run, own in runs[1:]]
    rows = [
        Row(
            [
                f'{escaped(number.name)}<span class="meaning">{escaped(number.meaning)}</span>',
                *(written(figures, number) for _, figures in columns),
            ]
        )
        for number in NUMBERS
    ]
    several = len(runs) > 1
    numbers = table(
        "Metrics of the predictions before each example was learned",
        ["metric", *(brief(name) if several or k else "whole run" for k, (name, _) in enumerate(columns))],
        rows,
    )
    return f"<div>{numbers}{_undefined(runs)}</div>"


def _undefined(runs: Sequence[tuple[Run, Metrics]]) -> str:
    """Return a note that says which metrics are undefined, and why."""
    names = {number.attribute: number.name for number in NUMBERS}
    reasons: dict[str, dict[str, list[str]]] = {}
    for run, metrics in runs:
        for attribute, reason in metrics.why.items():
            if attribute in names:
                reasons.setdefault(reason, {}).setdefault(isolated(brief(run.name)), []).append(names[attribute])
    notes = []
    for reason, of in reasons.items():
        undefined = ", ".join(dict.fromkeys(name for some in of.values() for name in some))
        whose = f" of {', '.join(of)}" if len(runs) > 1 else ""
        notes.append(f"{undefined}{whose}: {reason}")
    if not notes:
        return ""
    return f'<p class="note">Undefined values are shown as {MISSING}. {escaped("; ".join(notes))}.</p>'


def labels_table(name: str, metrics: Figures) -> str:
    """Return the table of precision, recall and F1 of each label, the most frequent first."""
    ranked = sorted(metrics.per_class, key=lambda one: -one.examples)
    most = max((one.examples for one in ranked), default=0) or 1
    rows = [
        Row(
            [
                named("(none yet)" if one.label is None else one.label),
                bar(f"{one.examples:,}", one.examples / most),
                f"{one.predicted:,}",
                f"{one.right:,}",
                text(one.precision),
                text(one.recall),
                text(one.f1),
            ]
        )
        for one in ranked[:SHOWN]
    ]
    more = f" The {SHOWN} most frequent of {len(ranked):,} labels." if len(ranked) > SHOWN else ""
    caption = (
        f"{brief(name)}: precision = right / predicted, recall = right / examples. {MISSING} if the divisor is 0.{more}"
    )
    return table(caption, ["label", "examples", "predicted", "right", "precision", "recall", "F1"], rows)
