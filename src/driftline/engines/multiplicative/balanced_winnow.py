"""Balanced Winnow's engine: v holds z, the sum of y x over all mistakes; O(nnz(x)) a round."""

from __future__ import annotations

from math import nan

import numpy as np

from driftline.engines.attribution import Attribution, distributed, entries_of
from driftline.engines.engine import Engine
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    PARAMS,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import Rows
from driftline.rules.multiplicative.balanced_winnow import is_mistake, scaled_sinh, score, update

HIGHEST = 700.0
"""The largest exponent with which a weight is reported."""


@jit
def length_sq(values: Floats, bias: float) -> float:
    """|x|^2."""
    total = bias * bias
    for j in range(values.size):
        total += values[j] * values[j]
    return total


@jit
def learn_row(state: Floats, v: Floats, indices: Indices, values: Floats, trials: Floats, i: int) -> None:
    """Test, then train on one row."""
    bias = state[BIAS]
    y = trials[LABEL, i]
    weight = trials[WEIGHT, i]
    trials[SCORE, i] = score(v, indices, values, bias, state[PARAMS])
    trials[EVENT, i] = 0.0
    if weight != 0.0 and is_mistake(trials[SCORE, i], y) and length_sq(values, bias) >= state[SHORTEST_SQ]:
        update(v, indices, values, bias, y, weight)
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED


@jit
def learn_sparse(state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
    """Test, then train on each row."""
    for i in range(trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        learn_row(state, v, indices[row], values[row], trials, i)
    tally(state, trials, trials.shape[1])
    return trials.shape[1]


@jit
def learn_dense(state: Floats, v: Floats, X: Floats, trials: Floats) -> int:
    """Test, then train on each row."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(trials.shape[1]):
        learn_row(state, v, every, X[i], trials, i)
    tally(state, trials, trials.shape[1])
    return trials.shape[1]


@jit
def score_sparse(state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
    """Score each row; NaN where its values are not finite or too large."""
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        good = length_sq(values[row], state[BIAS]) <= LONGEST_SQ
        scores[i] = score(v, indices[row], values[row], state[BIAS], state[PARAMS]) if good else nan


@jit
def score_dense(state: Floats, v: Floats, X: Floats, scores: Floats) -> None:
    """Score each row; NaN where its values are not finite or too large."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(scores.size):
        good = length_sq(X[i], state[BIAS]) <= LONGEST_SQ
        scores[i] = score(v, every, X[i], state[BIAS], state[PARAMS]) if good else nan


class BalancedWinnowEngine(Engine):
    """Stores z in v."""

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn_sparse(self.state, self.v, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn_dense(self.state, self.v, X, trials)

    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""
        score_sparse(self.state, self.v, indptr, indices, values, scores)

    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""
        score_dense(self.state, self.v, X, scores)

    def attribute(self, row: Rows) -> Attribution:
        """The score asinh(sum_i sinh(eta z_i) x_i), distributed over the terms of its sum."""
        indices, values = entries_of(row)
        eta, bias = float(self.state[PARAMS]), float(self.state[BIAS])
        z = eta * self.v[FIRST + indices.astype(np.intp)]
        z[values == 0.0] = 0.0
        first = eta * float(self.v[0]) if bias != 0.0 else 0.0
        top = max(abs(first), float(np.abs(z).max(initial=0.0)))
        terms = np.array([x * scaled_sinh(t, top) for x, t in zip(values.tolist(), z.tolist(), strict=True)])
        return distributed(Attribution(terms, bias * scaled_sinh(first, top)), float(self.score_of(row)[0]))

    def weights(self) -> Floats:
        """w_i = 2 sinh(eta z_i), with eta z_i clipped to [-700, 700]."""
        return 2.0 * np.sinh(np.clip(self.state[PARAMS] * self.v, -HIGHEST, HIGHEST))
