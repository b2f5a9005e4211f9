"""The curves of a run in a report, as arrays (examples seen, values)."""

from __future__ import annotations

import numpy as np

from driftline.evaluate import History, Run
from driftline.evaluate.regression.result import RegressionRun
from driftline.internals.compiled import Floats
from driftline.report.charts.line import Axis
from driftline.report.charts.scale import round_step

EXAMPLES = Axis("examples seen", whole=True)
PARTS, SHORTEST = 50, 50

Curve = tuple[Floats, Floats]


def window_of(examples: int) -> int:
    """Return the length of the error window: a round number near 1/50 of the run, at least 50."""
    return max(1, min(examples, max(SHORTEST, int(round_step(max(1, examples), PARTS, whole=True)))))


def mistakes(run: Run) -> Curve:
    """Return the cumulative mistakes."""
    return run.curve["examples"], run.curve["mistakes"]


def windowed(run: Run, window: int) -> Curve:
    """Return the error within the window in percent, from the first full window on."""
    at, error = run.windowed(window)
    full = at >= min(window, run.examples)
    return at[full], 100.0 * error[full]


def updates(run: Run) -> Curve:
    """Return the cumulative updates."""
    return run.curve["examples"], run.curve["updates"]


def loss(run: Run) -> Curve:
    """Return the cumulative loss |score - y| / 2 of scores in [-1, 1], which is half the hinge
    loss.
    """
    return run.curve["examples"], run.curve["hinge"] / 2.0


def norm(history: History) -> Curve:
    """Return the Euclidean norm of the weights."""
    return _examples(history), np.array([r.norm for r in history.records])


def nonzero(history: History) -> Curve:
    """Return the number of non-zero weights."""
    return _examples(history), np.array([float(r.nonzero) for r in history.records])


def weight(history: History, name: str | int) -> Curve:
    """Return the weight of a feature, NaN where it was not among the recorded largest ones."""
    found = [dict(r.largest).get(name, 0.0 if r.complete else np.nan) for r in history.records]
    return _examples(history), np.array(found)


def _examples(history: History) -> Floats:
    return np.array([float(r.examples) for r in history.records])


def column(run: Run, name: str) -> Curve:
    """Return a column of the curve of a run."""
    return run.curve["examples"], run.curve[name]


def absolute_error(run: Run, window: int) -> Curve:
    """Return the mean absolute error of a regression within the window, from the first full one on."""
    return _window_mean(run, "absolute_error", window)


def squared_error(run: Run, window: int) -> Curve:
    """Return the root mean squared error of a regression within the window."""
    at, values = _window_mean(run, "squared_error", window)
    return at, np.sqrt(np.maximum(0.0, values))


def r2(run: Run) -> Curve:
    """Return R2 of the last examples of a regression; no points if it has no metrics."""
    if not isinstance(run, RegressionRun) or run.metrics is None:
        return np.empty(0), np.empty(0)
    series = run.metrics.series
    return series["n"], series["r2"]


def _window_mean(run: Run, name: str, window: int) -> Curve:
    """Return the mean of a summed column within the window, from the first full window on."""
    at, totals = column(run, name)
    since = np.maximum(0.0, at[1:] - window)
    with np.errstate(invalid="ignore"):  # an infinite error
        means = (totals[1:] - np.interp(since, at, totals)) / (at[1:] - since)
    full = at[1:] >= min(window, run.examples)
    return at[1:][full], means[full]
