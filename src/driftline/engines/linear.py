"""The Euclidean engine: any two-number rule over sparse or dense rows, ``w = scale * v``, O(nnz(x)) a round."""

from __future__ import annotations

from math import sqrt

import numpy as np

from driftline.compiled import Floats, Indices, Offsets, Weights, jit, leaf
from driftline.engines.engine import RECOMPUTE, Engine
from driftline.engines.state import (
    BALL,
    BIAS,
    DUE,
    FIRST,
    LABEL,
    LONGEST_SQ,
    NORM,
    PARAMS,
    PASSIVE,
    PEAK,
    SCALE,
    SINCE,
    SMALLEST,
    TRACKS,
    WEIGHT,
    ask,
    count,
    refused,
)


@leaf
def dot_sparse(w: Weights, indices: Indices, values: Floats, start: int, stop: int) -> tuple[float, float]:
    """w.x and |x|^2 in one pass."""
    dot = 0.0
    x_sq = 0.0
    for j in range(start, stop):
        x = values[j]
        dot += w[indices[j]] * x
        x_sq += x * x
    return dot, x_sq


@leaf
def add_sparse(w: Weights, indices: Indices, values: Floats, start: int, stop: int, factor: float) -> None:
    """w += factor x."""
    for j in range(start, stop):
        w[indices[j]] += factor * values[j]


@leaf
def dot_dense(w: Weights, X: Floats, i: int) -> tuple[float, float]:
    """w.x and |x|^2 in one pass, x = X[i]."""
    dot = 0.0
    x_sq = 0.0
    for j in range(np.uint64(X.shape[1])):
        dot += w[j] * X[i, j]
        x_sq += X[i, j] * X[i, j]
    return dot, x_sq


@leaf
def add_dense(w: Weights, X: Floats, i: int, factor: float) -> None:
    """w += factor x, x = X[i]."""
    for j in range(np.uint64(X.shape[1])):
        w[j] += factor * X[i, j]


@jit
def shrink_all(state: Floats, v: Weights, shrink: float) -> None:
    """w *= shrink: one multiplication, and a pass over v only where the scale becomes extreme."""
    state[NORM] *= shrink * shrink
    state[SCALE] *= shrink
    if not state[SMALLEST] <= state[SCALE] <= 1.0 / state[SMALLEST]:
        for j in range(v.size):
            v[j] *= state[SCALE]
        state[SCALE] = 1.0


@jit
def square(v: Weights) -> tuple[float, int]:
    """|v|^2 and the end of what is not zero, the same however many zeros follow: eight sums, in a fixed order."""
    sums = np.zeros(FIRST)
    top = 0
    for j in range(0, v.size, FIRST):
        for lane in range(FIRST):
            x = float(v[j + lane])
            sums[lane] += x * x
            if x != 0.0:
                top = j
    total = 0.0
    for lane in range(FIRST):
        total += sums[lane]
    return total, top


@jit
def measure(state: Floats, v: Weights) -> None:
    """Compute the tracked norm anew; the more weights there are, the later it is due again."""
    total, top = square(v)
    state[NORM] = state[SCALE] * state[SCALE] * total
    state[PEAK] = state[NORM]
    state[SINCE] = 0.0
    state[DUE] = max(RECOMPUTE, top / 8.0)


@jit
def settle(state: Floats, v: Weights, m: float, x_sq: float, tau: float) -> None:
    """After w += tau y x (m is the margin before it): track the norm and return to the ball."""
    state[NORM] = max(0.0, state[NORM] + 2.0 * tau * m + tau * tau * x_sq)
    state[SINCE] += 1.0
    state[PEAK] = max(state[PEAK], state[NORM])
    if state[SINCE] >= state[DUE] or state[NORM] < 1e-3 * state[PEAK]:
        measure(state, v)
    ball = state[BALL]
    if state[NORM] > ball * ball:
        shrink_all(state, v, ball / sqrt(state[NORM]))
        state[NORM] = ball * ball


