"""The engine of averages: a two-number rule and the sum of its weights over all rounds.

A round costs O(nnz(x)).

The updates are those of ``rules.linear.two_numbers`` and ``rules.composed.averaged``; this engine
reads the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.engines.array_checks import counters, finite, of_shape, only, weights_of_shape, without
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import Engine, lengthened
from driftline.engines.linear.euclidean import NO_INDICES, NO_INDPTR, ONE, LinearEngine, add_sparse, dot_sparse, measure
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
    PASSIVE,
    PEAK,
    REFUSES,
    SCALE,
    SCORE,
    SHORTEST_SQ,
    SINCE,
    SMALLEST,
    TRACKS,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.numeric.alignment import aligned
from driftline.internals.numeric.simd import add_dense, dot_dense
from driftline.internals.rows import SparseRows
from driftline.rules.composed.averaged import LEAST, Averaged, correction, mean, settle, used
from driftline.rules.linear.two_numbers import answer, impossible, into_ball, longer, stale

# entries of ``totals``: A and T of ``rules.composed.averaged``, and the mistakes of the rule
# itself
SCALES, ROUNDS, ONLINE = 0, 1, 2


@jit
def learn(
    code: int,
    state: Floats,
    v: Floats,
    z: Floats,
    totals: Floats,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
) -> int:
    """Test the average, then train the rule on each row; return the number of rows done.

    If ``width`` > 0, rows are dense with ``width`` values each. Otherwise they are sparse, with
    ``indptr`` and ``indices``.
    """
    w, wz = v[FIRST:], z[FIRST:]
    params = params_of(state)
    bias, ball, passive, smallest = state[BIAS], state[BALL], state[PASSIVE], state[SMALLEST]
    tracks = state[TRACKS] != 0.0
    columns = np.uint64(width)
    done = np.uint64(trials.shape[1])
    for i in range(done):
        if columns > 0:
            start = i * columns
            stop = start + columns
            dot, x_sq = dot_dense(w, values, start, columns)
            dot_z, _ = dot_dense(wz, values, start, columns)
        else:
            start = indptr[i]
            stop = indptr[i + ONE]
            dot, x_sq = dot_sparse(w, indices, values, start, stop)
            dot_z, _ = dot_sparse(wz, indices, values, start, stop)
        x_sq += bias * bias
        dot += bias * v[0]
        dot_z += bias * z[0]
        y = trials[LABEL, i]
        weight = trials[WEIGHT, i]
        m = (y * state[SCALE]) * dot
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        if x_sq < state[SHORTEST_SQ]:
            x_sq = 0.0
        stuck = m < passive and impossible(code, params, weight, m, x_sq, state[NORM])
        if stuck and state[REFUSES] != 0.0:
            done = i
            break
        trials[SCORE, i] = mean(totals[SCALES], totals[ROUNDS], dot, dot_z)
        trials[EVENT, i] = INFEASIBLE if stuck else 0.0
        if weight == 0.0:
            continue
        totals[SCALES], totals[ROUNDS] = used(totals[SCALES], totals[ROUNDS], state[SCALE])
        totals[ONLINE] += m <= 0.0
        if m >= passive:
            continue
        shrink, tau, factor, scale, w_sq, rescale = answer(
            code, params, y, weight, m, x_sq, state[NORM], state[UPDATES], state[SCALE], smallest
        )
        state[SCALE], state[NORM] = scale, w_sq
        if rescale != 1.0:
            settle(v, z, totals[SCALES], rescale)
            totals[SCALES] = 0.0
        if tau == 0.0:
            continue
        state[UPDATES] += 1.0
        trials[EVENT, i] += UPDATED
        past = correction(totals[SCALES], factor)
        v[0] += factor * bias
        z[0] += past * bias
        if columns > 0:
            add_dense(w, values, start, columns, factor)
            add_dense(wz, values, start, columns, past)
        else:
            add_sparse(w, indices, values, start, stop, factor)
            add_sparse(wz, indices, values, start, stop, past)
        if not tracks:
            continue
        state[NORM] = longer(w_sq, m, x_sq, shrink, tau * weight)
        state[PEAK] = max(state[PEAK], state[NORM])
        state[SINCE] += 1.0
        if stale(state[NORM], state[PEAK], state[SINCE], state[DUE]):
            measure(state, v)
        state[SCALE], state[NORM], rescale = into_ball(scale, state[NORM], ball, smallest)
        if rescale != 1.0:
            settle(v, z, totals[SCALES], rescale)
            totals[SCALES] = 0.0
    tally(state, trials, done)
    return int(done)


@jit
def score(
    bias: float,
    v: Floats,
    z: Floats,
    totals: Floats,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row by the average; rows as in ``learn``."""
    w, wz = v[FIRST:], z[FIRST:]
    columns = np.uint64(width)
    for i in range(np.uint64(scores.size)):
        if columns > 0:
            dot, _ = dot_dense(w, values, i * columns, columns)
            dot_z, _ = dot_dense(wz, values, i * columns, columns)
        else:
            dot, _ = dot_sparse(w, indices, values, indptr[i], indptr[i + ONE])
            dot_z, _ = dot_sparse(wz, indices, values, indptr[i], indptr[i + ONE])
        scores[i] = mean(totals[SCALES], totals[ROUNDS], dot + bias * v[0], dot_z + bias * z[0])


