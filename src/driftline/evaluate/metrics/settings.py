"""The metrics that a run measures, by its arguments."""

from __future__ import annotations

from typing import Any

from driftline.evaluate.metrics.observer import MetricsObserver
from driftline.internals.record_stream import RecordStream
from driftline.learners import Learner, Tracker


def metrics_of(learner: Learner, column: str | int | None, probabilities: bool | None, window: int) -> MetricsObserver:
    """The observer of a run; probabilities are measured for a Tracker, and on request."""
    measured = isinstance(learner, Tracker) if probabilities is None else bool(probabilities)
    check_slice(column)
    return MetricsObserver(window, measured, column)


def check_slice(column: object) -> None:
    """Raise ValueError unless this names a column, or is None."""
    if isinstance(column, bool) or not isinstance(column, str | int | None):
        raise ValueError(f"run: slice must be the name or the number of a column, got {column!r}")


def keep_slice(stream: Any, column: str | int | None) -> None:
    """Let a stream of files pass on the cells of the column."""
    if column is not None and isinstance(stream, RecordStream):
        stream.keep(str(column))
