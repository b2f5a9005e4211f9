"""The curves of a run in a report, as arrays (examples seen, values)."""

from __future__ import annotations

import numpy as np

from driftline.evaluate import History, Run
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