class AveragedEngine(LinearEngine):
    """Euclidean geometry, lazily scaled weights, and their sum over the rounds."""

    def __init__(self, rule: Averaged, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule.learner, bias, dtype)
        self.state[SMALLEST] = LEAST
        self.z = aligned(self.v.size, dtype)
        self.totals = np.zeros(3)

    @property
    def online(self) -> float:
        """Mistakes of the rule itself, before averaging."""
        return float(self.totals[ONLINE])

    def wider(self, features: int) -> dict[str, Any]:
        """Also the sum of the weights."""
        wider = super().wider(features)
        if wider:
            wider["z"] = lengthened(self.z, wider["v"].size)
        return wider

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a function that learns the current content of ``row`` with a label."""
        return Engine.learner_of(self, row, trial, recent)

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that scores the current content of ``row``."""
        return Engine.scorer_of(self, row)

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn(self.code, self.state, self.v, self.z, self.totals, 0, indptr, indices, values, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        rows = X.shape[1], NO_INDPTR, NO_INDICES, X.reshape(-1)
        return learn(self.code, self.state, self.v, self.z, self.totals, *rows, trials)

    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""
        score(self.state[BIAS], self.v, self.z, self.totals, 0, indptr, indices, values, scores)

    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""
        rows = X.shape[1], NO_INDPTR, NO_INDICES, X.reshape(-1)
        score(self.state[BIAS], self.v, self.z, self.totals, *rows, scores)

    def weights(self) -> Floats:
        """The averaged weights, laid out as v."""
        return (self.totals[SCALES] * self.v + self.z) / max(1.0, self.totals[ROUNDS])

    def weights_at(self, places: np.ndarray) -> Floats:
        """The averaged weights at these places of v."""
        return (self.totals[SCALES] * self.v[places] + self.z[places]) / max(1.0, self.totals[ROUNDS])

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {**super().arrays(), "z": self.z, "totals": self.totals}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Also the sums."""
        return {**super().saved(features), "z": self.z[: FIRST + features], "totals": self.totals}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that the totals are finite, not negative, and consistent."""
        only(arrays, "state", "v", "z", "totals")
        z = weights_of_shape(arrays, "z", "float64", (FIRST + features,))
        totals = finite("totals", of_shape(arrays, "totals", "float64", (3,)))
        counters("totals", totals[[ONLINE, ROUNDS]])
        if totals[SCALES] < 0.0 or totals[ONLINE] > totals[ROUNDS]:
            raise ValueError(f"totals {totals.tolist()}")
        super().restore(features, without(arrays, "z", "totals"))
        self.z[: z.size] = z
        self.totals[:] = totals
