"""The Euclidean engine of two-number rules that learn real targets; see ``linear.euclidean``.

It differs from classification in the two numbers of a round: m = tube - |r| for the margin, and
the sign of the residual r = y - w.x for the label. A margin error is a round outside the tube. In
an L1 ball (P = 1) an update reads all weights, which are then not scaled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import Engine
from driftline.engines.linear.euclidean import (
    AHEAD,
    NO_INDICES,
    NO_INDPTR,
    NO_PLACES,
    ONE,
    LinearEngine,
    add_sparse,
    dot_sparse,
    measure,
    multiply_out,
    valid,
)
from driftline.engines.regression.tube import restored_tube, saved_tube, set_tube
from driftline.engines.state import (
    BALL,
    BIAS,
    DUE,
    EVENT,
    FIRST,
    LABEL,
    LONGEST_SQ,
    MARGIN_ERRORS,
    NORM,
    PASSIVE,
    PEAK,
    REFUSED,
    SCALE,
    SCORE,
    SEEN,
    SHORTEST_SQ,
    SINCE,
    SMALLEST,
    TRACKS,
    TUBE,
    TUBE_GROWS,
    TUBE_SHRINKS,
    UPDATED,
    UPDATES,
    WEIGHT,
    P,
    params_of,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, brief, direct, jit
from driftline.internals.numeric.addresses import array_at, by_address
from driftline.internals.numeric.distinct_indices import places_for
from driftline.internals.numeric.simd import add_dense, dot_dense
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.rules.linear.two_numbers import answer, into_ball, longer, stale
from driftline.rules.regression.gradient_descent import into_l1_ball
from driftline.rules.regression.residual_rule import Residual, next_tube, residual


@jit
def learn(
    code: int,
    state: Floats,
    v: Weights,
    width: int,
    below: int,
    places: Indices,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test, then train on each row; return the number of rows done. As ``linear.euclidean.learn``."""
    w = v[FIRST:]
    params = params_of(state)
    bias, ball, passive, smallest = state[BIAS], state[BALL], state[PASSIVE], state[SMALLEST]
    grows, shrinks = state[TUBE_GROWS], state[TUBE_SHRINKS]
    tracks, in_l1_ball = state[TRACKS] != 0.0, state[P] == 1.0
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    for i in range(done):
        if columns > 0:
            start = i * columns
            stop = start + columns
            dot, x_sq = dot_dense(w, values, start, columns)
        else:
            if (
                below > 0
                and i & AHEAD == 0
                and not valid(indptr, indices, i, min(done, i + AHEAD + ONE), below, places)
            ):
                done = i
                break
            start = indptr[i]
            stop = indptr[i + ONE]
            dot, x_sq = dot_sparse(w, indices, values, start, stop)
        x_sq += bias * bias
        dot += bias * v[0]
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        score = state[SCALE] * dot
        m, sign = residual(trials[LABEL, i], score, state[TUBE])
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        state[MARGIN_ERRORS] += m < 0.0
        if m >= passive:
            continue
        weight = trials[WEIGHT, i]
        if x_sq < state[SHORTEST_SQ]:
            x_sq = 0.0
        shrink, tau, factor, scale, w_sq, rescale = answer(
            code, params, sign, weight, m, x_sq, state[NORM], state[UPDATES], state[SCALE], smallest
        )
        if weight > 0.0:
            state[TUBE] = next_tube(state[TUBE], m, grows, shrinks)
        state[SCALE], state[NORM] = scale, w_sq
        if rescale != 1.0:
            multiply_out(v, rescale)
        if tau == 0.0:
            continue
        state[UPDATES] += 1.0
        trials[EVENT, i] = UPDATED
        v[0] += factor * bias
        if columns > 0:
            add_dense(w, values, start, columns, factor)
        else:
            add_sparse(w, indices, values, start, stop, factor)
        if in_l1_ball:
            into_l1_ball(v, ball)
        if not tracks:
            continue
        state[NORM] = longer(w_sq, sign * score, x_sq, shrink, tau * weight)
        state[PEAK] = max(state[PEAK], state[NORM])
        state[SINCE] += 1.0
        if stale(state[NORM], state[PEAK], state[SINCE], state[DUE]):
            measure(state, v)
        state[SCALE], state[NORM], rescale = into_ball(scale, state[NORM], ball, smallest)
        if rescale != 1.0:
            multiply_out(v, rescale)
    state[SEEN] += done
    return int(done)


@brief
def learn_row(code: int, addresses: int, y: float) -> float:
    """Learn one sparse row with target y and weight 1; return its score, or NaN if refused."""
    trial = array_at(addresses, 5, 0.0).reshape(4, 1)
    trial[LABEL, 0] = y
    trial[WEIGHT, 0] = 1.0
    state, v = array_at(addresses, 0, 0.0), array_at(addresses, 1, 0.0)
    indptr, indices = array_at(addresses, 2, ONE), array_at(addresses, 3, np.uint32(0))
    values = array_at(addresses, 4, 0.0)
    if learn(code, state, v, 0, 0, indices, indptr, indices, values, trial) == 1:
        return trial[SCORE, 0]
    trial[EVENT, 0] = REFUSED
    return np.nan


class RegressionEngine(LinearEngine):
    """Euclidean geometry, weights scaled lazily, and a tube around the target."""

    def __init__(self, rule: Residual, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        set_tube(self.state, rule)

    def refusal(self) -> str:
        """Why the last example was refused."""
        return Engine.refusal(self)

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a compiled function that learns the current content of ``row`` with a target."""
        if self.v.dtype != np.float64:
            return Engine.learner_of(self, row, trial, recent)
        return by_address(direct(learn_row, self.code, 0, 1.0), (self.code,), (self.state, self.v, *row, trial))

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn(self.code, self.state, self.v, 0, 0, NO_PLACES, indptr, indices, values, trials)

    def learn_unchecked(self, rows: Rows, width: int, trials: Floats, rising: bool) -> int:
        """``learn`` that also checks indices; see ``LinearEngine``."""
        if isinstance(rows, DenseRows):
            return self.learn_dense(rows.X, trials)
        places = NO_PLACES if rising else places_for(len(rows.indices), width)
        return learn(self.code, self.state, self.v, 0, width, places, *rows, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn(
            self.code, self.state, self.v, X.shape[1], 0, NO_PLACES, NO_INDPTR, NO_INDICES, X.reshape(-1), trials
        )

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Also the tube, if it changes."""
        return super().saved(features) | saved_tube(self.state)

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check the tube, if it changes."""
        super().restore(features, restored_tube(self.state, arrays))
