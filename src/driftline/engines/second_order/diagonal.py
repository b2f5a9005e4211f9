"""The engine of second-order rules with the diagonal of P: O(nnz(x)) per round, one variance each.

The update of a feature is ``gain_table.diagonal_update``, which calls the function of the rule.
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
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.rules.second_order.gain_table import diagonal_update, gain
from driftline.rules.second_order.second_order_rule import variance_of


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
    """Test, then train on each row; return the number of rows done. Rows as in ``scored``."""
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
        total = bias * bias * variance_of(p[0], prior)
        for j in range(start, stop):
            k = FIRST + (j - start if columns > 0 else indices[j])
            total += values[j] * values[j] * variance_of(p[k], prior)
        tau, noise = gain(place, m, total, weight, params)
        if tau <= 0.0 or noise == np.inf:
            continue
        v[0], p[0] = diagonal_update(place, v[0], p[0], bias, prior, total, tau, noise, y, weight)
        for j in range(start, stop):
            k = FIRST + (j - start if columns > 0 else indices[j])
            v[k], p[k] = diagonal_update(place, v[k], p[k], values[j], prior, total, tau, noise, y, weight)
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    tally(state, trials, done)
    return int(done)


@jit
def spread(state: Floats, p: Floats, width: int, indptr: Offsets, indices: Indices, values: Floats) -> float:
    """sum p_i x_i^2 of the first row."""
    columns, prior = np.uint64(width), state[PARAMS]
    start, stop = (np.uint64(0), columns) if columns > 0 else (indptr[0], indptr[ONE])
    total = state[BIAS] * state[BIAS] * variance_of(p[0], prior)
    for j in range(start, stop):
        k = FIRST + (j - start if columns > 0 else indices[j])
        total += values[j] * values[j] * variance_of(p[k], prior)
    return total


class DiagonalEngine(VariancesEngine):
    """Weights and the diagonal of P."""

    def learn_rows(self, width: int, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on dense rows of this width, or on sparse rows if ``width`` is 0."""
        return learn(self.place, self.state, self.v, self.variances, width, indptr, indices, values, trials)

    def spread_of(self, width: int, indptr: Offsets, indices: Indices, values: Floats) -> float:
        """``spread`` of the first row."""
        return spread(self.state, self.variances, width, indptr, indices, values)
