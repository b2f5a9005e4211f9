"""The rows of a run that were predicted and wait for their labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from driftline.evaluate.arrivals import Arrivals
from driftline.evaluate.blocks import Block, part
from driftline.internals.compiled import Floats
from driftline.internals.rows import FileRows
from driftline.learners.late_rounds import Predictions


class StoredBlock:
    """A block of the stream, and the predictions of its rows.

    Parameters
    ----------
    block
        Rows, labels and sample weights.
    start
        The number of rows of the stream before the block.
    arrivals
        The times of the rows, and the arrivals of their labels.
    """

    def __init__(self, block: Block, start: int, arrivals: Arrivals) -> None:
        self.block = block
        self.start = start
        self.arrivals = arrivals
        size = len(block[1])
        self.scores, self.margins = np.zeros(size), np.zeros(size)
        self.labels: list[Any] = [None] * size
        """The predicted label of each row."""
        self.shares: dict[int, dict[Any, float]] = {}
        """The probability of each label, by row."""
        self.records: dict[int, Floats] = {}
        """The record of each open row, by row; see ``late_rounds``."""

    def rows(self, places: Sequence[int]) -> Block:
        """Some rows with labels and weights; arrays are copied only if the rows are not consecutive."""
        first = places[0]
        if all(place == first + k for k, place in enumerate(places)):
            return part(self.block, first, first + len(places))
        X, y, w = self.block
        assert isinstance(X, FileRows)  # only rows of files arrive in another order, or are left out
        return X.take(places), y[places], None if w is None else w[places]

    def predicted(self, first: int, found: Predictions) -> None:
        """Store the predictions of the rows from ``first`` on."""
        stop = first + len(found.scores)
        self.scores[first:stop], self.margins[first:stop] = found.scores, found.margins
        self.labels[first:stop] = found.labels

    def keep_records(self, first: int, records: Sequence[Floats]) -> None:
        """Store the records of the rows from ``first`` on."""
        self.records.update(enumerate(records, first))

    def keep_shares(self, first: int, labels: Sequence[Any], probabilities: Floats) -> None:
        """Store the probabilities of the rows from ``first`` on, which have a column for each label."""
        for k, row in enumerate(probabilities.tolist()):
            self.shares[first + k] = dict(zip(labels, row, strict=True))


class OpenRow(tuple[float, int, StoredBlock]):
    """Arrival, position in the stream, and block of an open row. Open rows are ordered by arrival."""

    __slots__ = ()

    @property
    def stored(self) -> StoredBlock:
        """The block of the row."""
        return self[2]

    @property
    def place(self) -> int:
        """The position of the row in its block."""
        return self[1] - self[2].start


class OpenRows:
    """Open rows in the order in which their labels arrive; of equal arrivals, the earlier row first."""

    def __init__(self) -> None:
        self._heap: list[OpenRow] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, arrival: float, position: int, stored: StoredBlock) -> None:
        """Add a row."""
        heappush(self._heap, OpenRow((arrival, position, stored)))

    def arrived(self, time: float) -> list[OpenRow]:
        """Take out the rows whose labels have arrived at this time, in order."""
        found = []
        while self._heap and self._heap[0][0] <= time:
            found.append(heappop(self._heap))
        return found

    def give_back(self, rows: Iterable[OpenRow], below: int) -> None:
        """Add rows again that were taken out, and remove all rows from position ``below`` on."""
        self._heap = [row for row in (*self._heap, *rows) if row[1] < below]
        heapify(self._heap)

    def everything(self) -> list[OpenRow]:
        """All open rows in order of arrival."""
        return sorted(self._heap)


def label_numbers(labels: Sequence[Any], found: Iterable[Any]) -> Floats:
    """The position of each label among ``labels``; -1 for None."""
    number = {label: float(k) for k, label in enumerate(labels)} | {None: -1.0}
    return np.array([number[label] for label in found])


def share_matrix(labels: Sequence[Any], rows: Sequence[dict[Any, float]]) -> Floats:
    """The probability of each label in each row; 0 for labels that a row does not have."""
    return np.array([[row.get(label, 0.0) for label in labels] for row in rows]).reshape(len(rows), len(labels))
