"""The result of a report: key figures, learners and baselines in one ranking, and the confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence

from driftline.evaluate import Comparison, Run
from driftline.report.charts.figure import swatch
from driftline.report.charts.palette import style_of
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.meaning import MEANING
from driftline.report.measured.confusion import confusion_matrix
from driftline.report.measured.numbers import text
from driftline.report.safe_text import brief, escaped, named

HEADER = ("learner", "wrong labels", "error", "mistakes", "margin errors", "updates", "examples/s")
INFEASIBLE, ASKED = "infeasible", "labels asked"
"""Columns that are left out if no problem was infeasible, or if all learners asked for all labels."""
BASELINES = (
    "Baselines predict the most frequent label so far (majority) or the label of the previous example (no change)."
)
OTHER_MATRICES = 12


def best_of(comparison: Comparison) -> Run:
    """Return the run with the fewest wrong labels; the first of equal ones."""
    return min(comparison.runs, key=lambda run: run.label_errors)


def result(comparison: Comparison) -> str:
    """Return the key figures, the ranking and the confusion matrices as HTML.

    Parameters
    ----------
    comparison : Comparison
        The runs, at least one.
    """
    best = best_of(comparison)
    matrix = "" if best.metrics is None else confusion_matrix(best.name, best.metrics)
    parts = [
        _tiles(best) if best.examples else "",
        f'<div class="result">\n{ranking(comparison)}\n{matrix}\n</div>',
        _other_matrices([run for run in comparison.runs if run is not best]),
    ]
    return "\n".join(part for part in parts if part)


def _tiles(run: Run) -> str:
    """Return the key figures of a run as large numbers, each with an explanation."""
    tiles = [(f"{run.error:.2%}", "error", f"{run.label_errors:,} of {run.examples:,} predicted labels were wrong")]
    majority, no_change = run.majority_error, run.no_change_error
    if majority is not None and no_change is not None:
        tiles.append(
            (f"{majority:.2%}", "majority baseline", f"error of the most frequent label: {_against(run, majority)}")
        )
        tiles.append(
            (f"{no_change:.2%}", "no-change baseline", f"error of the previous label: {_against(run, no_change)}")
        )
    if run.metrics is not None:
        balanced, auc = run.metrics.balanced_accuracy, run.metrics.auc
        if not math.isnan(balanced):
            tiles.append((text(balanced, percent=True), "balanced accuracy", "mean recall of the labels"))
        if not math.isnan(auc):
            tiles.append((f"{auc:.3f}", "AUC", "how well the examples are ranked"))
    items = "".join(
        f"<div><dt>{escaped(name)}</dt><dd>{value}</dd><dd>{escaped(about)}</dd></div>" for value, name, about in tiles
    )
    return f'<dl class="tiles" aria-label="Key figures of {escaped(brief(run.name))}">{items}</dl>'


def _against(run: Run, baseline: float) -> str:
    """Return how the error of a run compares with that of a baseline, in words."""
    if run.error == baseline:
        return "as many wrong labels"
    if run.error < baseline:
        return f"{brief(run.name)} has {1.0 - run.error / baseline:.0%} fewer"
    more = f"{run.error / baseline:.1f} times as many" if baseline else "more"
    return f"{brief(run.name)} has {more}"


def ranking(comparison: Comparison) -> str:
    """Return the table of all learners and of the baselines, fewest wrong labels first."""
    runs, baselines = comparison.runs, _baselines(comparison)
    further = [INFEASIBLE] * any(run.infeasible for run in runs) + [ASKED] * comparison.sparing
    most = max([*(run.label_errors for run in runs), *(wrong for _, wrong in baselines)]) or 1
    rows: list[tuple[int, Row]] = []
    for k, run in enumerate(runs):
        cells = [
            f"{swatch(k)}{named(run.name)}",
            bar(f"{run.label_errors:,}", run.label_errors / most),
            f"{run.error:.2%}" if run.examples else MISSING,
            *(f"{count:,}" for count in (run.mistakes, run.margin_errors, run.updates)),
            f"{run.examples / run.seconds:,.0f}" if run.seconds > 0.0 else MISSING,
            *(f"{run.infeasible if name == INFEASIBLE else run.asked:,}" for name in further),
        ]
        rows.append((run.label_errors, Row(cells, style_of(k))))
    examples = max(run.examples for run in runs)
    for name, wrong in baselines:
        blank = [MISSING] * (len(HEADER) - 3 + len(further))
        cells = [f'<span class="tag unnumbered"></span>{escaped(name)}', bar(f"{wrong:,}", wrong / most)]
        rows.append((wrong, Row([*cells, f"{wrong / examples:.2%}", *blank], "baseline")))
    ranked = [row for _, row in sorted(rows, key=lambda item: item[0])]
    order = ", fewest wrong labels first" if len(ranked) > 1 else ""
    counted = f"{examples:,} examples" if examples != 1 else "1 example"
    about = f" {BASELINES}" if len(ranked) > len(runs) else ""
    return table(f"{counted}{order}. {MEANING}{about}", [*HEADER, *further], ranked)


def _baselines(comparison: Comparison) -> list[tuple[str, int]]:
    """Return the wrong labels of the baselines, if they are known."""
    run = comparison.with_baselines
    known = None if run is None else run.ledger.baselines
    if known is None:
        return []
    return [("baseline: majority", known.majority), ("baseline: no change", known.no_change)]


def _other_matrices(runs: Sequence[Run]) -> str:
    """Return the confusion matrices of the other runs, which can be opened."""
    found = [confusion_matrix(run.name, run.metrics) for run in runs if run.metrics is not None]
    shown = [matrix for matrix in found if matrix][:OTHER_MATRICES]
    if not shown:
        return ""
    several = "matrices" if len(shown) > 1 else "matrix"
    body = '<div class="result">\n' + "\n".join(shown) + "\n</div>"
    return f"<details><summary>Confusion {several} of the other learners</summary>{body}</details>"
