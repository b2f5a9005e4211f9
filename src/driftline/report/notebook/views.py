"""What a notebook shows for a run, a comparison, a sweep and a learner."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from driftline.evaluate import Comparison, Run, Sweep
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.regression.sweep import RegressionSweep
from driftline.learners import Tracker
from driftline.learners.assembled_learner import AssembledLearner
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.weights import feature
from driftline.report.html_table import MISSING, Row
from driftline.report.measured.numbers import NUMBERS, text
from driftline.report.notebook.fragment import fragment, paragraph, small_bar, small_table
from driftline.report.notebook.regression_views import (
    regression_comparison_view,
    regression_sweep_view,
    regression_view,
)
from driftline.report.parameters import written_parameters
from driftline.report.safe_text import brief, named

LINES = 4  # lines of the chart of a comparison
SETTINGS = 10  # settings of a sweep
WEIGHTS = 10
HEADER = ("learner", "wrong labels", "error", "updates", "examples/s")
REPORT = "{name}.report(path) writes the whole report as one HTML file."


def run_view(run: Run) -> str:
    """Return the view of a run: its error and the baselines, and the error along the stream.

    Parameters
    ----------
    run : Run
        The run.
    """
    if isinstance(run, RegressionRun):
        return regression_view(run)
    if not run.examples:
        return fragment(run.name, [paragraph("No examples.")])
    return fragment(
        run.name,
        [
            paragraph(
                f"Error {run.error:.2%}: {run.label_errors:,} of {run.examples:,} predicted labels were wrong. "
                f"{_baselines(run)}"
            ),
            _metrics(run),
            _error_chart([(0, run)], run),
            paragraph(REPORT.format(name="run"), "soft"),
        ],
        lines=1,
    )


def comparison_view(comparison: Comparison) -> str:
    """Return the view of a comparison: a table of the runs, and the error of the best along the stream.

    Parameters
    ----------
    comparison : Comparison
        The runs.
    """
    if isinstance(comparison, RegressionComparison):
        return regression_comparison_view(comparison)
    finished = [run for run in comparison.runs if not run.stopped and run.examples]
    ranked = sorted(finished, key=lambda run: run.label_errors)
    worst = max((run.label_errors for run in ranked), default=0) or 1
    rows = [
        Row(
            [
                f"{k}. {named(run.name)}",
                f"{small_bar(run.label_errors / worst)}{run.label_errors:,}",
                f"{run.error:.2%}",
                f"{run.updates:,}",
                f"{run.examples / run.seconds:,.0f}" if run.seconds > 0.0 else MISSING,
            ]
        )
        for k, run in enumerate(ranked, 1)
    ]
    stopped = [f"{brief(run.name)} stopped after {run.examples:,} examples." for run in comparison.stopped]
    counted = comparison.with_baselines
    examples = max((run.examples for run in comparison.runs), default=0)
    return fragment(
        f"{len(comparison.runs)} learners on {examples:,} examples",
        [
            small_table("Fewest wrong labels first", HEADER, rows) if rows else "",
            paragraph(" ".join([*([_baselines(counted)] if counted else []), *stopped])),
            _error_chart(list(enumerate(ranked[:LINES])), counted) if ranked else "",
            paragraph(REPORT.format(name="comparison"), "soft"),
        ],
        lines=LINES,
    )


def sweep_view(found: Sweep) -> str:
    """Return the view of a sweep: a table of the best settings.

    Parameters
    ----------
    found : Sweep
        The sweep.
    """
    if isinstance(found, RegressionSweep):
        return regression_sweep_view(found)
    best = found.settings[:SETTINGS]
    worst = max((one.ledger.mistakes for one in best), default=0) or 1
    rows = [
        Row(
            [
                named(one.name),
                f"{small_bar(one.ledger.mistakes / worst)}{one.ledger.mistakes:,}",
                f"{one.error:.2%}" if one.ledger.examples else MISSING,
                f"{one.ledger.updates:,}",
            ]
        )
        for one in best
    ]
    cut = len(found) > len(best)
    caption = f"The best {len(best)} settings, fewest mistakes first" if cut else "Fewest mistakes first"
    return fragment(
        f"{len(found):,} settings on {found.examples if found.settings else 0:,} examples",
        [
            small_table(caption, ["setting", "mistakes", "error", "updates"], rows),
            paragraph(REPORT.format(name="sweep"), "soft"),
        ],
    )


def learner_view(learner: AssembledLearner) -> str:
    """Return the view of a learner: its parameters, what it has seen, and its largest weights.

    Parameters
    ----------
    learner : Learner
        The learner.
    """
    labels = [brief(label) for label in learner.labels[:WEIGHTS]]
    more = f" and {len(learner.labels) - WEIGHTS:,} more" if len(learner.labels) > WEIGHTS else ""
    about = "real targets" if learner.rule.regresses else f"labels {', '.join(labels)}{more}"
    seen = (
        f"{learner.n_seen:,} examples learned, {learner.n_features:,} features, {about}."
        if learner.n_seen
        else "No example learned yet."
    )
    given = ", ".join(f"{name} = {brief(text)}" for name, text in written_parameters(learner).items())
    return fragment(learner.kind, [paragraph(seen), paragraph(given, "soft"), _largest(learner)])


def _largest(learner: AssembledLearner) -> str:
    """Return a table of the largest weights, or of the heaviest voters; empty before the first example."""
    if not learner.n_seen:
        return ""
    largest = learner.largest(WEIGHTS)
    most = max((abs(value) for _, value in largest), default=0.0)
    if not most or not np.isfinite(most):
        return ""
    rows = [Row([named(feature(name)), f"{small_bar(abs(value) / most)}{value:,.4g}"]) for name, value in largest]
    what = "voter" if isinstance(learner, Tracker) else "feature"
    return small_table(f"The {len(rows)} largest weights" if len(rows) > 1 else "", [what, "weight"], rows)


def _error_chart(runs: Sequence[tuple[int, Run]], counted: Run | None) -> str:
    """Return the chart of the error over a window, with the majority baseline as a reference."""
    examples = max(run.examples for _, run in runs)
    window = curves.window_of(examples)
    lines = [Line(run.name, *curves.windowed(run, window), k) for k, run in runs]
    reference = None
    if counted is not None and counted.majority_error is not None:
        level = np.full(2, 100.0 * counted.majority_error)
        reference = Line("majority baseline", np.array([0.0, float(examples)]), level)
    axis = Axis(f"wrong labels among the last {window:,}", "%", decimals=1)
    chart = Chart(f"Error over the last {window:,} examples", curves.EXAMPLES, axis, lines, reference=reference)
    return chart.narrow()


def _metrics(run: Run) -> str:
    """Return the metrics that are defined as one line; empty if the run has none."""
    if run.metrics is None:
        return ""
    known = [(number, getattr(run.metrics, number.attribute)) for number in NUMBERS[1:]]
    shown = [f"{number.name} {text(value, number.percent)}" for number, value in known if not math.isnan(value)]
    return paragraph(", ".join(shown), "soft") if shown else ""


def _baselines(run: Run) -> str:
    no_change, majority = run.no_change_error, run.majority_error
    if no_change is None or majority is None:
        return ""
    return (
        f"Baselines: predicting the previous label {no_change:.2%}, predicting the most frequent label {majority:.2%}."
    )
