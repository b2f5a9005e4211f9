"""Rounds of a run as metrics see them: class numbers, scores and probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.metrics.class_counts import Counts, Hits
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock

EVERY_ROW_OF_ONE_GROUP: Counts = np.empty(0, np.int64)


class Rounds(NamedTuple):
    """One entry per round.

    ``predicted`` is -1 if no label could be predicted. ``hits`` tells which baselines were right.
    ``probabilities`` has a column for each class, or none if probabilities are not measured.
    """

    labels: Counts
    predicted: Counts
    hits: Hits
    scores: Floats
    probabilities: Floats


class RoundBuffer:
    """Memory for the rounds of a block, which is used again for the next one.

    New arrays for every block would cost more than the metrics.
    """

    def __init__(self) -> None:
        self._make(1024)

    def _make(self, size: int) -> None:
        self._labels, self._predicted = np.empty(size, np.int64), np.empty(size, np.int64)
        self._hits = np.empty(size, np.uint8)
        self._none = np.empty((size, 0))

    def rounds(self, learned: LearnedBlock, measured: bool) -> Rounds:
        """The rounds of a learned block.

        With several classes ``labels`` and ``predicted`` are filled, with two labels they are not.
        """
        size = len(learned)
        if size > len(self._labels):
            self._make(size)
        labels, predicted, probabilities = self._labels[:size], self._predicted[:size], self._none[:size]
        if learned.classes is not None:
            assert learned.predicted is not None
            labels[:], predicted[:] = learned.classes, learned.predicted
        if measured:
            assert learned.probabilities is not None
            probabilities = np.ascontiguousarray(learned.probabilities)
        return Rounds(labels, predicted, self._hits[:size], np.ascontiguousarray(learned.scores), probabilities)
