"""Engines that predict by the centre of a region of consistent weights.

v is the centre, and a mistake cuts the region. A compiled loop scores the rows up to the next
mistake. The rule of each engine then cuts the region.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from driftline.engines.array_checks import only, without
from driftline.engines.engine import Engine
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    REFUSED,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import DenseRows, Rows, row_of
from driftline.rules import Rule


@jit
def score_row(state: Floats, v: Floats, indices: Indices, values: Floats) -> float:
    """c.x."""
    dot = state[BIAS] * v[0]
    for j in range(indices.size):
        dot += v[FIRST + indices[j]] * values[j]
    return dot


@jit
def is_mistake(state: Floats, v: Floats, indices: Indices, values: Floats, trials: Floats, i: int) -> bool:
    """Score one row; return whether it is a mistake to train on."""
    score = score_row(state, v, indices, values)
    trials[SCORE, i] = score
    trials[EVENT, i] = 0.0
    return trials[WEIGHT, i] != 0.0 and trials[LABEL, i] * score <= 0.0


@jit
def next_sparse(
    state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, trials: Floats, start: int
) -> int:
    """Score rows from ``start`` on; return the first that is a mistake, or the number of rows."""
    for i in range(start, trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        if is_mistake(state, v, indices[row], values[row], trials, i):
            return i
    return trials.shape[1]


@jit
def next_dense(state: Floats, v: Floats, X: Floats, trials: Floats, start: int) -> int:
    """Score rows from ``start`` on; return the first that is a mistake, or the number of rows."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(start, trials.shape[1]):
        if is_mistake(state, v, every, X[i], trials, i):
            return i
    return trials.shape[1]


@jit
def score_sparse(state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
    """Score each row."""
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        scores[i] = score_row(state, v, indices[row], values[row])


@jit
def score_dense(state: Floats, v: Floats, X: Floats, scores: Floats) -> None:
    """Score each row."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(scores.size):
        scores[i] = score_row(state, v, every, X[i])


class CuttingEngine(Engine):
    """The centre v, and the arrays that describe the region.

    The coordinates of the region are the constant feature, if any, then the other features.
    """

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating], most: int) -> None:
        super().__init__(rule, bias, dtype)
        self.most = most
        self.constant = 0 if bias == 0.0 else 1
        self.too_many = 0

    @abstractmethod
    def region(self) -> dict[str, np.ndarray]:
        """The arrays that describe the region, by name."""

    @abstractmethod
    def set_region(self, arrays: dict[str, np.ndarray]) -> None:
        """Copy the region from arrays that ``region`` returned."""

    @abstractmethod
    def region_dimensions(self, arrays: dict[str, np.ndarray]) -> int:
        """The dimensions of a region read from a file; ValueError if its arrays are malformed."""

    @abstractmethod
    def cut(self, places: Indices, x: Floats, margin: float, y: float) -> float:
        """Train on the mistake that is ``x`` at these coordinates, else 0; return the events."""

    @abstractmethod
    def memory(self, dimensions: int) -> int:
        """The number of bytes that a region of this many dimensions needs."""

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test each row and train on mistakes, up to one with too many dimensions."""
        done, start = trials.shape[1], 0
        while (at := self._next_mistake(rows, trials, start)) < done:
            y = trials[LABEL, at]
            event = self._learn_row(*row_of(rows, at), y * trials[SCORE, at], y)
            if event == REFUSED:
                done = at
                break
            trials[EVENT, at] = event
            self.state[UPDATES] += event == UPDATED
            start = at + 1
        tally(self.state, trials, done)
        return done

    def _next_mistake(self, rows: Rows, trials: Floats, start: int) -> int:
        if isinstance(rows, DenseRows):
            return next_dense(self.state, self.v, rows.X, trials, start)
        return next_sparse(self.state, self.v, *rows, trials, start)

    def _learn_row(self, indices: Indices, values: Floats, margin: float, y: float) -> float:
        """Add the constant feature and ``cut``, unless x is zero or has too many dimensions."""
        places, x = indices + np.uint32(self.constant), values
        if self.constant:
            places = np.concatenate([np.zeros(1, np.uint32), places])
            x = np.concatenate([self.state[BIAS : BIAS + 1], values])
        if float(np.sum(x * x)) < self.state[SHORTEST_SQ]:
            return 0.0
        dimensions = int(places.max()) + 1
        if dimensions > self.most:
            self.too_many = dimensions
            return REFUSED
        return self.cut(places, x, margin, y)

    def refusal(self) -> str:
        """Too many dimensions."""
        size = self.memory(self.too_many) / 1e6
        return (
            f"must have at most {self.most} dimensions including the constant one, got {self.too_many}, which need "
            f"{size:,.0f} MB. Set most={self.too_many}, or use a learner that stores only weights, such as PA1"
        )

    def place_of(self, dimensions: int) -> np.ndarray:
        """The positions of the coordinates in v."""
        return np.concatenate([np.arange(self.constant), np.arange(FIRST, FIRST + dimensions - self.constant)])

    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""
        score_sparse(self.state, self.v, indptr, indices, values, scores)

    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""
        score_dense(self.state, self.v, X, scores)

    def weights(self) -> Floats:
        """The centre."""
        return self.v

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes what learning the next ``size`` rows changes."""
        if size <= 1:
            return lambda: None
        state, v = self.state.copy(), self.v.copy()
        region = {name: array.copy() for name, array in self.region().items()}

        def undo() -> None:
            self.state[...] = state
            self.v[...] = v
            self.set_region(region)

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        return {**super().arrays(), **self.region()}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Everything learned about this many features."""
        return {**super().saved(features), **self.region()}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Take over what ``saved`` returned; ValueError if it is malformed."""
        names = self.region().keys()
        only(arrays, "state", "v", *names)
        region = {name: arrays[name] for name in names}
        dimensions = self.region_dimensions(region)
        if not self.constant <= dimensions <= self.constant + features:
            raise ValueError(f"{dimensions} dimensions of {features} features")
        super().restore(features, without(arrays, *names))
        outside = np.ones(self.v.size, bool)
        outside[self.place_of(dimensions)] = False
        if self.v[outside].any():
            raise ValueError("a centre outside of its dimensions")
        self.set_region(region)
