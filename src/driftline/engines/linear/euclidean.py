"""The Euclidean engine: any two-number rule, with ``w = scale * v`` and O(nnz(x)) per round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftline.engines.calibration.recent_rounds import RecentRounds, is_full, put
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
    PASSIVE,
    PEAK,
    REFUSED,
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
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, brief, direct, fused, jit
from driftline.internals.numeric.addresses import array_at, by_address
from driftline.internals.numeric.distinct_indices import places_for, share_no_place
from driftline.internals.numeric.index_order import rising
from driftline.internals.numeric.simd import add_dense, dot_dense
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.rules import Rule
from driftline.rules.linear.two_numbers import answer, impossible, into_ball, longer, stale

ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
# indices are checked in chunks of AHEAD + 1 rows
AHEAD = np.uint64(2047)
# placeholders for indptr and indices of dense rows
NO_INDPTR = np.zeros(1, np.uint64)
NO_INDICES = np.zeros(1, np.uint32)
# indices must increase: no table is needed
NO_PLACES = np.zeros(0, np.uint32)


@fused
def dot_sparse(w: Weights, indices: Indices, values: Floats, start: int, stop: int) -> tuple[float, float]:
    """w.x and |x|^2 in one pass: four sums of each, in a fixed order."""
    d0 = d1 = d2 = d3 = 0.0
    q0 = q1 = q2 = q3 = 0.0
    whole = start + ((stop - start) & ~THREE)
    for j in range(start, whole, FOUR):
        x0, x1, x2, x3 = values[j], values[j + ONE], values[j + TWO], values[j + THREE]
        d0 += w[indices[j]] * x0
        d1 += w[indices[j + ONE]] * x1
        d2 += w[indices[j + TWO]] * x2
        d3 += w[indices[j + THREE]] * x3
        q0 += x0 * x0
        q1 += x1 * x1
        q2 += x2 * x2
        q3 += x3 * x3
    for j in range(whole, stop):
        d0 += w[indices[j]] * values[j]
        q0 += values[j] * values[j]
    return (d0 + d1) + (d2 + d3), (q0 + q1) + (q2 + q3)


@fused
def add_sparse(w: Weights, indices: Indices, values: Floats, start: int, stop: int, factor: float) -> None:
    """w += factor x."""
    for j in range(start, stop):
        w[indices[j]] += factor * values[j]


@jit
def multiply_out(v: Weights, scale: float) -> None:
    """v *= scale, for a scale that has become extreme (or 0)."""
    for j in range(v.size):
        v[j] *= scale


@jit
def square(v: Weights) -> tuple[float, int]:
    """Return |v|^2 and the offset of the last block of FIRST weights with a nonzero one.

    |v|^2 is the total of eight sums in a fixed order, so zeros at the end do not change its bits.
    """
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
    """Compute the tracked norm from v; the more weights there are, the later it is due again."""
    total, top = square(v)
    state[NORM] = state[SCALE] * state[SCALE] * total
    state[PEAK] = state[NORM]
    state[SINCE] = 0.0
    state[DUE] = max(RECOMPUTE, top / 8.0)


@jit
def valid(indptr: Offsets, indices: Indices, first: int, last: int, below: int, places: Indices) -> bool:
    """Whether the indices of each of these rows are smaller than ``below`` and distinct.

    Without ``places``, they must increase.
    """
    if places.size == 0:
        return rising(indptr, indices, first, last, below)
    return share_no_place(indptr, indices, first, last, below, places)


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
    """Test, then train on each row; return the number of rows done, fewer if one was refused.

    If ``width`` > 0, rows are dense: ``values`` has ``width`` values per row. Otherwise rows are
    sparse, with ``indptr`` and ``indices``. If ``below`` > 0, check in chunks of 2,048 rows that the
    indices are ``valid``; a checked chunk is then in the cache when it is learned. ``below`` = 0
    means that the indices have been checked, and ``places`` is not read.
    """
    w = v[FIRST:]
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
        y = trials[LABEL, i]
        score = state[SCALE] * dot
        m = (y * state[SCALE]) * dot
        if not x_sq <= LONGEST_SQ:
            done = i
            break
        trials[SCORE, i] = score
        trials[EVENT, i] = 0.0
        if m >= passive:
            continue
        weight = trials[WEIGHT, i]
        if x_sq < state[SHORTEST_SQ]:
            x_sq = 0.0
        if impossible(code, params, weight, m, x_sq, state[NORM]):
            if state[REFUSES] != 0.0:
                done = i
                break
            trials[EVENT, i] = INFEASIBLE
        shrink, tau, factor, scale, w_sq, rescale = answer(
            code, params, y, weight, m, x_sq, state[NORM], state[UPDATES], state[SCALE], smallest
        )
        state[SCALE], state[NORM] = scale, w_sq
        if rescale != 1.0:
            multiply_out(v, rescale)
        if tau == 0.0:
            continue
        state[UPDATES] += 1.0
        trials[EVENT, i] += UPDATED
        v[0] += factor * bias
        if columns > 0:
            add_dense(w, values, start, columns, factor)
        else:
            add_sparse(w, indices, values, start, stop, factor)
        if not tracks:
            continue
        state[NORM] = longer(w_sq, m, x_sq, shrink, tau * weight)
        state[PEAK] = max(state[PEAK], state[NORM])
        state[SINCE] += 1.0
        if stale(state[NORM], state[PEAK], state[SINCE], state[DUE]):
            measure(state, v)
        state[SCALE], state[NORM], rescale = into_ball(scale, state[NORM], ball, smallest)
        if rescale != 1.0:
            multiply_out(v, rescale)
    tally(state, trials, done)
    return int(done)


@jit
def score(
    state: Floats, v: Weights, width: int, indptr: Offsets, indices: Indices, values: Floats, scores: Floats
) -> None:
    """Score each row; rows as in ``learn``."""
    w = v[FIRST:]
    columns = np.uint64(width)
    for i in range(np.uint64(scores.size)):
        if columns > 0:
            dot, _ = dot_dense(w, values, i * columns, columns)
        else:
            dot, _ = dot_sparse(w, indices, values, indptr[i], indptr[i + ONE])
        scores[i] = state[SCALE] * (dot + state[BIAS] * v[0])


@brief
def learn_row(code: int, addresses: int, y: float) -> float:
    """Learn one sparse row with label y and weight 1; return its score, or NaN if refused.

    A row is also refused if there is no room to remember its round: the caller learns it otherwise.
    """
    trial, ring = array_at(addresses, 5, 0.0).reshape(4, 1), array_at(addresses, 6, 0.0)
    if is_full(ring):
        trial[EVENT, 0] = REFUSED
        return np.nan
    trial[LABEL, 0] = y
    trial[WEIGHT, 0] = 1.0
    state, v = array_at(addresses, 0, 0.0), array_at(addresses, 1, 0.0)
    indptr, indices = array_at(addresses, 2, ONE), array_at(addresses, 3, np.uint32(0))
    values = array_at(addresses, 4, 0.0)
    if learn(code, state, v, 0, 0, indices, indptr, indices, values, trial) == 1:
        put(ring, trial[SCORE, 0], y)
        return trial[SCORE, 0]
    trial[EVENT, 0] = REFUSED
    return np.nan


@brief
def score_row(addresses: int) -> float:
    """Score one sparse row."""
    state, v = array_at(addresses, 0, 0.0), array_at(addresses, 1, 0.0)
    indptr, indices = array_at(addresses, 2, ONE), array_at(addresses, 3, np.uint32(0))
    values = array_at(addresses, 4, 0.0)
    dot, _ = dot_sparse(v[FIRST:], indices, values, indptr[0], indptr[1])
    return state[SCALE] * (dot + state[BIAS] * v[0])


class LinearEngine(Engine):
    """Euclidean geometry, weights scaled lazily."""

    finds_bad_values = True

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.beta = getattr(rule, "beta", None)

    def refusal(self) -> str:
        """The message for an infeasible example; only L1PA and L2PA refuse one."""
        return (
            f"must be feasible, got one on which no weights within beta = {self.beta} "
            "reach margin 1. Raise beta, or choose infeasible='skip', 'relax' or 'best'"
        )

    def learner_of(self, row: SparseRows, trial: Floats, recent: RecentRounds | None) -> Callable[[float], float]:
        """Return a compiled function that learns the current content of ``row`` with a label."""
        if self.v.dtype != np.float64 or recent is None:
            return super().learner_of(row, trial, recent)
        arrays = self.state, self.v, *row, trial, recent.ring
        return by_address(direct(learn_row, self.code, 0, 1.0), (self.code,), arrays)

    def scorer_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a compiled function that scores the current content of ``row``."""
        if self.v.dtype != np.float64:
            return super().scorer_of(row)
        return by_address(direct(score_row, 0), (), (self.state, self.v, *row))

    def learn_sparse(self, indptr: Offsets, indices: Indices, values: Floats, trials: Floats) -> int:
        """``learn`` on sparse rows."""
        return learn(self.code, self.state, self.v, 0, 0, NO_PLACES, indptr, indices, values, trials)

    def learn_unchecked(self, rows: Rows, width: int, trials: Floats, rising: bool) -> int:
        """``learn`` that also stops at an index >= ``width``, and at rows that may repeat an index.

        If ``rising`` is set, it stops at rows whose indices do not increase.
        """
        if isinstance(rows, DenseRows):
            return self.learn_dense(rows.X, trials)
        places = NO_PLACES if rising else places_for(len(rows.indices), width)
        return learn(self.code, self.state, self.v, 0, width, places, *rows, trials)

    def learn_dense(self, X: Floats, trials: Floats) -> int:
        """``learn`` on dense rows."""
        return learn(
            self.code, self.state, self.v, X.shape[1], 0, NO_PLACES, NO_INDPTR, NO_INDICES, X.reshape(-1), trials
        )

    def score_sparse(self, indptr: Offsets, indices: Indices, values: Floats, scores: Floats) -> None:
        """``score`` of sparse rows."""
        score(self.state, self.v, 0, indptr, indices, values, scores)

    def score_dense(self, X: Floats, scores: Floats) -> None:
        """``score`` of dense rows."""
        score(self.state, self.v, X.shape[1], NO_INDPTR, NO_INDICES, X.reshape(-1), scores)

    def weights(self) -> Floats:
        """The weights w, laid out as v."""
        return self.state[SCALE] * self.v.astype(np.float64)

    def weights_at(self, places: np.ndarray) -> Floats:
        """The weights at these places of v."""
        return self.state[SCALE] * self.v[places].astype(np.float64)
