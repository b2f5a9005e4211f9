"""Balanced Winnow's engine: v holds z, the sum of the examples that were got wrong; O(nnz(x)) a round.

With s the largest |z_i| of a row, sum_i sinh(eta z_i) x_i is ``part e^(eta s)``, where part is a sum of terms
1/2 (e^(eta (z_i - s)) - e^(-eta (z_i + s))) x_i that cannot overflow; they are written so that a small eta z_i does not
cancel. Its asinh, the score, follows from ln|part|.
"""

from __future__ import annotations

from math import asinh, copysign, exp, expm1, log, nan

import numpy as np

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

# from here on asinh(e^t) is t + ln 2, as exactly as floats can tell
FAR = 30.0
LN_2 = 0.6931471805599453
HIGHEST = 700.0


@jit
def length_sq(values: Floats, bias: float) -> float:
    """|x|^2."""
    total = bias * bias
    for j in range(values.size):
        total += values[j] * values[j]
    return total


@jit
def tilt(z: float, most: float) -> float:
    """sinh(z) e^-most, where |z| <= most."""
    size = abs(z)
    return copysign(0.5 * exp(size - most) * expm1(-2.0 * size), z)


@jit
def score_row(state: Floats, v: Floats, indices: Indices, values: Floats) -> float:
    """asinh(sum_i sinh(eta z_i) x_i)."""
    eta = state[PARAMS]
    bias = state[BIAS]
    most = eta * abs(v[0]) if bias != 0.0 else 0.0
    for j in range(indices.size):
        if values[j] != 0.0:
            most = max(most, eta * abs(v[FIRST + indices[j]]))
    part = bias * tilt(eta * v[0], most)
    for j in range(indices.size):
        if values[j] != 0.0:
            part += values[j] * tilt(eta * v[FIRST + indices[j]], most)
    if part == 0.0:
        return 0.0
    size = log(abs(part)) + most
    score = asinh(exp(size)) if size < FAR else size + LN_2
    return score if part > 0.0 else -score


@jit
def learn_row(state: Floats, v: Floats, indices: Indices, values: Floats, trials: Floats, i: int) -> None:
    """Test, then train on one row."""
    bias = state[BIAS]
    y = trials[LABEL, i]
    score = score_row(state, v, indices, values)
    trials[SCORE, i] = score
    trials[EVENT, i] = 0.0
    weight = trials[WEIGHT, i]
    if weight != 0.0 and y * score <= 0.0 and length_sq(values, bias) >= state[SHORTEST_SQ]:
        step = weight * y
        v[0] += step * bias
        for j in range(indices.size):
            v[FIRST + indices[j]] += step * values[j]
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
        scores[i] = score_row(state, v, indices[row], values[row]) if good else nan


@jit
def score_dense(state: Floats, v: Floats, X: Floats, scores: Floats) -> None:
    """Score each row; NaN where its values are not finite or too large."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(scores.size):
        good = length_sq(X[i], state[BIAS]) <= LONGEST_SQ
        scores[i] = score_row(state, v, every, X[i]) if good else nan


class BalancedWinnowEngine(Engine):
    """The exponents z of weights of either sign."""

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

    def weights(self) -> Floats:
        """w_i = 2 sinh(eta z_i), those beyond e^700 as that."""
        return 2.0 * np.sinh(np.clip(self.state[PARAMS] * self.v, -HIGHEST, HIGHEST))
