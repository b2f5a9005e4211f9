"""What a notebook shows for runs, comparisons and sweeps of regressors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.regression.sweep import RegressionSweep
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis, Line
from driftline.report.html_table import MISSING, Row
from driftline.report.measured.regression import error, share
from driftline.report.notebook.fragment import fragment, paragraph, small_bar, small_table
from driftline.report.safe_text import brief, named

LINES = 4  # lines of the chart of a comparison
SETTINGS = 10  # settings of a sweep
HEADER = ("learner", "MAE", "RMSE", "R2", "updates", "examples/s")
REPORT = "{name}.report(path) writes the whole report as one HTML file."


def regression_view(run: RegressionRun) -> str:
    """Return the view of a run: its errors and the baselines, and the error along the stream.

    Parameters
    ----------
    run : RegressionRun
        The run.
    """
    if not run.examples:
        return fragment(run.name, [paragraph("No examples.")])
    found = run.figures
    parts = [
        paragraph(
            f"Mean absolute error {error(found.mae)}, root mean squared error {error(found.rmse)}, R2 "
            f"{share(found.r2)}, over {run.examples:,} predictions. {_baselines(run)}"
        ),
        _error_chart([(0, run)]),
        paragraph(REPORT.format(name="run"), "soft"),
    ]
    return fragment(run.name, parts, lines=1)


def regression_comparison_view(comparison: RegressionComparison) -> str:
    """Return the view of a comparison: a table of the runs, and the error of the best along the stream.

    Parameters
    ----------
    comparison : RegressionComparison
        The runs.
    """
    finished = [run for run in comparison.runs if not run.stopped and run.examples]
    ranked = sorted(finished, key=lambda run: run.ledger.rank)
    lengths = _lengths([run.ledger.rank for run in ranked])
    rows = [
        Row(
            [
                f"{k + 1}. {named(run.name)}",
                f"{small_bar(lengths[k])}{error(run.mae)}",
                error(run.rmse),
                share(run.r2),
                f"{run.updates:,}",
                f"{run.examples / run.seconds:,.0f}" if run.seconds > 0.0 else MISSING,
            ]
        )
        for k, run in enumerate(ranked)
    ]
    stopped = [f"{brief(run.name)} stopped after {run.examples:,} examples." for run in comparison.stopped]
    examples = max((run.examples for run in comparison.runs), default=0)
    return fragment(
        f"{len(comparison.runs)} learners on {examples:,} examples",
        [
            small_table("Smallest mean absolute error first", HEADER, rows) if rows else "",
            paragraph(" ".join([*([_baselines(ranked[0])] if ranked else []), *stopped])),
            _error_chart(list(enumerate(ranked[:LINES]))) if ranked else "",
            paragraph(REPORT.format(name="comparison"), "soft"),
        ],
        lines=LINES,
    )


def regression_sweep_view(found: RegressionSweep) -> str:
    """Return the view of a sweep: a table of the best settings.

    Parameters
    ----------
    found : RegressionSweep
        The sweep.
    """
    table = found.table()[:SETTINGS]
    lengths = _lengths([row["MAE"] for row in table])
    rows = [
        Row(
            [
                named(row["learner"]),
                f"{small_bar(lengths[k])}{error(row['MAE'])}",
                error(row["RMSE"]),
                share(row["R2"]),
                f"{row['updates']:,}",
            ]
        )
        for k, row in enumerate(table)
    ]
    best = f"The best {len(table)} settings, smallest" if len(found) > len(table) else "Smallest"
    return fragment(
        f"{len(found):,} settings on {found.examples if found.settings else 0:,} examples",
        [
            small_table(f"{best} mean absolute error first", ["setting", *HEADER[1:5]], rows),
            paragraph(REPORT.format(name="sweep"), "soft"),
        ],
    )


def _lengths(values: Sequence[float]) -> list[float]:
    """Return the length of the bar of each value, from 0 to 1; 0 if a value is not finite."""
    most = max((value for value in values if math.isfinite(value)), default=0.0) or 1.0
    return [value / most if math.isfinite(value) else 0.0 for value in values]


def _error_chart(runs: Sequence[tuple[int, RegressionRun]]) -> str:
    """Return the chart of the absolute error over a window, with the mean so far as a reference."""
    examples = max(run.examples for _, run in runs)
    window = curves.window_of(examples)
    lines = [Line(run.name, *curves.absolute_error(run, window), k) for k, run in runs]
    level = np.full(2, runs[0][1].figures.mean_mae)
    reference = Line("mean so far", np.array([0.0, float(examples)]), level)
    axis = Axis("mean absolute error", decimals=None)
    title = f"Mean absolute error over the last {window:,} examples"
    return Chart(title, curves.EXAMPLES, axis, lines, reference=reference).narrow()


def _baselines(run: RegressionRun) -> str:
    found = run.figures
    return (
        f"Baselines: predicting the mean of the targets so far {error(found.mean_mae)}, predicting the previous target "
        f"{error(found.no_change_mae)}."
    )
