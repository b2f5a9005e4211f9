"""The compact engine: weights that are not scaled, with a list of the nonzero ones.

An update costs O(nnz(w) + nnz(x)). The engine is for rules that must read every weight in an
update anyway: L1PA, and ShrunkPA and L2PA with feature removal. ``support[0]`` lists the positions
of nonzero weights in v. ``support[1]`` has for each position its index in that list plus one, or
0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.engines.array_checks import only, without
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import Engine
from driftline.engines.linear.euclidean import LinearEngine
from driftline.engines.state import (
    BALL,
    BIAS,
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    NORM,
    PASSIVE,
    REFUSES,
    REMOVAL,
    SCALE,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, jit
from driftline.internals.rows import SparseRows
from driftline.rules import Rule
from driftline.rules.linear import l1pa
from driftline.rules.linear.feature_removal import remove_small
from driftline.rules.linear.two_numbers import ask, impossible, move

SUPPORT = 2  # index in state of the length of the list; replaces PEAK, which is not needed here


@jit
def gather(
    state: Floats, v: Weights, support: Indices, indices: Indices, values: Floats, y: float
) -> tuple[Indices, Floats, Floats]:
    """Return the positions with w or x not zero, and w and y x at these positions."""
    bias = state[BIAS]
    known = int(state[SUPPORT])
    positions = np.empty(known + indices.size + 1, np.uint32)
    positions[:known] = support[0, :known]
    a = np.zeros(positions.size)
    size = known
    for j in range(indices.size + 1):
        if j < indices.size:
            k = np.uint32(indices[j] + FIRST)
            x = values[j]
        else:
            k = np.uint32(0)
            x = bias
        if support[1, k] > 0:
            a[support[1, k] - 1] += y * x
        elif x != 0.0:
            positions[size] = k
            a[size] = y * x
            size += 1
    w = np.zeros(size)
    for i in range(known):
        w[i] = v[positions[i]]
    return positions[:size], w, a[:size]


@jit
def scatter(state: Floats, v: Weights, support: Indices, positions: Indices, w: Floats) -> None:
    """Write the weights back and list the nonzero ones again."""
    for i in range(int(state[SUPPORT])):
        support[1, support[0, i]] = 0
    known = 0
    w_sq = 0.0
    for i in range(positions.size):
        k = positions[i]
        v[k] = w[i]
        if v[k] != 0.0:
            support[0, known] = k
            known += 1
            support[1, k] = known
            w_sq += w[i] * w[i]
    state[SUPPORT] = known
    state[NORM] = w_sq


@jit
def learn_row(
    code: int,
    state: Floats,
    v: Weights,
    support: Indices,
    indices: Indices,
    values: Floats,
    trials: Floats,
    i: int,
) -> bool:
    """Test, then train on one row; return False if it is refused."""
    bias = state[BIAS]
    dot = bias * v[0]
    x_sq = bias * bias
    highest = abs(bias)
    for j in range(indices.size):
        x = values[j]
        dot += v[FIRST + indices[j]] * x
        x_sq += x * x
        highest = max(highest, abs(x))
    y = trials[LABEL, i]
    m = y * dot
    params = params_of(state)
    weight = trials[WEIGHT, i]
    l1 = code == l1pa.CODE
    trials[SCORE, i] = dot
    trials[EVENT, i] = 0.0
    if not x_sq <= LONGEST_SQ:
        return False
    if weight == 0.0 or x_sq < state[SHORTEST_SQ] or m >= state[PASSIVE]:
        return True
    stuck = l1pa.infeasible(highest, params[1]) if l1 else impossible(code, params, weight, m, x_sq, state[NORM])
    if stuck:
        if state[REFUSES] != 0.0:
            return False
        trials[EVENT, i] = INFEASIBLE
    if l1:
        shrink, tau = 1.0, l1pa.goal(m, highest, stuck, params)
    else:
        shrink, tau = ask(code, params, weight, m, x_sq, state[NORM], state[UPDATES])
    if tau == 0.0:
        return True
    state[UPDATES] += 1.0
    trials[EVENT, i] += UPDATED
    positions, w, a = gather(state, v, support, indices, values, y)
    if l1:
        l1pa.step(w, a, params[1], tau, weight)
    else:
        move(w, a, shrink, weight * tau, state[BALL])
    if state[REMOVAL] > 0.0:
        remove_small(w, positions, state[REMOVAL])
    scatter(state, v, support, positions, w)
    return True


@jit
def learn_sparse(
    code: int,
    state: Floats,
    v: Weights,
    support: Indices,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done."""
    done = trials.shape[1]
    for i in range(done):
        row = slice(indptr[i], indptr[i + 1])
        if not learn_row(code, state, v, support, indices[row], values[row], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def learn_dense(code: int, state: Floats, v: Weights, support: Indices, X: Floats, trials: Floats) -> int:
    """Test, then train on each row; return the number of rows done."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    done = trials.shape[1]
    for i in range(done):
        if not learn_row(code, state, v, support, every, X[i], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


class CompactEngine(LinearEngine):
    """Euclidean geometry, weights that are not scaled, and the list of the nonzero ones."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.support = np.zeros((2, self.v.size), np.uint32)

    def wider(self, features: int) -> dict[str, Any]:
        """Also the list of nonzero weights."""
        wider = super().wider(features)
        if wider:
            support = np.zeros((2, wider["v"].size), np.uint32)
            support[:, : self.support.shape[1]] = self.support
            wider["support"] = support
        return wider

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a function that learns the current content of ``row`` with a label."""
        return Engine.learner_of(self, row, trial, recent)

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn_sparse(self.code, self.state, self.v, self.support, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn_dense(self.code, self.state, self.v, self.support, X, trials)

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {**super().arrays(), "support": self.support}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Also the list of nonzero weights, with its former entries after the end."""
        listed = self.support[0]
        used = np.flatnonzero(listed)
        end = max(int(self.state[SUPPORT]), int(used[-1]) + 1 if used.size else 0)
        return {**super().saved(features), "support": listed[:end]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that the list starts with exactly the nonzero weights."""
        only(arrays, "state", "v", "support")
        support = arrays["support"]
        super().restore(features, without(arrays, "support"))
        nonzero = np.flatnonzero(arrays["v"])
        size = nonzero.size
        fit = support.ndim == 1 and support.dtype == np.uint32 and size <= support.size <= arrays["v"].size
        fit = fit and np.array_equal(np.sort(support[:size]), nonzero) and bool((support < arrays["v"].size).all())
        if not fit or self.state[SUPPORT] != size or self.state[SCALE] != 1.0:
            raise ValueError("a list of weights that does not match the weights")
        self.support[0, : support.size] = support
        self.support[1, support[:size]] = np.arange(1, size + 1)
