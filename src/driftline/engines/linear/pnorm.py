"""The p-norm engine, p > 2: rules update ``theta = scale * v``, scores use the linked weights w.

    |w|_q = |theta|_p,      1/p + 1/q = 1

The link from theta to w is ``rules.linear.pnorm_perceptron.linked``; w(scale v) = scale w(v). The
tracked norm is ``sum_i |v_i|^p``. A round costs O(nnz(x)). A score needs only the ratios
|v_i| / |v|_p <= 1, so it cannot overflow. Grove, Littlestone, Schuurmans (2001); Kivinen, Smola,
Williamson (2002), section 2.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.engine import RECOMPUTE, Engine
from driftline.engines.state import (
    BALL,
    BIAS,
    DUE,
    EVENT,
    FIRST,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    NORM,
    PEAK,
    REFUSES,
    SCALE,
    SCORE,
    SHORTEST_SQ,
    SINCE,
    SMALLEST,
    UPDATED,
    UPDATES,
    WEIGHT,
    P,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, jit
from driftline.rules import Rule
from driftline.rules.linear.pnorm_perceptron import linked
from driftline.rules.linear.two_numbers import ask, impossible

HUGE = 1e200
VAST = 1e20


@jit
def link_dot(state: Floats, v: Weights, indices: Indices, values: Floats, bias: float) -> float:
    """Score w.x."""
    if state[NORM] == 0.0:
        return 0.0
    p = state[P]
    size = state[NORM] ** (1.0 / p)
    dot = bias * linked(v[0], size, p)
    for j in range(indices.size):
        dot += linked(v[FIRST + indices[j]], size, p) * values[j]
    return state[SCALE] * dot


@jit
def length_sq(values: Floats, bias: float, p: float) -> float:
    """|x|_p^2, without overflow in the powers."""
    highest = abs(bias)
    for j in range(values.size):
        if not abs(values[j]) <= highest:
            highest = abs(values[j])
    if highest == 0.0 or not highest * highest <= LONGEST_SQ:
        return highest * highest
    total = (abs(bias) / highest) ** p
    for j in range(values.size):
        total += (abs(values[j]) / highest) ** p
    return highest * highest * total ** (2.0 / p)


@jit
def measure(state: Floats, v: Weights) -> None:
    """Compute the tracked norm from v, and rescale the largest |v_i| to 1.

    So no power overflows or underflows.
    """
    highest = 0.0
    top = 0
    for j in range(v.size):
        if v[j] != 0.0:
            highest = max(highest, float(abs(v[j])))
            top = j
    total = 0.0
    if highest > 0.0:
        state[SCALE] *= highest
        for j in range(v.size):
            v[j] /= highest
            if v[j] != 0.0:
                total += float(abs(v[j])) ** state[P]
    state[NORM] = total
    state[PEAK] = total
    state[SINCE] = 0.0
    state[DUE] = max(RECOMPUTE, top / 8.0)


@jit
def shrink_all(state: Floats, v: Weights, shrink: float) -> None:
    """theta *= shrink."""
    state[SCALE] *= shrink
    if not state[SMALLEST] <= state[SCALE] <= 1.0 / state[SMALLEST]:
        for j in range(v.size):
            v[j] *= state[SCALE]
        state[SCALE] = 1.0
        measure(state, v)


@jit
def unscale(state: Floats, v: Weights) -> None:
    """Set v = theta and scale = 1, before a step that would overflow when divided by the scale."""
    total = 0.0
    for j in range(v.size):
        v[j] *= state[SCALE]
        total += float(abs(v[j])) ** state[P]
    state[SCALE] = 1.0
    state[NORM] = total
    state[PEAK] = total


@jit
def add(state: Floats, v: Weights, indices: Indices, values: Floats, bias: float, factor: float) -> None:
    """theta += scale * factor * x; update the tracked norm, then project on the ball."""
    p = state[P]
    change = -(float(abs(v[0])) ** p)
    v[0] += factor * bias
    change += float(abs(v[0])) ** p
    for j in range(indices.size):
        k = FIRST + indices[j]
        change -= float(abs(v[k])) ** p
        v[k] += factor * values[j]
        change += float(abs(v[k])) ** p
    state[NORM] = max(0.0, state[NORM] + change)
    state[SINCE] += 1.0
    state[PEAK] = max(state[PEAK], state[NORM])
    if state[SINCE] >= state[DUE] or state[NORM] < 1e-3 * state[PEAK] or not 1.0 / HUGE < state[NORM] < HUGE:
        measure(state, v)
    size = state[SCALE] * state[NORM] ** (1.0 / p)
    if size > state[BALL]:
        shrink_all(state, v, state[BALL] / size)


@jit
def learn_row(code: int, state: Floats, v: Weights, indices: Indices, values: Floats, trials: Floats, i: int) -> bool:
    """Test, then train on one row; return False if it is refused."""
    bias = state[BIAS]
    score = link_dot(state, v, indices, values, bias)
    x_sq = length_sq(values, bias, state[P])
    y = trials[LABEL, i]
    m = y * score
    w_sq = (state[SCALE] * state[NORM] ** (1.0 / state[P])) ** 2
    params = params_of(state)
    weight = trials[WEIGHT, i]
    trials[SCORE, i] = score
    trials[EVENT, i] = 0.0
    if not x_sq <= LONGEST_SQ:
        return False
    if x_sq < state[SHORTEST_SQ]:
        x_sq = 0.0
    if impossible(code, params, weight, m, x_sq, w_sq):
        if state[REFUSES] != 0.0:
            return False
        trials[EVENT, i] = INFEASIBLE
    shrink, tau = ask(code, params, weight, m, x_sq, w_sq, state[UPDATES])
    if shrink != 1.0:
        shrink_all(state, v, shrink)
    if tau != 0.0:
        state[UPDATES] += 1.0
        trials[EVENT, i] += UPDATED
        if (tau * weight) ** 2 * x_sq > (VAST * state[SCALE]) ** 2:
            unscale(state, v)
        add(state, v, indices, values, bias, tau * weight * y / state[SCALE])
    return True


@jit
def learn_sparse(
    code: int, state: Floats, v: Weights, indptr: Offsets, indices: Indices, values: Floats, trials: Floats
) -> int:
    """Test, then train on each row; return the number of rows done."""
    done = trials.shape[1]
    for i in range(done):
        row = slice(indptr[i], indptr[i + 1])
        if not learn_row(code, state, v, indices[row], values[row], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def learn_dense(code: int, state: Floats, v: Weights, X: Floats, trials: Floats) -> int:
    """Test, then train on each row; return the number of rows done."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    done = trials.shape[1]
    for i in range(done):
        if not learn_row(code, state, v, every, X[i], trials, i):
            done = i
            break
    tally(state, trials, done)
    return done


@jit
def score_sparse(state: Floats, v: Weights, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
    """Score each row."""
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        scores[i] = link_dot(state, v, indices[row], values[row], state[BIAS])


@jit
def score_dense(state: Floats, v: Weights, X: Floats, scores: Floats) -> None:
    """Score each row."""
    every = np.arange(X.shape[1]).astype(np.uint32)
    for i in range(scores.size):
        scores[i] = link_dot(state, v, every, X[i], state[BIAS])


class PNormEngine(Engine):
    """p-norm geometry: theta is scaled lazily; weights are linked when they are read."""

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.state[SMALLEST] = 1e-100  # for every p: the largest |v_i| is about 1, so powers stay in range

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
        """The linked weights w, laid out as v."""
        return self._linked(self.v)

    def weights_at(self, places: np.ndarray) -> Floats:
        """The linked weights at these places of v."""
        return self._linked(self.v[places])

    def _linked(self, some: Weights) -> Floats:
        p = self.state[P]
        v = some.astype(np.float64)
        size = self.state[NORM] ** (1.0 / p)
        if size == 0.0:
            return np.zeros_like(v)
        return self.state[SCALE] * size * np.sign(v) * (np.abs(v) / size) ** (p - 1.0)
