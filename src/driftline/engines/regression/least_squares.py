"""The engines of second-order regressors: all of P, in factors, or its diagonal.

They differ from the engines of ``second_order`` in the update, which every example causes. A margin
error is a round in which the prediction was not exactly right.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.second_order.diagonal import DiagonalEngine
from driftline.engines.second_order.full import FEW, FullEngine
from driftline.engines.second_order.variances import VariancesEngine, scored
from driftline.engines.state import (
    BIAS,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    MARGIN_ERRORS,
    SCORE,
    SEEN,
    SHORTEST_SQ,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.numeric.triangular import onto_columns, onto_columns_few, top_of, variance
from driftline.rules.regression.arow_regressor import drift_on, drift_one
from driftline.rules.regression.recursive_least_squares import forget, forget_one
from driftline.rules.second_order.second_order_rule import SecondOrder, diagonal_update, full_update, variance_of

ONE = np.uint64(1)


@jit
def learn_full(
    state: Floats,
    v: Floats,
    D: Floats,
    U: Floats,
    scratch: Floats,
    few: Indices,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done. As ``second_order.full.learn``."""
    f, x, h = scratch[0], scratch[1], scratch[2]
    prior, r, forgetting, drift = params_of(state)
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    top = np.uint64(top_of(D))
    for i in range(done):
        start, stop, score, x_sq = scored(state, v, columns, indptr, indices, values, i)
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        weight, residual = trials[WEIGHT, i], trials[LABEL, i] - score
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        state[MARGIN_ERRORS] += residual != 0.0
        if weight == 0.0 or x_sq < state[SHORTEST_SQ]:
            continue
        x[0] = state[BIAS]
        for j in range(start, stop):
            x[FIRST + (j - start if columns > 0 else indices[j])] = values[j]
        end = np.uint64(x.size)
        while end > top and x[end - ONE] == 0.0:
            end -= ONE
        count = np.uint64(0)
        for k in range(end):
            if x[k] != 0.0:
                few[count] = k
                count += ONE
        if FEW * count < end:
            onto_columns_few(U, D, x, few, f, end)
        else:
            onto_columns(U, x, f, end)
        if forgetting < 1.0:
            forget(D, end, prior, forgetting)
        noise = r / weight
        full_update(v, U, D, f, h, end, prior, residual / (variance(D, f, end, prior) + noise), noise)
        if drift > 0.0:
            drift_on(U, D, x, end, prior, drift, x_sq)
        top = end
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
        for k in range(end):
            x[k] = 0.0
    state[SEEN] += done
    return int(done)


@jit
def learn_diagonal(
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
    prior, r, forgetting, drift = params_of(state)
    bias = state[BIAS]
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    for i in range(done):
        start, stop, score, x_sq = scored(state, v, columns, indptr, indices, values, i)
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        weight, residual = trials[WEIGHT, i], trials[LABEL, i] - score
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        state[MARGIN_ERRORS] += residual != 0.0
        if weight == 0.0 or x_sq < state[SHORTEST_SQ]:
            continue
        p[0] = forget_one(p[0], bias, prior, forgetting)
        total = bias * bias * variance_of(p[0], prior)
        for j in range(start, stop):
            k = FIRST + (j - start if columns > 0 else indices[j])
            p[k] = forget_one(p[k], values[j], prior, forgetting)
            total += values[j] * values[j] * variance_of(p[k], prior)
        noise = r / weight
        pull = residual / (total + noise)
        v[0], p[0] = diagonal_update(v[0], p[0], bias, prior, total, pull, noise)
        p[0] = drift_one(p[0], bias, drift, x_sq)
        for j in range(start, stop):
            k = FIRST + (j - start if columns > 0 else indices[j])
            v[k], p[k] = diagonal_update(v[k], p[k], values[j], prior, total, pull, noise)
            p[k] = drift_one(p[k], values[j], drift, x_sq)
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
    state[SEEN] += done
    return int(done)


class LeastSquaresEngine(FullEngine):
    """Weights and all of P, for at most ``most`` features."""

    def learn_rows(self, width: int, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on dense rows of this width, or on sparse rows if ``width`` is 0."""
        learned = self.state, self.v, self.variances, self.factor
        return learn_full(*learned, self.scratch, self.few, width, indptr, indices, values, trials)


class DiagonalLeastSquaresEngine(DiagonalEngine):
    """Weights and the diagonal of P."""

    def learn_rows(self, width: int, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on dense rows of this width, or on sparse rows if ``width`` is 0."""
        return learn_diagonal(self.state, self.v, self.variances, width, indptr, indices, values, trials)


def engine_of(rule: SecondOrder, bias: float, dtype: np.dtype[np.floating]) -> VariancesEngine:
    """Return a new engine for all of P, or for its diagonal if the rule says so."""
    engine = DiagonalLeastSquaresEngine if rule.diagonal else LeastSquaresEngine
    return engine(rule, bias, dtype)
