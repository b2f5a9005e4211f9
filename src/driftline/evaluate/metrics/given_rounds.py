"""Labels, predictions, scores and probabilities that a user passes, as rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftline.engines.metrics.class_counts import NONE
from driftline.evaluate.metrics.rounds import Rounds
from driftline.internals.compiled import Floats
from driftline.internals.require import require

WHERE = "Metrics"


class GivenRounds:
    """The labels that are known, and the conversion of examples to rounds.

    Parameters
    ----------
    labels
        The declared labels. If there are two, no other label is accepted.
    """

    def __init__(self, labels: Sequence[Any]) -> None:
        given = not isinstance(labels, str) and len(set(labels)) == len(labels) != 1
        require(given, WHERE, "labels must be two or more different labels, or none", labels)
        self.numbers = {label: k for k, label in enumerate(labels)}
        self.closed = len(labels) == 2

    @property
    def labels(self) -> list[Any]:
        """The labels in the order of their class numbers."""
        return list(self.numbers)

    def rounds(self, y: Any, predicted: Any, score: Any, probability: Any, measured: bool) -> Rounds:
        """The rounds of one example, or of a sequence of them."""
        known = dict(self.numbers)
        try:
            return self._rounds(y, predicted, score, probability, measured)
        except BaseException:
            self.numbers = known
            raise

    def _rounds(self, y: Any, predicted: Any, score: Any, probability: Any, measured: bool) -> Rounds:
        if isinstance(y, str | bytes) or not hasattr(y, "__len__"):
            y, predicted, score, probability = (
                None if one is None else [one] for one in (y, predicted, score, probability)
            )
        if y is None:
            raise ValueError(f"{WHERE}: y must be a label, got None. Leave out examples without a label")
        size = len(y)
        labels = np.array([self._number(label) for label in _plain(y)], np.int64)
        scores = np.zeros(size) if score is None else _column("score", score, size)
        shares = np.empty((size, 0))
        if measured != (probability is not None):
            raise ValueError(
                f"{WHERE}: probability must be given if and only if probabilities=True, got probabilities={measured}. "
                "Create Metrics with another value"
            )
        if probability is not None:
            shares = self._shares(probability, size)
        if predicted is not None:
            said = [NONE if label is None else self._number(label) for label in _plain(predicted)]
            numbers = _column("predicted", said, size).astype(np.int64)
        elif score is not None and self.closed:
            numbers = (scores >= 0.0).astype(np.int64)
        elif probability is not None:
            numbers = np.argmax(shares, axis=1).astype(np.int64)
        else:
            raise ValueError(
                f"{WHERE}: predicted must be given, got only y. Pass predicted, probability, or score with two labels"
            )
        if score is None:  # without scores there is no AUC of the score
            scores[:] = np.nan
        return Rounds(labels, numbers, np.empty(size, np.uint8), scores, shares)

    def _number(self, label: Any) -> int:
        number = self.numbers.get(label)
        if number is None:
            require(not self.closed, WHERE, f"a label must be one of {self.labels}", label)
            require(label is not None, WHERE, "a label must be a value", label)
            number = self.numbers[label] = len(self.numbers)
        return number

    def _shares(self, probability: Any, size: int) -> Floats:
        """The probabilities, with a column for each label."""
        if len(probability) and isinstance(probability[0], Mapping):
            for row in probability:
                for label in row:
                    self._number(label)
            rows = [[float(row.get(label, 0.0)) for label in self.numbers] for row in probability]
            given = np.array(rows).reshape(len(rows), len(self.numbers))
        else:
            given = np.asarray(probability, float)
        if given.ndim == 1 and self.closed:
            given = np.column_stack([1.0 - given, given])
        fits = given.ndim == 2 and len(given) == size and given.shape[1] <= max(2, len(self.numbers))
        require(fits, WHERE, f"probability must have {size} rows and a column for each label", given.shape)
        return np.ascontiguousarray(given)


def _plain(labels: Any) -> list[Any]:
    """Labels as a list of plain values."""
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def _column(name: str, given: Any, size: int) -> Floats:
    values = np.array(given, float)
    require(values.shape == (size,), WHERE, f"{name} must have {size} entries, as y", values.shape)
    return values
