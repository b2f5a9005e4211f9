"""The table of metrics by the values of a column."""

from __future__ import annotations

from driftline.evaluate.metrics import Figures, Metrics
from driftline.report.html_table import Row, bar, table
from driftline.report.measured.numbers import text
from driftline.report.safe_text import brief, named

HEADER = ("value", "examples", "wrong labels", "error", "majority baseline", "balanced accuracy", "F1", "AUC")


def slices_table(name: str, metrics: Metrics) -> str:
    """Return the table, the value with the most examples first.

    Parameters
    ----------
    name : str
        Name of the run.
    metrics : Metrics
        Its metrics, with slices.
    """
    found = sorted(metrics.slices.items(), key=lambda item: -item[1].examples)
    worst = max((figures.error for _, figures in found if figures.examples), default=0.0) or 1.0
    rows = [Row([named(value), *_cells(figures, worst)]) for value, figures in found]
    caption = f"{brief(name)}, most examples first. The baseline is the most frequent label of the whole stream so far."
    return table(caption, HEADER, rows)


def _cells(figures: Figures, worst: float) -> list[str]:
    return [
        f"{figures.examples:,}",
        f"{figures.errors:,}",
        bar(text(figures.error, percent=True), figures.error / worst if figures.examples else 0.0),
        text(figures.majority_error, percent=True),
        text(figures.balanced_accuracy, percent=True),
        text(figures.f1),
        text(figures.auc),
    ]
