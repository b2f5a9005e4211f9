"""Count the examples, values and labels of a stream while it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.cli.forwarded_stream import ForwardedStream
from driftline.report import DataSummary
from driftline.streams.schema.recipe import REGRESSION

if TYPE_CHECKING:
    from driftline.streams import FileStream


class Tally(ForwardedStream):
    """A wrapper of a file stream that counts its examples, values and labels as they are read.

    The targets of a regression are not counted: there are too many different ones.
    """

    def __init__(self, stream: FileStream) -> None:
        super().__init__(stream)
        self.stream = stream

    def __iter__(self) -> Iterator[Any]:
        self.examples = self.values = 0
        self.labels: Counter[Any] = Counter()
        self.weights: tuple[float, float] | None = None
        for block in self.stream:
            X, y, *w = block
            self.examples += len(X)
            self.values += len(X.values)
            if self.stream.task != REGRESSION:
                labels, counts = np.unique(y, return_counts=True)
                self.labels.update(dict(zip(labels.tolist(), counts.tolist(), strict=True)))
            if w:
                low, high = self.weights or (np.inf, -np.inf)
                self.weights = min(low, float(w[0].min())), max(high, float(w[0].max()))
            yield block

    def summary(self, features: int, seconds: float) -> DataSummary:
        """Return the counts as the data section of a report."""
        return DataSummary(
            source=self.stream.name,
            format=self.stream.format,
            examples=self.examples,
            features=features,
            labels=[(str(label), count) for label, count in self.labels.most_common()],
            values_per_example=self.values / max(1, self.examples),
            skipped=self.stream.skipped,
            reasons=self.stream.reasons,
            seconds=seconds,
            sample_weights=self.weights,
        )
