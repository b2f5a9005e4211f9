"""The last rounds of a run, and their metrics along the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.engines.metrics.score_bins import SCORE_BINS
from driftline.engines.metrics.windowed import AT, AUC, FIRST_SHARE, POINT, SHARES, advance
from driftline.evaluate.metrics.rounds import Rounds
from driftline.internals.compiled import Floats

FIRST_STRIDE = 256
POINTS = 64
"""The most points of the series."""
SERIES = ("examples", "error", "balanced_accuracy", "kappa", "kappa_temporal", "auc", "log_loss")


class Window:
    """A ring of the last ``size`` rounds, and at most 64 points with their metrics.

    A point lies at each multiple of a stride, which starts at 256 and doubles when there are too
    many points. The positions do not depend on the blocks of the stream.

    Parameters
    ----------
    size
        The number of rounds in the window.
    measured
        Whether the rounds have probabilities.
    """

    def __init__(self, size: int, measured: bool) -> None:
        self.size = size
        self.measured = measured
        self.stride = FIRST_STRIDE
        self.points: Floats = np.empty((0, POINT))
        self.ring = Rounds(
            np.zeros(size, np.int64),
            np.zeros(size, np.int64),
            np.zeros(size, np.uint8),
            np.zeros(size),
            np.zeros((size, 2 if measured else 0)),
        )
        self._counts = np.zeros((3, 2), np.int64)
        self._bins = np.zeros((2, SCORE_BINS), np.int64)

    def add(self, done: int, rounds: Rounds, two: bool, classes: int) -> None:
        """Add rounds that follow ``done`` earlier ones."""
        self._widen(classes)
        first = (-done % self.stride or self.stride) - 1
        points = np.empty((len(range(first, len(rounds.labels), self.stride)), POINT))
        if classes != self._counts.shape[1]:
            self._counts = np.zeros((3, classes), np.int64)
        labels, predicted, hits, scores, given = self.ring
        ring = labels, predicted, hits, scores, given if self.measured else None
        advance(done, *rounds, *ring, two, first, self.stride, self._counts, self._bins, points)
        if len(points):
            self.points = np.concatenate([self.points, points])
        while len(self.points) > POINTS:
            self.stride *= 2
            self.points = self.points[1::2].copy()

    def _widen(self, classes: int) -> None:
        """Give the ring a column for the probability of each class; too many have none."""
        if not self.measured:
            return
        columns, old = classes, self.ring.probabilities
        if columns > old.shape[1]:
            wider = np.zeros((self.size, columns))
            wider[:, : old.shape[1]] = old
            self.ring = self.ring._replace(probabilities=wider)

    def to_several(self, swap: bool) -> None:
        """Go on with several classes; ``swap`` exchanges the numbers of the first two."""
        if not self.measured:
            self.points[:, AUC] = np.nan
        if swap:
            ring, shares = self.ring, self.points[:, FIRST_SHARE : FIRST_SHARE + 2]
            shares[:] = shares[:, ::-1].copy()
            ring.labels[:] = 1 - ring.labels
            ring.predicted[ring.predicted >= 0] = 1 - ring.predicted[ring.predicted >= 0]
            ring.probabilities[:] = ring.probabilities[:, ::-1].copy()

    def rounds(self, done: int) -> Rounds:
        """The last rounds in their order, after ``done`` rounds."""
        order = np.arange(max(0, done - self.size), done) % self.size
        labels, predicted, hits, scores, probabilities = self.ring
        return Rounds(labels[order], predicted[order], hits[order], scores[order], probabilities[order])

    def series(self, classes: int) -> dict[str, Floats]:
        """The columns of the points by name; "shares" has a column for each of the first classes."""
        named = {name: self.points[:, k].copy() for k, name in enumerate(SERIES)}
        return {**named, "shares": self.points[:, FIRST_SHARE : FIRST_SHARE + min(SHARES, classes)].copy()}

    # checkpoints -------------------------------------------------------------------------------
    def state(self, done: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Plain values, and arrays."""
        rows = min(done, self.size)
        arrays = {f"window {name}": part[:rows] for name, part in self.ring._asdict().items()}
        return {"window": self.size, "stride": self.stride}, {**arrays, "points": self.points}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray], done: int, classes: int) -> None:
        """Take over a state after ``done`` rounds; raise ValueError if no run can have it."""
        stride, points = meta["stride"], arrays["points"]
        multiple = type(stride) is int and stride >= FIRST_STRIDE and stride % FIRST_STRIDE == 0
        if meta["window"] != self.size or not multiple or (stride // FIRST_STRIDE).bit_count() != 1:
            raise ValueError(f"a window of {meta['window']!r} with stride {stride!r}")
        due = done // stride
        if stride > FIRST_STRIDE and done // (stride // 2) <= POINTS:
            raise ValueError(f"stride {stride} after {done} examples")
        if points.dtype != np.float64 or points.shape != (due, POINT) or due > POINTS:
            raise ValueError(f"points of shape {points.shape} and {points.dtype}")
        if not np.array_equal(points[:, AT], stride * np.arange(1.0, due + 1.0)):
            raise ValueError("points that are not at multiples of the stride")
        self._widen(classes)
        self.stride, self.points = stride, points.copy()
        rows = min(done, self.size)
        for name, part in self.ring._asdict().items():
            array = arrays[f"window {name}"]
            if array.dtype != part.dtype or array.shape != (rows, *part.shape[1:]):
                raise ValueError(f"window {name} of shape {array.shape} and {array.dtype}")
            part[:rows] = array
        labels, predicted, hits = (part[:rows] for part in self.ring[:3])
        known = np.all((labels >= 0) & (labels < classes) & (predicted >= -1) & (predicted < classes))
        if not known or np.any(hits > 3):
            raise ValueError("a window with unknown classes")
