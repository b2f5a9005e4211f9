"""The metrics of a model that does not learn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from driftline.evaluate.metrics.metrics import Metrics
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP, Rounds
from driftline.evaluate.metrics.slices import Slices
from driftline.internals.compiled import Floats
from driftline.learners import Learner


class FrozenMetrics:
    """Metrics of the labels, scores and probabilities that a model gives to rows.

    If a row has a label that the model does not know, the label becomes a further class, and the
    scores rank no more.

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
    unknown
        The labels that the model does not know, and their numbers of rows.
    """

    def __init__(self, learner: Learner, column: str | None = None, window: int = 1000) -> None:
        self._learner = learner
        self._labels = {label: k for k, label in enumerate(learner.labels)}
        several = len(self._labels) != 2
        self.metrics = Metrics(() if several else learner.labels, window=window, probabilities=True)
        self.metrics.labels = list(self._labels)
        self._slices = None if column is None else Slices(column)
        self.unknown: Counter[Any] = Counter()

    def add(self, X: Any, truth: Any, predicted: np.ndarray, scores: Floats) -> None:
        """Add rows.

        Parameters
        ----------
        X
            The rows.
        truth
            Their labels.
        predicted
            The labels that the model predicts.
        scores
            The score of each row, or of each row and label.
        """
        known = len(self._learner.labels)
        groups = EVERY_ROW_OF_ONE_GROUP if self._slices is None else self._slices.groups(X)
        values = () if self._slices is None else tuple(self._slices.values)
        labels = np.array([self._labels.setdefault(one, len(self._labels)) for one in truth.tolist()], np.int64)
        self.unknown.update(one for one, k in zip(truth.tolist(), labels.tolist(), strict=True) if k >= known)
        if self.unknown and self.metrics._tables.two:
            self.metrics._to_several(swap=False)
        said = np.array([self._labels[one] for one in predicted.tolist()], np.int64)
        shares = np.ascontiguousarray(self._learner.predict_proba_many(X))
        score = scores if scores.ndim == 1 else np.zeros(len(labels))
        self.metrics._take(Rounds(labels, said, np.empty(len(labels), np.uint8), score, shares), groups, values)
        self.metrics.labels = list(self._labels)
