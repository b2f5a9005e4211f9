"""Grid halving's engine: the list of the grid's points that are left, as whole numbers of d digits.

Digit j of a point is m_j + M, in base 2 M + 1: the sign of w.x is that of sum_j m_j x_j, whatever the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import nan

import numpy as np

from driftline.engines.engine import LEARNED, Engine, of_shape, only
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    SCORE,
    SEEN,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import Rows, SparseRows, as_sparse, cut
from driftline.rules import GridHalving

# why it stopped at a row
NEW, EMPTY = 1, 2


@jit
def point(indices: Indices, values: Floats, bias: float, x: Floats) -> int:
    """Write a row's coordinates into x, the constant one first; return how many features must be there for it.

    Unknown features all have the index after the last: they take the coordinates that are free from there on.
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
def vote(points: Indices, left: int, base: int, x: Floats) -> float:
    """How many of the points say +1; NaN where x is not finite or too long."""
    x_sq = 0.0
    for j in range(x.size):
        x_sq += x[j] * x[j]
    if not x_sq <= LONGEST_SQ:
        return nan
    count = 0
    for i in range(left):
        count += side(points[i], base, x) >= 0.0
    return float(count)


@jit
def side(digits: int, base: int, x: Floats) -> float:
    """sum_j m_j x_j of one point."""
    rest = np.uint32(digits)
    whole = np.uint32(base)
    middle = np.uint32(base // 2)
    total = 0.0
    for j in range(x.size):
        total += (float(rest % whole) - float(middle)) * x[j]
        rest = rest // whole
    return total


@jit
def drop(points: Indices, left: int, base: int, x: Floats, y: float) -> int:
    """Keep the points that say y, at the front and in order; return how many these are."""
    kept = 0
    for i in range(left):
        if (side(points[i], base, x) >= 0.0) == (y > 0.0):
            points[kept] = points[i]
            kept += 1
    return kept


@jit
def learn_row(
    state: Floats, points: Indices, left: int, base: int, raises: bool, x: Floats, trials: Floats, i: int
) -> int:
    """Test, then train on one row; return how many points are left, 0 where it is refused."""
    positive = vote(points, left, base, x)
    trials[SCORE, i] = (2.0 * positive - left) / left
    trials[EVENT, i] = 0.0
    x_sq = 0.0
    for j in range(x.size):
        x_sq += x[j] * x[j]
    if trials[WEIGHT, i] == 0.0 or x_sq < state[SHORTEST_SQ]:
        return left
    y = trials[LABEL, i]
    right = int(positive) if y > 0.0 else left - int(positive)
    if right == 0:
        if raises:
            return 0
        trials[EVENT, i] = INFEASIBLE
        for k in range(points.size):
            points[k] = k
        return points.size
    if right < left:
        trials[EVENT, i] = UPDATED
        state[UPDATES] += 1.0
        return drop(points, left, base, x, y)
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
    """Test, then train on each row; return how many were done, and why it stopped."""
    features = x.size if state[BIAS] == 0.0 else x.size - 1
    for i in range(start, trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        if point(indices[row], values[row], state[BIAS], x) > features:
            return i, NEW
        kept = learn_row(state, points, left[0], base, raises, x, trials, i)
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
    """The margin of the vote on each row; features that it has no coordinate for are left out."""
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        point(indices[row], values[row], state[BIAS], x)
        scores[i] = (2.0 * vote(points, left, base, x) - left) / left


class GridHalvingEngine(Engine):
    """The points that are left of the grid; there is no grid before an example has said how many features there are."""

    def __init__(self, rule: GridHalving, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rule = rule
        self.constant = 0 if bias == 0.0 else 1
        self.x = np.zeros(0)
        self.base = 0
        self.points = np.zeros(0, np.uint32)
        self.left = np.zeros(1, np.uint64)
        self.stopped = ""

    def reserve(self, features: int) -> None:
        """It has what room the grid needs, once there is one."""

    # the grid -----------------------------------------------------------------------------------------------
    def make_grid(self, features: int) -> bool:
        """All points of a grid for so many features; False where these are too many, and nothing has changed."""
        d = features + self.constant
        base = 2 * math.ceil(self.rule.finest(d)) + 1
        decades = d * math.log10(base)
        if decades > 12.0 or base**d * d > self.rule.most:
            size = f"{base**d:,}" if decades < 15.0 else f"10^{decades:.0f}"
            self.stopped = (
                f"must have a grid of at most {self.rule.most:,} numbers, got {size} points x {d} dimensions. "
                "Use EllipsoidLearner, or a larger gamma"
            )
            return False
        try:
            x, points = np.zeros(d), np.arange(base**d, dtype=np.uint32)
        except MemoryError:
            self.stopped = (
                f"must have a grid that fits into memory, got {base**d:,} points x {d} dimensions. "
                "Use EllipsoidLearner, or a larger gamma"
            )
            return False
        self.x, self.base, self.points, self.left[0] = x, base, points, points.size
        return True

    def features_due(self, rows: SparseRows, i: int) -> int:
        """How many features the grid must have, if there is none yet, so that row i can be learned."""
        part = slice(int(rows.indptr[i]), int(rows.indptr[i + 1]))
        return point(rows.indices[part], rows.values[part], 0.0, self.x)

    # learning -----------------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; the first that has features fixes the grid."""
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
        """Why it stops at a new feature."""
        fixed = "the first example has fixed" if self.rule.features is None else "it was made for"
        return (
            f"must have at most the {features} features that {fixed}, got {due}. "
            f"Set features={due}, or use EllipsoidLearner"
        )

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row; without a grid, by what there would be after it."""
        rows = as_sparse(rows)
        if self.x.size:
            score_sparse(self.state, self.points, self.left[0], self.base, self.x, *rows, scores)
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
        """Why it stopped."""
        return self.stopped

    def unscorable(self) -> str:
        """A grid that would be too large."""
        return "" if self.x.size else self.stopped

    # what it knows ------------------------------------------------------------------------------------------
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
        """The length of the mean, and how many candidates are left."""
        return super().extent()[0], int(self.left[0])

    # keeping ------------------------------------------------------------------------------------------------
    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that takes back whatever learning the next ``size`` rows changes."""
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
        """The points that are left, and the dimensions of the grid."""
        return {**self.arrays(), "state": self.state[LEARNED]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Be as the engine that ``saved`` these: the points must be of the grid, each once."""
        only(arrays, "state", "points", "dimensions")
        state = of_shape(arrays, "state", "float64", (SEEN,))
        d = int(of_shape(arrays, "dimensions", "uint64", (1,))[0])
        points = of_shape(arrays, "points", "uint32", (arrays["points"].size,))
        if d:
            due = features if self.rule.features is None else self.rule.features
            if not 0 < d - self.constant <= due or not self.make_grid(d - self.constant):
                raise ValueError(f"a grid of {d} dimensions for {features} features")
            left = points.size
            if not 0 < left <= self.points.size or points[-1] >= self.points.size or (points[1:] <= points[:-1]).any():
                raise ValueError("points that are none of the grid, or not in order")
            self.points[:left] = points
            self.left[0] = left
        elif points.size:
            raise ValueError(f"{points.size} points without dimensions")
        self.state[LEARNED] = state
