"""Engines of learners that predict by the centre of what is still possible: v is that centre, a mistake cuts it.

Rows are scored in a compiled loop up to the next mistake; what a cut does is the business of each engine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from driftline.engines.engine import Engine, only
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
    """Score one row; whether it is a mistake to learn from."""
    score = score_row(state, v, indices, values)
    trials[SCORE, i] = score
    trials[EVENT, i] = 0.0
    return trials[WEIGHT, i] != 0.0 and trials[LABEL, i] * score <= 0.0


@jit
def next_sparse(
    state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, trials: Floats, start: int
) -> int:
    """Score rows from ``start`` on; return the first that is a mistake, or how many there are."""
    for i in range(start, trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        if is_mistake(state, v, indices[row], values[row], trials, i):
            return i
    return trials.shape[1]


@jit
def next_dense(state: Floats, v: Floats, X: Floats, trials: Floats, start: int) -> int:
    """Score rows from ``start`` on; return the first that is a mistake, or how many there are."""
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
    """A centre v, and beside it whatever describes what is possible, in ``own``.

    Coordinates are the constant feature, if there is one, then the others.
    """

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating], most: int) -> None:
        super().__init__(rule, bias, dtype)
        self.most = most
        self.constant = 0 if bias == 0.0 else 1
        self.too_many = 0

    @abstractmethod
    def own(self) -> dict[str, np.ndarray]:
        """What it has learned beside the centre."""

    @abstractmethod
    def own_again(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over what was its ``own``."""

    @abstractmethod
    def cut(self, places: Indices, x: Floats, margin: float, y: float) -> float:
        """Learn the example with these coordinates, all others being 0; return the events of the round."""

    @abstractmethod
    def memory(self, dimensions: int) -> int:
        """How many bytes so many dimensions need."""

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test each row, and train on those that are mistakes; it stops at one with too many dimensions."""
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
        """``cut``, if the example is one, and has not too many dimensions."""
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
            f"must have at most {self.most} dimensions, the constant one counted, got {self.too_many}, for which "
            f"{size:,.0f} MB were needed. Set most={self.too_many}, or use one that keeps weights only, such as PA1"
        )

    def place_of(self, dimensions: int) -> np.ndarray:
        """Where the coordinates lie in v."""
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
        """A function that takes back whatever learning the next ``size`` rows changes."""
        if size <= 1:
            return lambda: None
        state, v = self.state.copy(), self.v.copy()
        own = {name: array.copy() for name, array in self.own().items()}

        def undo() -> None:
            self.state[...] = state
            self.v[...] = v
            self.own_again(own)

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        return {**super().arrays(), **self.own()}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """All that was learned about so many features."""
        return {**super().saved(features), **self.own()}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Be as the engine that ``saved`` these."""
        names = self.own().keys()
        only(arrays, "state", "v", *names)
        own = {name: arrays[name] for name in names}
        dimensions = self.checked(own)
        if not self.constant <= dimensions <= self.constant + features:
            raise ValueError(f"{dimensions} dimensions of {features} features")
        super().restore(features, {name: array for name, array in arrays.items() if name not in names})
        outside = np.ones(self.v.size, bool)
        outside[self.place_of(dimensions)] = False
        if self.v[outside].any():
            raise ValueError("a centre outside of its dimensions")
        self.own_again(own)

    @abstractmethod
    def checked(self, own: dict[str, np.ndarray]) -> int:
        """The dimensions of what some engine's ``own`` may be; ValueError if it may not."""
