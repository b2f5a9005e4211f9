"""The time line of a run: the times of some of its examples, for curves over real time."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.rows import FileRows
from driftline.learners import LearnedBlock, Learner
from driftline.streams.schema.times import LARGEST_TIME


class TimeLine:
    """The times of the first, the last and every ``stride``-th example.

    The stride doubles whenever there are more than ``points`` of them. Examples without a date are
    left out.

    Parameters
    ----------
    first
        The number of examples that the learner had learned before the run.
    points
        The most points.
    """

    name = "times"
    wants_probabilities = False

    def __init__(self, first: int = 0, points: int = 2000) -> None:
        self._first = first
        self._points = points
        self._stride = 1
        self._rows: Floats = np.empty((0, 2))
        self._ends: Floats = np.empty((0, 2))
        """The first and the last example with a date."""

    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """Keep some times of a learned block.

        Parameters
        ----------
        learned, X, learner
            The record of the block, its rows, and the learner.
        """
        if not isinstance(X, FileRows) or X.times is None:
            return
        dated = np.flatnonzero(~np.isnan(X.times))
        if not len(dated):
            return
        examples = learned.start - self._first + 1 + dated
        table = np.column_stack([examples, X.times[dated]])
        self._ends = np.concatenate([self._ends[:1], table[[0, -1]]])[[0, -1]]
        self._rows = np.concatenate([self._rows, table[examples % self._stride == 0]])
        while len(self._rows) > self._points:
            self._stride *= 2
            self._rows = self._rows[self._rows[:, 0] % self._stride == 0]

    def table(self) -> dict[str, Floats] | None:
        """The points: "examples" and "seconds" since 1970; None if no example has a date."""
        if not len(self._ends):
            return None
        first, last = self._ends[:1], self._ends[1:]
        inner = self._rows[(self._rows[:, 0] > first[0, 0]) & (self._rows[:, 0] < last[0, 0])]
        parts = [first, inner, last] if last[0, 0] > first[0, 0] else [first]
        found = np.concatenate(parts)
        return {"examples": found[:, 0].copy(), "seconds": found[:, 1].copy()}

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""
        return {"stride": self._stride, "points": self._points}, {"rows": self._rows, "ends": self._ends}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state; ValueError if no time line can have it.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned.
        """
        if meta.keys() != {"stride", "points"} or arrays.keys() != {"rows", "ends"}:
            raise ValueError("a time line must have a stride, points, rows and ends")
        stride, points, rows, ends = meta["stride"], meta["points"], arrays["rows"], arrays["ends"]
        if type(stride) is not int or not 1 <= stride < 1 << 53 or stride.bit_count() != 1:
            raise ValueError("the stride of a time line must be a power of 2")
        if type(points) is not int or points < 2 or len(rows) > points or len(ends) not in (0, 2):
            raise ValueError("a time line must have at most the number of points that it allows")
        for array in (rows, ends):
            if array.dtype != np.float64 or array.ndim != 2 or array.shape[1] != 2 or not np.isfinite(array).all():
                raise ValueError("a time line must have rows of two numbers")
            if (array[:, 0] < 1.0).any() or (np.abs(array[:, 1]) > LARGEST_TIME).any() or (array[:, 0] % 1.0).any():
                raise ValueError("a time line must have examples and their times")
            if (np.diff(array[:, 0]) < (0.0 if array is ends else 1.0)).any():
                raise ValueError("a time line must be in order")
        if (rows[:, 0] % stride).any() or (len(rows) and not len(ends)):
            raise ValueError("the points of a time line must be at multiples of its stride")
        self._stride, self._points, self._rows, self._ends = stride, points, rows.copy(), ends.copy()
