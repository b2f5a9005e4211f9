"""The tables of a regression: key figures, ranking, metrics and slices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from driftline.evaluate.regression import RegressionFigures, RegressionMetrics, shown
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.result import RegressionRun
from driftline.report.charts.figure import swatch
from driftline.report.charts.palette import style_of
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.safe_text import brief, escaped, named

HEADER = ("learner", "MAE", "RMSE", "R2", "bias", "updates", "examples/s")
MEANING = (
    "MAE is the mean absolute error, RMSE the root mean squared error, bias the mean of prediction - target. R2 is 1 "
    "for perfect predictions and 0 for the mean of all targets."
)
BASELINES = "Baselines predict the mean of the targets so far, or the target of the previous example (no change)."
NUMBERS = (
    ("mae", "MAE", "mean absolute error"),
    ("rmse", "RMSE", "root mean squared error"),
    ("r2", "R2", "1 is perfect, 0 is the mean of all targets"),
    ("bias", "bias", "mean of prediction - target"),
    ("inside", "within epsilon", "share of absolute errors of at most epsilon"),
    ("mean_mae", "MAE of the mean so far", "baseline"),
    ("no_change_mae", "MAE of no change", "baseline"),
    ("target_deviation", "deviation of the targets", "standard deviation"),
)
"""Attribute, name and meaning of the metrics in the table."""
SLICED = ("value", "examples", "MAE", "RMSE", "R2", "bias", "MAE of the mean so far", "MAE of no change")


def error(value: float) -> str:
    """Return an error as on the terminal; a dash if it is undefined.

    >>> error(0.123456), error(12345.6)
    ('0.1235', '12,346')
    """
    return MISSING if math.isnan(value) else shown.error(value)


def share(value: float) -> str:
    """Return a number without unit, with four decimals; a dash if it is undefined."""
    return MISSING if math.isnan(value) else shown.share(value)


def tiles(run: RegressionRun) -> str:
    """Return the key figures of a run as large numbers, each with an explanation."""
    found = run.figures
    facts = [
        (error(found.mae), "mean absolute error", f"over {run.examples:,} predictions"),
        (error(found.rmse), "root mean squared error", "large errors weigh more"),
        (share(found.r2), "R2", "1 is perfect, 0 is the mean of all targets"),
        (error(found.mean_mae), "mean so far", f"its absolute error: {_against(found, found.mean_mae)}"),
        (error(found.no_change_mae), "no change", f"its absolute error: {_against(found, found.no_change_mae)}"),
    ]
    items = "".join(
        f"<div><dt>{escaped(name)}</dt><dd>{value}</dd><dd>{escaped(about)}</dd></div>" for value, name, about in facts
    )
    return f'<dl class="tiles" aria-label="Key figures of {escaped(brief(run.name))}">{items}</dl>'


def _against(found: RegressionFigures, baseline: float) -> str:
    """Return how the absolute error compares with that of a baseline, in words."""
    if math.isnan(found.mae) or not baseline:
        return "the learner has no smaller one"
    ratio = found.mae / baseline
    return f"the learner has {1.0 - ratio:.0%} less" if ratio < 1.0 else f"the learner has {ratio:.2f} times as much"


def ranking(comparison: RegressionComparison) -> str:
    """Return the table of all learners and of the baselines, the smallest MAE first."""
    rows: list[tuple[float, Row]] = []
    first = comparison.runs[0].figures
    baselines = [
        ("mean so far", first.mean_mae, first.mean_rmse),
        ("no change", first.no_change_mae, first.no_change_rmse),
    ]
    known = [*(run.ledger.rank for run in comparison.runs), *(mae for _, mae, _ in baselines)]
    most = max((one for one in known if math.isfinite(one)), default=0.0) or 1.0
    for k, run in enumerate(comparison.runs):
        rank = run.ledger.rank
        cells = [
            f"{swatch(k)}{named(run.name)}",
            bar(error(run.mae), rank / most if math.isfinite(rank) else 0.0),
            error(run.rmse),
            share(run.r2),
            error(run.bias),
            f"{run.updates:,}",
            f"{run.examples / run.seconds:,.0f}" if run.seconds > 0.0 else MISSING,
        ]
        rows.append((rank, Row(cells, style_of(k))))
    if first.n:
        for name, mae, rmse in baselines:
            cells = [f'<span class="tag unnumbered"></span>baseline: {name}', bar(error(mae), mae / most), error(rmse)]
            rows.append((mae, Row([*cells, *[MISSING] * (len(HEADER) - 3)], "baseline")))
    ranked = [row for _, row in sorted(rows, key=lambda item: item[0])]
    examples = max(run.examples for run in comparison.runs)
    return table(f"{examples:,} examples, smallest MAE first. {MEANING} {BASELINES}", HEADER, ranked)


def metrics_table(runs: Sequence[tuple[str, RegressionMetrics]]) -> str:
    """Return the table of all metrics; the first run also has a column for its last examples."""
    (name, metrics), *others = runs
    window, several = metrics.window, bool(others)
    columns: list[tuple[str, RegressionFigures]] = [(brief(name) if several else "whole run", metrics)]
    if 0 < window.n < metrics.n:
        last = f"last {window.n:,}"
        columns.append((f"{brief(name)}, {last}" if several else last, window))
    columns += [(brief(other), own) for other, own in others]
    numbers = [one for one in NUMBERS if one[0] != "inside" or any(own.epsilon is not None for _, own in runs)]
    rows = [
        Row(
            [
                f'{escaped(words)}<span class="meaning">{escaped(meaning)}</span>',
                *(_written(figures, attribute) for _, figures in columns),
            ]
        )
        for attribute, words, meaning in numbers
    ]
    caption = "Metrics of the predictions before each example was learned"
    return table(caption, ["metric", *(head for head, _ in columns)], rows)


def slices_table(name: str, metrics: RegressionMetrics) -> str:
    """Return the table of metrics by the values of a column, the most examples first."""
    found = sorted(metrics.slices.items(), key=lambda item: -item[1].n)
    worst = max((figures.mae for _, figures in found if not math.isnan(figures.mae)), default=0.0) or 1.0
    rows = []
    for value, figures in found:
        length = 0.0 if math.isnan(figures.mae) else figures.mae / worst
        errors = [error(one) for one in (figures.rmse,)]
        baselines = [error(figures.mean_mae), error(figures.no_change_mae)]
        cells = [named(value), f"{figures.n:,}", bar(error(figures.mae), length), *errors]
        rows.append(Row([*cells, share(figures.r2), error(figures.bias), *baselines]))
    return table(f"{brief(name)}, most examples first. The baselines are those of the whole stream.", SLICED, rows)


def _written(figures: RegressionFigures, attribute: str) -> str:
    value = getattr(figures, attribute)
    return share(value) if attribute in ("r2", "inside") else error(value)
