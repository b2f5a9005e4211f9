"""The last rounds of a regression, and their metrics along the run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.engines.metrics.residual_sums import AT, POINT, advance
from driftline.internals.compiled import Floats

FIRST_STRIDE = 256
POINTS = 64
"""The most points of the series."""
SERIES = ("n", "mae", "rmse", "r2", "bias", "mean_mae", "no_change_mae")
KEPT = 4


class Residuals(NamedTuple):
    """Targets, predictions, and the predictions of both baselines: one entry per round."""

    y: Floats
    predicted: Floats
    means: Floats
    lasts: Floats


class ResidualWindow:
    """A ring of the last ``size`` rounds, and at most 64 points with their metrics.

    A point lies at each multiple of a stride, which starts at 256 and doubles when there are too
    many points. The positions do not depend on the blocks of the stream.

    Parameters
    ----------
    size
        The number of rounds in the window.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.stride = FIRST_STRIDE
        self.points: Floats = np.empty((0, POINT))
        self.ring: Floats = np.zeros((KEPT, size))

    def add(self, done: int, rounds: Residuals) -> None:
        """Add rounds that follow ``done`` earlier ones."""
        first = (-done % self.stride or self.stride) - 1
        points = np.empty((len(range(first, len(rounds.y), self.stride)), POINT))
        advance(done, *rounds, self.ring, first, self.stride, points)
        if len(points):
            self.points = np.concatenate([self.points, points])
        while len(self.points) > POINTS:
            self.stride *= 2
            self.points = self.points[1::2].copy()

    def rounds(self, done: int) -> Residuals:
        """The last rounds in their order, after ``done`` rounds."""
        order = np.arange(max(0, done - self.size), done) % self.size
        return Residuals(*np.ascontiguousarray(self.ring[:, order]))

    def series(self) -> dict[str, Floats]:
        """The columns of the points by name."""
        return {name: self.points[:, k].copy() for k, name in enumerate(SERIES)}

    # checkpoints -------------------------------------------------------------------------------
    def state(self, done: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Plain values, and arrays."""
        ring = np.ascontiguousarray(self.ring[:, : min(done, self.size)])
        return {"window": self.size, "stride": self.stride}, {"window": ring, "points": self.points}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray], done: int) -> None:
        """Take over a state after ``done`` rounds; raise ValueError if no run can have it."""
        stride, points, ring = meta["stride"], arrays["points"], arrays["window"]
        multiple = type(stride) is int and stride >= FIRST_STRIDE and stride % FIRST_STRIDE == 0
        if meta["window"] != self.size or not multiple or (stride // FIRST_STRIDE).bit_count() != 1:
            raise ValueError(f"a window of {meta['window']!r} with stride {stride!r}")
        due, rows = done // stride, min(done, self.size)
        if due > POINTS or (stride > FIRST_STRIDE and done // (stride // 2) <= POINTS):
            raise ValueError(f"stride {stride} after {done} examples")
        if points.dtype != np.float64 or points.shape != (due, POINT):
            raise ValueError(f"points of shape {points.shape} and {points.dtype}")
        if not np.array_equal(points[:, AT], stride * np.arange(1.0, due + 1.0)):
            raise ValueError("points that are not at multiples of the stride")
        if ring.dtype != np.float64 or ring.shape != (KEPT, rows):
            raise ValueError(f"a window of shape {ring.shape} and {ring.dtype}")
        if not np.isfinite(ring[[0, 2, 3]]).all():
            raise ValueError("a window with targets that are not finite")
        self.stride, self.points = stride, points.copy()
        self.ring[:, :rows] = ring
