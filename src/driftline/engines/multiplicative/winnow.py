"""Winnow's engine: v holds log_w, the logarithms of the weights; O(nnz(x)) a round.

A feature that was never seen has the weight 1. The third parameter is ln(floor) for rules with a
floor under the weights, and 0 for others.
"""

from __future__ import annotations

import math
from math import nan
from typing import Any

import numpy as np

from driftline.engines.attribution import Attribution, entries_of
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
from driftline.internals.rows import Rows, row_of
from driftline.rules import Rule
from driftline.rules.multiplicative.tracking_winnow import raise_to_floor
from driftline.rules.multiplicative.winnow import is_mistake, score, update

HIGHEST = 700.0
"""The largest logarithm with which a weight is reported."""


@jit
def length_sq(values: Floats, bias: float) -> float:
    """|x|^2; NaN where a feature is negative."""
    total = bias * bias
    for j in range(values.size):
        if values[j] < 0.0:
            return nan
        total += values[j] * values[j]
    return total


@jit
def learn_row(state: Floats, v: Floats, indices: Indices, values: Floats, trials: Floats, i: int) -> bool:
    """Test, then train on one row; False where it is refused."""
    bias = state[BIAS]
    x_sq = length_sq(values, bias)
    if not x_sq <= LONGEST_SQ:
        return False
    y = trials[LABEL, i]
    weight = trials[WEIGHT, i]
    trials[SCORE, i] = score(v, indices, values, bias, state[PARAMS])
    trials[EVENT, i] = 0.0
    if weight != 0.0 and is_mistake(trials[SCORE, i], y) and x_sq >= state[SHORTEST_SQ]:
        update(v, indices, values, bias, y, weight, state[PARAMS + 1])
        if state[PARAMS + 2] < 0.0:
            raise_to_floor(v, indices, bias, state[PARAMS + 2])
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    return True


@jit
def learn_sparse(state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
    """Test, then train on each row; return the number of rows before a refused one."""
    done = trials.shape[1]
    for i in range(done):
        row = slice(indptr[i], indptr[i + 1])
        if not learn_row(state, v, indices[row], values[row], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def learn_dense(state: Floats, v: Floats, X: Floats, trials: Floats) -> int:
    """Test, then train on each row; return the number of rows before a refused one."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    done = trials.shape[1]
    for i in range(done):
        if not learn_row(state, v, every, X[i], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def score_sparse(state: Floats, v: Floats, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
    """Score each row; NaN where a feature is negative."""
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        good = length_sq(values[row], state[BIAS]) <= LONGEST_SQ
        scores[i] = score(v, indices[row], values[row], state[BIAS], state[PARAMS]) if good else nan


@jit
def score_dense(state: Floats, v: Floats, X: Floats, scores: Floats) -> None:
    """Score each row; NaN where a feature is negative."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(scores.size):
        good = length_sq(X[i], state[BIAS]) <= LONGEST_SQ
        scores[i] = score(v, every, X[i], state[BIAS], state[PARAMS]) if good else nan


class WinnowEngine(Engine):
    """Stores log_w in v."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.features = 0
        self.negative = 0.0

    def wider(self, features: int) -> dict[str, Any]:
        """Also the number of features."""
        return {**super().wider(features), "features": features}

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row up to the first with a negative feature."""
        done = super().learn(rows, trials)
        if done < trials.shape[1]:
            self.negative = float(row_of(rows, done)[1].min())
        return done

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        super().score(rows, scores)
        if np.isnan(scores).any():
            self.negative = float(row_of(rows, int(np.argmax(np.isnan(scores))))[1].min())

    def refusal(self) -> str:
        """A feature was negative."""
        return f"must have no negative feature, got {self.negative}. Use BalancedWinnow, which takes either sign"

    def unscorable(self) -> str:
        """A feature was negative."""
        return self.refusal()

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
        """The terms of (w.x - theta) / (w.x + theta); -theta belongs to the constant."""
        indices, values = entries_of(row)
        bias, log_w = float(self.state[BIAS]), self.v[FIRST + indices.astype(np.intp)]
        used = values != 0.0
        top = max(0.0, float(log_w[used].max(initial=0.0)), float(self.v[0]) if bias != 0.0 else 0.0)
        terms = np.zeros(values.size)
        terms[used] = values[used] * np.exp(log_w[used] - top)
        first, threshold = bias * math.exp(float(self.v[0]) - top), float(self.state[PARAMS]) * math.exp(-top)
        total = math.fsum([first, *terms.tolist()])
        if total == 0.0:
            return Attribution(terms, -1.0, method="proportional")
        both = total + threshold
        return Attribution(terms / both, (first - threshold) / both, method="proportional")

    def weights(self) -> Floats:
        """The weights of all known features, with log_w clipped to at most 700."""
        w = np.zeros(FIRST + self.features)
        w[FIRST:] = np.exp(np.minimum(self.v[FIRST : w.size], HIGHEST))
        if self.state[BIAS] != 0.0:
            w[0] = np.exp(min(self.v[0], HIGHEST))
        return w
