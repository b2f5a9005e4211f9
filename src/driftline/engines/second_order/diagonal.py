"""The engine of second-order rules that keep the diagonal of P alone: O(nnz(x)) a round, a number more a feature.

    v = sum p_i x_i^2,    w_i' = w_i + tau y p_i x_i,    p_i' = p_i - (p_i x_i)^2 / (v + noise)

The second-order Perceptron keeps the diagonal of A = P^-1 instead: w = sum y x and omega_i = w_i / A_ii, hence
    p_i' = p_i / (1 + p_i x_i^2),    omega_i' = omega_i + p_i' x_i (y - x_i omega_i)
p is 0 where nothing was learned yet, and counts as ``prior`` there.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.linear.euclidean import ONE
from driftline.engines.second_order.variances import VariancesEngine, scored
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    PARAMS,
    PASSIVE,
    SCORE,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.internals.numeric.triangular import LEAST
from driftline.rules.second_order.gain_table import gain
from driftline.rules.second_order.second_order_perceptron import PLACE as PERCEPTRON


@inlined
def counted(p: float, prior: float) -> float:
    """p_i as it counts."""
    return p if p != 0.0 else prior


@inlined
def narrow(v: Floats, p: Floats, k: int, x: float, prior: float, total: float, pull: float, noise: float) -> None:
    """Update one weight and its variance; ``total`` is v, ``pull`` is tau y."""
    if x != 0.0:
        here = counted(p[k], prior)
        v[k] += pull * (here * x)
        p[k] = max(LEAST, here * ((noise + max(0.0, total - here * x * x)) / (noise + total)))


@inlined
def gather(v: Floats, p: Floats, k: int, x: float, prior: float, target: float) -> None:
    """Update one omega_i and its p_i; ``target`` is y times the sample weight."""
    if x != 0.0:
        here = counted(p[k], prior)
        p[k] = here / (1.0 + here * x * x)
        v[k] += p[k] * x * (target - x * v[k])


@jit
def learn(
    place: int,
    state: Floats,
    v: Floats,
    p: Floats,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row (as ``scored`` has them); return how many rows were done."""
    params = params_of(state)
    bias, passive, prior = state[BIAS], state[PASSIVE], state[PARAMS]
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    for i in range(done):
        start, stop, score, x_sq = scored(state, v, columns, indptr, indices, values, i)
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        y, weight = trials[LABEL, i], trials[WEIGHT, i]
        m = y * score
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        if m >= passive or weight == 0.0 or x_sq < state[SHORTEST_SQ]:
            continue
        total = bias * bias * counted(p[0], prior)
        for j in range(start, stop):
            k = FIRST + (j - start if columns > 0 else indices[j])
            total += values[j] * values[j] * counted(p[k], prior)
        tau, noise = gain(place, m, total, weight, params)
        if tau <= 0.0 or noise == np.inf:
            continue
        if place == PERCEPTRON:
            gather(v, p, 0, bias, prior, weight * y)
        else:
            narrow(v, p, 0, bias, prior, total, tau * y, noise)
        for j in range(start, stop):
            k = FIRST + (j - start if columns > 0 else indices[j])
            if place == PERCEPTRON:
                gather(v, p, k, values[j], prior, weight * y)
            else:
                narrow(v, p, k, values[j], prior, total, tau * y, noise)
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    tally(state, trials, done)
    return int(done)


@jit
def spread(state: Floats, p: Floats, width: int, indptr: Offsets, indices: Indices, values: Floats) -> float:
    """sum p_i x_i^2 of the first row."""
    columns, prior = np.uint64(width), state[PARAMS]
    start, stop = (np.uint64(0), columns) if columns > 0 else (indptr[0], indptr[ONE])
    total = state[BIAS] * state[BIAS] * counted(p[0], prior)
    for j in range(start, stop):
        k = FIRST + (j - start if columns > 0 else indices[j])
        total += values[j] * values[j] * counted(p[k], prior)
    return total


class DiagonalEngine(VariancesEngine):
    """Weights, and the diagonal of P."""

    def learn_rows(self, width: int, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on dense rows of this width, or on sparse ones where it is 0."""
        return learn(self.place, self.state, self.v, self.variances, width, indptr, indices, values, trials)

    def spread_of(self, width: int, indptr: Offsets, indices: Indices, values: Floats) -> float:
        """``spread`` of the first row."""
        return spread(self.state, self.variances, width, indptr, indices, values)
