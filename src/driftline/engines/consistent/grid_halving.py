"""Grid halving's engine: the candidates that are left, and the current row as a dense vector x."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np

from driftline.engines.array_checks import constant_state, of_shape, only
from driftline.engines.attribution import Attribution, occluded
from driftline.engines.engine import LEARNED, Engine
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import Rows, SparseRows, as_sparse, cut
from driftline.rules import GridHalving
from driftline.rules.consistent.grid_halving import reset, score, survivors, update, votes

NEW, EMPTY = 1, 2
"""Why ``learn_sparse`` stopped at a row: a new feature, or no candidate left."""


@jit
def read_row(indices: Indices, values: Floats, bias: float, x: Floats) -> int:
    """Write a row into x, the constant feature first; return the number of features it needs.

    Unknown features all have the index after the last known one. They take the free coordinates
    from there on.
    """
    x[:] = 0.0
    constant = 0
    if bias != 0.0:
        x[0] = bias
        constant = 1
    last = np.uint32(0)
    for j in range(indices.size):
        last = max(last, indices[j])
    due = 0
    again = 0
    for j in range(indices.size):
        place = constant + int(indices[j])
        if indices[j] == last:
            place += again
            again += 1
        due = max(due, place + 1 - constant)
        if place < x.size:
            x[place] = values[j]
    return due


@jit
def length_sq(x: Floats) -> float:
    """|x|^2."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j]
    return total


@jit
def learn_row(
    state: Floats, points: Indices, left: int, base: int, raises: bool, x: Floats, trials: Floats, i: int
) -> int:
    """Test, then train on one row; return the candidates left, 0 if the row is refused."""
    count = votes(points, left, base, x)
    trials[SCORE, i] = score(count, left)
    trials[EVENT, i] = 0.0
    if trials[WEIGHT, i] == 0.0 or length_sq(x) < state[SHORTEST_SQ]:
        return left
    y = trials[LABEL, i]
    right = survivors(count, left, y)
    if right == 0:
        if raises:
            return 0
        trials[EVENT, i] = INFEASIBLE
        return reset(points)
    if right < left:
        trials[EVENT, i] = UPDATED
        state[UPDATES] += 1.0
        return update(points, left, base, x, y)
    return left


