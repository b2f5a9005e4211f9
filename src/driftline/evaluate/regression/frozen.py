"""The metrics of a regressor that does not learn."""

from __future__ import annotations

from typing import Any

from driftline.encode.targets import Targets
from driftline.evaluate.by_task import tube_of
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP
from driftline.evaluate.metrics.slices import Slices
from driftline.evaluate.regression.metrics import RegressionMetrics
from driftline.internals.compiled import Floats
from driftline.learners import Learner


class FrozenRegression:
    """Metrics of the predictions that a regressor gives to rows.

    Parameters
    ----------
    learner
        The model.
    column
        The column by whose values the rows are sliced; None for no slices.
    window
        The number of rows in the window.

    Attributes
    ----------
    metrics
        The metrics.
    """

    def __init__(self, learner: Learner, column: str | None = None, window: int = 1000) -> None:
        self.metrics = RegressionMetrics(window=window, epsilon=tube_of(learner.rule))
        self._targets = Targets(learner.kind)
        self._slices = None if column is None else Slices(column)

    def add(self, X: Any, truth: Any, predicted: Floats) -> None:
        """Add rows.

        Parameters
        ----------
        X
            The rows.
        truth
            Their targets.
        predicted
            The predictions of the model.
        """
        targets = self._targets.sign_many(truth)
        groups = EVERY_ROW_OF_ONE_GROUP if self._slices is None else self._slices.groups(X)
        values = () if self._slices is None else tuple(self._slices.values)
        self.metrics._take(targets, predicted, groups, values)