@jit
def learn_sparse(
    code: int, state: Floats, v: Weights, indptr: Offsets, indices: Indices, values: Floats, trials: Floats
) -> int:
    """Test, then train on each row; return how many rows were done (fewer only if one was refused)."""
    w = v[FIRST:]
    params = state[PARAMS:]
    bias = state[BIAS]
    for i in range(np.uint64(trials.shape[1])):
        start, stop = indptr[i], indptr[i + np.uint64(1)]
        dot, x_sq = dot_sparse(w, indices, values, start, stop)
        x_sq += bias * bias
        score = state[SCALE] * (dot + bias * v[0])
        y = trials[LABEL, i]
        m = y * score
        passive = m >= state[PASSIVE]
        if not x_sq <= LONGEST_SQ or (
            not passive and refused(code, state, params, trials[WEIGHT, i], m, x_sq, state[NORM])
        ):
            return int(i)
        count(state, trials, i, y, score)
        if passive:
            continue
        shrink, tau = ask(code, state, params, trials, i, m, x_sq, state[NORM])
        if shrink != 1.0:
            shrink_all(state, v, shrink)
        if tau != 0.0:
            factor = tau * y
            if state[SCALE] != 1.0:
                factor /= state[SCALE]
            v[0] += factor * bias
            add_sparse(w, indices, values, start, stop, factor)
            if state[TRACKS] != 0.0:
                settle(state, v, shrink * m, x_sq, tau)
    return trials.shape[1]


@jit
def learn_dense(code: int, state: Floats, v: Weights, X: Floats, trials: Floats) -> int:
    """Test, then train on each row; return how many rows were done (fewer only if one was refused)."""
    w = v[FIRST:]
    params = state[PARAMS:]
    bias = state[BIAS]
    for i in range(np.uint64(trials.shape[1])):
        dot, x_sq = dot_dense(w, X, i)
        x_sq += bias * bias
        score = state[SCALE] * (dot + bias * v[0])
        y = trials[LABEL, i]
        m = y * score
        passive = m >= state[PASSIVE]
        if not x_sq <= LONGEST_SQ or (
            not passive and refused(code, state, params, trials[WEIGHT, i], m, x_sq, state[NORM])
        ):
            return int(i)
        count(state, trials, i, y, score)
        if passive:
            continue
        shrink, tau = ask(code, state, params, trials, i, m, x_sq, state[NORM])
        if shrink != 1.0:
            shrink_all(state, v, shrink)
        if tau != 0.0:
            factor = tau * y
            if state[SCALE] != 1.0:
                factor /= state[SCALE]
            v[0] += factor * bias
            add_dense(w, X, i, factor)
            if state[TRACKS] != 0.0:
                settle(state, v, shrink * m, x_sq, tau)
    return trials.shape[1]


@jit
def score_sparse(
    state: Floats, v: Weights, indptr: Offsets, indices: Indices, values: Floats, scores: Floats
) -> None:
    """Score each row."""
    w = v[FIRST:]
    for i in range(scores.size):
        dot, _ = dot_sparse(w, indices, values, indptr[i], indptr[i + 1])
        scores[i] = state[SCALE] * (dot + state[BIAS] * v[0])


@jit
def score_dense(state: Floats, v: Weights, X: Floats, scores: Floats) -> None:
    """Score each row."""
    w = v[FIRST:]
    for i in range(np.uint64(scores.size)):
        dot, _ = dot_dense(w, X, i)
        scores[i] = state[SCALE] * (dot + state[BIAS] * v[0])


class LinearEngine(Engine):
    """Euclidean geometry, weights scaled lazily."""

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn_sparse(self.code, self.state, self.v, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn_dense(self.code, self.state, self.v, X, trials)

    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""
        score_sparse(self.state, self.v, indptr, indices, values, scores)

    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""
        score_dense(self.state, self.v, X, scores)

    def weights(self) -> Floats:
        """The weights w, laid out as v."""
        return self.state[SCALE] * self.v.astype(np.float64)