@jit
def learn_sparse(
    state: Floats,
    points: Indices,
    left: Offsets,
    base: int,
    raises: bool,
    x: Floats,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    start: int,
) -> tuple[int, int]:
    """Test, then train on each row; return the number of rows done, and NEW, EMPTY or 0."""
    features = x.size if state[BIAS] == 0.0 else x.size - 1
    for i in range(start, trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        if read_row(indices[row], values[row], state[BIAS], x) > features:
            return i, NEW
        kept = learn_row(state, points, int(left[0]), base, raises, x, trials, i)
        if kept == 0:
            return i, EMPTY
        left[0] = kept
    return trials.shape[1], 0


@jit
def score_sparse(
    state: Floats,
    points: Indices,
    left: int,
    base: int,
    x: Floats,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row, ignoring features outside of the grid; NaN if not finite or too long."""
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        read_row(indices[row], values[row], state[BIAS], x)
        good = length_sq(x) <= LONGEST_SQ
        scores[i] = score(votes(points, left, base, x), left) if good else nan


class GridHalvingEngine(Engine):
    """Stores the candidates that are left. The first example with features fixes the grid."""

    def __init__(self, rule: GridHalving, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rule = rule
        self.constant = 0 if bias == 0.0 else 1
        self.x = np.zeros(0)
        self.base = 0
        self.points = np.zeros(0, np.uint32)
        self.left = np.zeros(1, np.uint64)
        self.stopped = ""

    def wider(self, features: int) -> dict[str, Any]:
        """Nothing: the grid is allocated once, by ``make_grid``."""
        return {}

    # the grid -----------------------------------------------------------------------------------------------
    def make_grid(self, features: int) -> bool:
        """Allocate the grid for this many features; False, and no change, if it is too large."""
        made = self._allocate(features, lambda size: np.arange(size, dtype=np.uint32))
        if made:
            self.left[0] = self.points.size
        return made

    def _allocate(self, features: int, points_of: Callable[[int], Indices]) -> bool:
        """``make_grid`` with an array of points that ``points_of`` makes from their number."""
        d = features + self.constant
        base = self.rule.base(d)
        decades = d * math.log10(base)
        if decades > 12.0 or base**d * d > self.rule.most:
            size = f"{base**d:,}" if decades < 15.0 else f"10^{decades:.0f}"
            self.stopped = (
                f"must have a grid of at most {self.rule.most:,} numbers, got {size} points x {d} dimensions. "
                "Use EllipsoidLearner, or a larger gamma"
            )
            return False
        try:
            x, points = np.zeros(d), points_of(base**d)
        except MemoryError:
            self.stopped = (
                f"must have a grid that fits into memory, got {base**d:,} points x {d} dimensions. "
                "Use EllipsoidLearner, or a larger gamma"
            )
            return False
        self.x, self.base, self.points = x, base, points
        return True

    def features_due(self, rows: SparseRows, i: int) -> int:
        """The number of features that row i needs."""
        part = slice(int(rows.indptr[i]), int(rows.indptr[i + 1]))
        return read_row(rows.indices[part], rows.values[part], 0.0, self.x)

    # learning -----------------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; the first row with features fixes the grid."""
        rows = as_sparse(rows)
        done = size = trials.shape[1]
        start = 0
        while self.x.size == 0 and start < size:
            due = self.features_due(rows, start)
            if due > 0 and trials[WEIGHT, start] != 0.0:
                features = due if self.rule.features is None else self.rule.features
                if due > features:
                    self.stopped = self.unknown(features, due)
                    done = start
                elif not self.make_grid(features):
                    done = start
                break
            self.score(cut(rows, slice(start, start + 1)), trials[SCORE, start : start + 1])
            trials[EVENT, start] = 0.0
            start += 1
        if start < done:
            raises = self.rule.empty == "raise"
            done, why = learn_sparse(
                self.state, self.points, self.left, self.base, raises, self.x, *rows, trials, start
            )
            if why == NEW:
                self.stopped = self.unknown(self.x.size - self.constant, self.features_due(rows, done))
            elif why == EMPTY:
                self.stopped = (
                    f"must leave a candidate, got one that all {self.left[0]:,} get wrong. "
                    "Set empty='reset', or a smaller gamma"
                )
        tally(self.state, trials, done)
        return done

    def unknown(self, features: int, due: int) -> str:
        """The message for a row with new features."""
        fixed = "the first example has fixed" if self.rule.features is None else "it was made for"
        return (
            f"must have at most the {features} features that {fixed}, got {due}. "
            f"Set features={due}, or use EllipsoidLearner"
        )

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row; before there is a grid, with the grid that the row would fix."""
        rows = as_sparse(rows)
        if self.x.size:
            score_sparse(self.state, self.points, int(self.left[0]), self.base, self.x, *rows, scores)
            return
        self.stopped = ""
        made: dict[int, GridHalvingEngine] = {}
        for i in range(scores.size):
            due = self.features_due(rows, i)
            features = due if self.rule.features is None else self.rule.features
            if features not in made:
                made[features] = GridHalvingEngine(self.rule, self.state[BIAS], self.v.dtype)
                if features + self.constant and not made[features].make_grid(features):
                    self.stopped = made[features].stopped
            whole = made[features]
            if whole.x.size:
                whole.score(cut(rows, slice(i, i + 1)), scores[i : i + 1])
            else:
                scores[i] = np.nan if whole.stopped else 0.0

    def refusal(self) -> str:
        """The message for the row that was refused."""
        return self.stopped

    def unscorable(self) -> str:
        """The message for a grid that would be too large."""
        return "" if self.x.size else self.stopped

    # what was learned ---------------------------------------------------------------------------------------
    def attribute(self, row: Rows) -> Attribution:
        """The contributions of the entries of one row to its score, by leaving out each of them."""
        return occluded(self.score_of, row)

    def weights(self) -> Floats:
        """The mean of the candidates that are left."""
        d = self.x.size
        w = np.zeros(FIRST + max(0, d - self.constant))
        rest = self.points[: self.left[0]].astype(np.int64)
        for j in range(d):
            mean = float(np.mean(rest % self.base - self.base // 2))
            w[0 if j < self.constant else FIRST + j - self.constant] = self.rule.step(d) * mean
            rest //= self.base
        return w

    def extent(self) -> tuple[float, int]:
        """The length of the mean, and the number of candidates that are left."""
        return super().extent()[0], int(self.left[0])

    # keeping ------------------------------------------------------------------------------------------------
    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes what learning the next ``size`` rows changes."""
        if size <= 1:
            return lambda: None
        state, x, left, base = self.state.copy(), self.x.copy(), self.left.copy(), self.base
        points = self.points[: left[0]].copy()

        def undo() -> None:
            self.state[...] = state
            if x.size == 0:
                self.points = points
            self.points[: points.size] = points
            self.x, self.left, self.base = x, left, base

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        dimensions = np.array([self.x.size], np.uint64)
        return {"state": self.state, "points": self.points[: self.left[0]], "dimensions": dimensions}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The candidates that are left, and the dimensions of the grid."""
        return {**self.arrays(), "state": self.state[LEARNED]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Take over what ``saved`` returned; ValueError unless its points are of the grid."""
        only(arrays, "state", "points", "dimensions")
        constant_state(arrays, self.state[LEARNED])
        d = int(of_shape(arrays, "dimensions", "uint64", (1,))[0])
        points = of_shape(arrays, "points", "uint32", (arrays["points"].size,))
        if d:
            due = features if self.rule.features is None else self.rule.features
            # an array that is not filled takes no memory: the points that are left may be few
            fits = 0 < d - self.constant <= due
            if not fits or not self._allocate(d - self.constant, lambda size: np.empty(size, np.uint32)):
                raise ValueError(f"a grid of {d} dimensions for {features} features")
            left = points.size
            if not 0 < left <= self.points.size or points[-1] >= self.points.size or (points[1:] <= points[:-1]).any():
                raise ValueError("points that are none of the grid, or not in order")
            self.points[:left] = points
            self.left[0] = left
        elif points.size:
            raise ValueError(f"{points.size} points without dimensions")
