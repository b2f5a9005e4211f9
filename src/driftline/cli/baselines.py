"""The errors of two baselines on a sequence of labels: no change, and the majority so far.

``evaluate.baselines`` counts the same in a run, from the record of a learned block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any


class Baselines:
    """Counts the errors while labels come in; for both baselines the first label is an error."""

    def __init__(self) -> None:
        self.examples = self.no_change = self.majority = 0
        self._last: Any = None
        self._leader: Any = None
        self._counts: Counter[Any] = Counter()

    def add(self, labels: Iterable[Any]) -> None:
        """Count the next labels.

        >>> baselines = Baselines()
        >>> baselines.add(["a", "a", "b", "b", "b"])
        >>> baselines.no_change, baselines.majority
        (2, 4)
        """
        counts, last, leader = self._counts, self._last, self._leader
        for label in labels:
            self.examples += 1
            self.no_change += label != last
            self.majority += label != leader
            counts[label] += 1
            if leader is None or counts[label] > counts[leader]:
                leader = label
            last = label
        self._last, self._leader = last, leader

    @property
    def no_change_error(self) -> float:
        """The error of the previous label as prediction."""
        return self.no_change / max(1, self.examples)

    @property
    def majority_error(self) -> float:
        """The error of the most frequent label so far as prediction."""
        return self.majority / max(1, self.examples)
