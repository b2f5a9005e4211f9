"""Metrics of regressions as text for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from driftline.internals.text_table import aligned
from driftline.internals.visible_text import visible

if TYPE_CHECKING:
    from driftline.evaluate.regression.figures import RegressionFigures
    from driftline.evaluate.regression.metrics import RegressionMetrics

SHOWN = {
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
    "r2": "R2",
    "bias": "bias",
    "inside": "share within epsilon",
    "mean_mae": "MAE of the mean so far",
    "mean_rmse": "RMSE of the mean so far",
    "no_change_mae": "MAE of no change",
    "no_change_rmse": "RMSE of no change",
    "target_mean": "mean of the targets",
    "target_deviation": "deviation of the targets",
}
"""Metrics that are shown, and their names for people."""
SHARES = ("r2", "inside")
UNDEFINED = "-"
LONG = 1e9
"""Errors from here on are shown with an exponent."""


def shown(metrics: RegressionMetrics) -> str:
    """The metrics of a run in some short tables.

    Parameters
    ----------
    metrics
        The metrics.

    Returns
    -------
    str
        Lines of text.
    """
    window = metrics.window
    columns: list[tuple[str, RegressionFigures]] = [("all", metrics)]
    if metrics.n > window.n:
        columns.append((f"last {window.n:,}", window))
    rows = [("metric", *(head for head, _ in columns))]
    reasons = []
    for name, words in SHOWN.items():
        if name == "inside" and metrics.epsilon is None:
            continue
        rows.append((words, *(_text(figures, name) for _, figures in columns)))
        for head, figures in columns:
            if name in figures.why and (figures is metrics or figures.why[name] != metrics.why.get(name)):
                of = "" if figures is metrics else f" of the {head} examples"
                reasons.append(f"{words}{of} is undefined: {figures.why[name]}")
    tables = ["\n".join([aligned(rows), *reasons])]
    return "\n\n".join([*tables, *([sliced(metrics)] if metrics.slices else [])])


def sliced(metrics: RegressionMetrics) -> str:
    """The metrics of each slice in a table.

    Parameters
    ----------
    metrics
        The metrics of a run with slices.

    Returns
    -------
    str
        One line for each value, the most frequent first.
    """
    names = ("mae", "rmse", "r2", "bias", "mean_mae", "no_change_mae")
    rows: list[Sequence[str]] = [("slice", "examples", "MAE", "RMSE", "R2", "bias", "MAE of mean", "MAE of no change")]
    for value, figures in sorted(metrics.slices.items(), key=lambda one: -one[1].n):
        rows.append((visible(value), f"{figures.n:,}", *(_text(figures, name) for name in names)))
    return aligned(rows)


def error(value: float) -> str:
    """An error in the unit of the targets, with four digits or more; a dash if it is undefined.

    >>> error(0.123456), error(12345.6), error(1.23456e15)
    ('0.1235', '12,346', '1.235e+15')
    """
    if math.isnan(value):
        return UNDEFINED
    return f"{value:,.0f}" if 1e3 <= abs(value) < LONG else f"{value:.4g}"


def share(value: float) -> str:
    """A number without unit, with four decimals; a dash if it is undefined."""
    return UNDEFINED if math.isnan(value) else f"{value:.4f}"


def _text(figures: RegressionFigures, name: str) -> str:
    value = getattr(figures, name)
    return share(value) if name in SHARES else error(value)
