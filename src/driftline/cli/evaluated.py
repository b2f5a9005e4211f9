"""The metrics of a saved model on labelled files, for ``driftline evaluate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftline import Learner, Metrics, RegressionMetrics
    from driftline.streams import FileStream

CLASSIFIED = ("examples", "errors", "error", "no_change_error", "majority_error")
REGRESSED = ("mae", "rmse", "r2", "no_change_mae", "mean_mae")
HEADS = {
    "no_change_error": "no change",
    "majority_error": "majority",
    "mae": "MAE",
    "rmse": "RMSE",
    "r2": "R2",
    "no_change_mae": "MAE of no change",
    "mean_mae": "MAE of the mean",
}
"""The heads of columns that differ from the names of the metrics."""


@dataclass(frozen=True)
class Evaluated:
    """What the command prints.

    Attributes
    ----------
    examples
        The number of examples.
    facts
        The most important metrics by name.
    metrics
        All metrics, as JSON values.
    text
        All metrics, as text for the terminal.
    """

    examples: int
    facts: dict[str, Any]
    metrics: dict[str, Any]
    text: str

    def row(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the heads and the cells of a table of the facts."""
        cells = [
            "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
            for value in self.facts.values()
        ]
        return [HEADS.get(name, name) for name in self.facts], cells


def classified(
    learner: Learner, stream: FileStream, notes: list[str], learn: bool, column: str | None, window: int
) -> Evaluated:
    """Return the metrics of a classifier. Labels that it does not know are added to the notes."""
    from driftline.evaluate.metrics.shown import shown

    settings = column, window
    metrics = _learned(learner, stream, *settings) if learn else _frozen(learner, stream, notes, *settings)
    facts = {name: getattr(metrics, name) for name in CLASSIFIED}
    return Evaluated(metrics.examples, facts, metrics.to_dict(), shown(metrics))


def regressed(learner: Learner, stream: FileStream, learn: bool, column: str | None, window: int) -> Evaluated:
    """Return the metrics of a regressor."""
    from driftline.evaluate.regression.shown import shown

    metrics = _regression(learner, stream, learn, column, window)
    all_metrics = metrics.to_dict()
    facts = {"examples": metrics.n, **{name: all_metrics[name] for name in REGRESSED}}
    return Evaluated(metrics.n, facts, all_metrics, shown(metrics))


def _regression(
    learner: Learner, stream: FileStream, learn: bool, column: str | None, window: int
) -> RegressionMetrics:
    """Return the metrics of a regressor, which may learn each example after predicting it."""
    import driftline as dl
    from driftline.cli.scored import scored
    from driftline.evaluate.regression.frozen import FrozenRegression
    from driftline.evaluate.regression.result import RegressionRun

    if learn:
        run = dl.run(learner, stream, slice=column, window=window)
        assert isinstance(run, RegressionRun) and run.metrics is not None
        return run.metrics
    found = FrozenRegression(learner, column, window)
    for some in scored(learner, stream):
        found.add(some.rows, some.truth, some.scores)
    return found.metrics


def _frozen(learner: Learner, stream: FileStream, notes: list[str], column: str | None, window: int) -> Metrics:
    """Return the metrics of a model that does not learn.

    Labels that the model does not know are added to the notes.
    """
    from driftline.cli.counted import counted, listed_labels
    from driftline.cli.scored import scored
    from driftline.evaluate.metrics.frozen import FrozenMetrics

    found = FrozenMetrics(learner, column, window)
    for some in scored(learner, stream):
        found.add(some.rows, some.truth, some.labels, some.scores)
    unknown = found.unknown
    if unknown:
        notes.append(
            f"{counted(sum(unknown.values()), 'example')} with labels that the model does not know: "
            f"{listed_labels([repr(label) for label in unknown])}. They count as errors. "
            f"The model knows {listed_labels(list(map(repr, learner.labels)))}"
        )
    return found.metrics


def _learned(learner: Learner, stream: FileStream, column: str | None, window: int) -> Metrics:
    """Return the metrics of a model that learns each example after predicting it."""
    import driftline as dl

    metrics = dl.run(learner, stream, slice=column, window=window).metrics
    assert metrics is not None
    return metrics
