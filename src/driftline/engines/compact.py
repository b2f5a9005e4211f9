"""The compact engine: weights as they are, with a list of those that are not zero, O(nnz(w) + nnz(x)) an update.

For what needs to look at every weight on an update anyway: L1PA, and feature removal with ShrunkPA and L2PA.
``support[0]`` lists the positions in v, ``support[1]`` says for each position where in that list it is, plus one.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from driftline.compiled import Floats, Indices, Offsets, Weights, jit
from driftline.engines.linear import LinearEngine
from driftline.engines.removal import remove_small
from driftline.engines.state import (
    BALL,
    BIAS,
    FIRST,
    LABEL,
    LONGEST_SQ,
    NORM,
    PARAMS,
    PASSIVE,
    REFUSES,
    REMOVAL,
    SHORTEST_SQ,
    WEIGHT,
    ask,
    count,
    note,
    refused,
)
from driftline.rules import Rule, l1pa

SUPPORT = 2  # its place in state: how many positions are listed (this engine needs no PEAK)


@jit
def gather(
    state: Floats, v: Weights, support: Indices, indices: Indices, values: Floats, y: float
) -> tuple[Indices, Floats, Floats]:
    """Positions where w or x is not zero, w there, and y x there."""
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
    """Write the weights back and list anew those that are not zero."""
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
def step_l1(state: Floats, params: Floats, a: Floats, w: Floats, weight: float, impossible: bool, highest: float) -> bool:
    """One step of L1PA, in place; whether w moved."""
    beta, kappa = params[1], params[2]
    eta = 1.0
    if impossible:
        if kappa == 0.0:
            return False
        eta = kappa * beta * highest
    goal = np.empty(w.size)
    l1pa.solve(w, a, beta, eta, goal)
    length = 0.0
    moved = False
    for i in range(w.size):
        if goal[i] != w[i]:
            moved = True
            w[i] = goal[i] if weight == 1.0 else w[i] + weight * (goal[i] - w[i])
        length += abs(w[i])
    if weight > 1.0 and length > beta:
        theta = l1pa.threshold(w, a, 0.0, beta, 0.0)
        l1pa.soften(w, a, 0.0, theta, w)
    return moved


@jit
def learn_row(
    code: int,
    state: Floats,
    params: Floats,
    v: Weights,
    support: Indices,
    indices: Indices,
    values: Floats,
    trials: Floats,
    i: int,
) -> bool:
    """Test, then train on one row; False where it is refused."""
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
    passive = m >= state[PASSIVE]
    weight = trials[WEIGHT, i]
    l1 = code == l1pa.CODE
    impossible = l1 and params[1] * highest < 1.0 - 4.0 * l1pa.EPS and x_sq >= SHORTEST_SQ
    if not x_sq <= LONGEST_SQ:
        return False
    if not passive:
        if refused(code, state, params, weight, m, x_sq, state[NORM]):
            return False
        if impossible and state[REFUSES] != 0.0 and weight != 0.0:
            return False
    count(state, trials, i, y, dot)
    if passive or (l1 and (weight == 0.0 or x_sq < SHORTEST_SQ)):
        return True

    if l1:
        positions, w, a = gather(state, v, support, indices, values, y)
        moved = step_l1(state, params, a, w, weight, impossible, highest)
        note(state, trials, i, moved, impossible)
        if not moved:
            return True
    else:
        shrink, tau = ask(code, state, params, trials, i, m, x_sq, state[NORM])
        if shrink == 1.0 and tau == 0.0:
            return True
        positions, w, a = gather(state, v, support, indices, values, y)
        w_sq = 0.0
        for j in range(w.size):
            w[j] = shrink * w[j] + tau * a[j]
            w_sq += w[j] * w[j]
        ball = state[BALL]
        if w_sq > ball * ball:
            for j in range(w.size):
                w[j] *= ball / sqrt(w_sq)
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
    """Test, then train on each row; return how many rows were done."""
    params = state[PARAMS:]
    for i in range(trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        if not learn_row(code, state, params, v, support, indices[row], values[row], trials, i):
            return i
    return trials.shape[1]


@jit
def learn_dense(code: int, state: Floats, v: Weights, support: Indices, X: Floats, trials: Floats) -> int:
    """Test, then train on each row; return how many rows were done."""
    params = state[PARAMS:]
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(trials.shape[1]):
        if not learn_row(code, state, params, v, support, every, X[i], trials, i):
            return i
    return trials.shape[1]


class CompactEngine(LinearEngine):
    """Euclidean geometry, weights not scaled, with the list of those that are not zero."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.support = np.zeros((2, self.v.size), np.uint32)

    def reserve(self, features: int) -> None:
        """Have room for so many features, and for one more whose weight stays 0."""
        super().reserve(features)
        if self.support.shape[1] < self.v.size:
            support = np.zeros((2, self.v.size), np.uint32)
            support[:, : self.support.shape[1]] = self.support
            self.support = support

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn_sparse(self.code, self.state, self.v, self.support, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn_dense(self.code, self.state, self.v, self.support, X, trials)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        return {**super().arrays(), "support": self.support}
