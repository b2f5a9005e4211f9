"""The loop of a bank: one column of weights per two-number rule; each row is read once for all.

Every column gives the same bits as ``euclidean.learn`` does for a single learner. The scale, the
tracked norm and the counters of column k are in row k of ``states``.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.linear.euclidean import FOUR, ONE, THREE, TWO, measure
from driftline.engines.state import (
    BALL,
    DUE,
    FIRST,
    INFEASIBLE,
    INFEASIBLES,
    LABEL,
    LABEL_ERRORS,
    MARGIN,
    MARGIN_ERRORS,
    MISTAKES,
    NORM,
    PARAMS,
    PASSIVE,
    PEAK,
    REFUSES,
    SCALE,
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
)
from driftline.internals.compiled import Floats, Indices, Offsets, Weights, fused, inlined, jit
from driftline.internals.numeric.column_tiles import dots_of, fetch, move_all
from driftline.internals.numeric.simd import dot_dense
from driftline.rules.linear.two_numbers import answer, impossible, into_ball, longer, stale
from driftline.rules.regression.residual_rule import next_tube, residual

# rows of the scratch array: w.x, the factor of x in the update, and tau and shrink, which the
# tracked norm needs
DOT, FACTOR, TAU, SHRINK = 0, 1, 2, 3
SCRATCH_ROWS = 4


@fused
def square_sparse(values: Floats, start: int, stop: int) -> float:
    """|x|^2 in the order of ``dot_sparse``."""
    q0 = q1 = q2 = q3 = 0.0
    whole = start + ((stop - start) & ~THREE)
    for j in range(start, whole, FOUR):
        x0, x1, x2, x3 = values[j], values[j + ONE], values[j + TWO], values[j + THREE]
        q0 += x0 * x0
        q1 += x1 * x1
        q2 += x2 * x2
        q3 += x3 * x3
    for j in range(whole, stop):
        q0 += values[j] * values[j]
    return (q0 + q1) + (q2 + q3)


@inlined
def read(
    V: Weights,
    W: Weights,
    bias: float,
    columns: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    i: int,
    dots: Floats,
) -> tuple[int, int, float]:
    """Write w.x of every column to ``dots``; return start, stop and |x|^2 of row i.

    The weights of the next row are prefetched. If ``columns`` > 0, rows are dense with ``columns``
    values each. Otherwise they are sparse, with ``indptr`` and ``indices``.
    """
    if columns > 0:
        start = i * columns
        stop = start + columns
        _, x_sq = dot_dense(values, values, start, columns)
    else:
        start = indptr[i]
        stop = indptr[i + ONE]
        if i + TWO < np.uint64(indptr.size):
            fetch(W, indices, stop, indptr[i + TWO])
        x_sq = square_sparse(values, start, stop)
    dots_of(W, columns, indices, values, start, stop, dots)
    for k in range(dots.size):
        dots[k] += bias * V[0, k]
    return start, stop, x_sq + bias * bias


@inlined
def params_at(states: Floats, k: int) -> tuple[float, float, float, float]:
    """The parameters of the rule of column k."""
    return states[k, PARAMS], states[k, PARAMS + 1], states[k, PARAMS + 2], states[k, PARAMS + 3]


@inlined
def refused(codes: Indices, states: Floats, dots: Floats, y: float, weight: float, x_sq: float) -> bool:
    """Whether the step of a column that refuses infeasible examples is infeasible."""
    for k in range(codes.size):
        if states[k, REFUSES] != 0.0:
            m = (y * states[k, SCALE]) * dots[k]
            passive = m >= states[k, PASSIVE]
            if not passive and impossible(codes[k], params_at(states, k), weight, m, x_sq, states[k, NORM]):
                return True
    return False


@inlined
def count(states: Floats, k: int, y: float, score: float) -> None:
    """Count a round of column k by its score."""
    m = y * score
    states[k, MISTAKES] += m <= 0.0
    states[k, LABEL_ERRORS] += (score >= 0.0) != (y > 0.0)
    states[k, MARGIN_ERRORS] += m <= states[k, MARGIN]


@jit
def multiply_out(V: Weights, k: int, scale: float) -> None:
    """Multiply column k by a scale that has become extreme (or 0)."""
    for j in range(len(V)):
        V[j, k] *= scale


@inlined
def track(states: Floats, V: Weights, k: int, m: float, x_sq: float, shrink: float, tau: float) -> None:
    """Update the tracked norm of an updated column, and project the column on its ball."""
    w_sq = longer(states[k, NORM], m, x_sq, shrink, tau)
    states[k, NORM] = w_sq
    states[k, PEAK] = max(states[k, PEAK], w_sq)
    states[k, SINCE] += 1.0
    if stale(w_sq, states[k, PEAK], states[k, SINCE], states[k, DUE]):
        measure(states[k], V[:, k])
    scale, w_sq, rescale = into_ball(states[k, SCALE], states[k, NORM], states[k, BALL], states[k, SMALLEST])
    states[k, SCALE], states[k, NORM] = scale, w_sq
    if rescale != 1.0:
        multiply_out(V, k, rescale)


@jit
def learn(
    codes: Indices,
    states: Floats,
    places: Indices,
    bias: float,
    V: Weights,
    scratch: Floats,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    scores: Floats,
    events: Indices,
    regresses: bool,
) -> int:
    """Test, then train every column on each row; return the number of rows done.

    Rows are as in ``read``.
    Score and event of row i in column k are written to ``scores[i, places[k]]`` and
    ``events[i, places[k]]``. ``scratch`` is overwritten. ``regresses``: the labels are real targets,
    and a column gives the same bits as ``regression.euclidean.learn``.
    """
    dots, factors, taus, shrinks = scratch[DOT], scratch[FACTOR], scratch[TAU], scratch[SHRINK]
    W = V[FIRST:]
    columns = np.uint64(width)
    size = np.uint64(codes.size)
    smallest, shortest_sq = states[0, SMALLEST], states[0, SHORTEST_SQ]  # depend only on the dtype of the weights
    refuses, tracks = False, False
    for k in range(size):
        refuses |= states[k, REFUSES] != 0.0
        tracks |= states[k, TRACKS] != 0.0
    done = np.uint64(trials.shape[1])
    for i in range(done):
        y, weight = trials[LABEL, i], trials[WEIGHT, i]
        start, stop, x_sq = read(V, W, bias, columns, indptr, indices, values, i, dots)
        if x_sq < shortest_sq:
            x_sq = 0.0
        if refuses and refused(codes, states, dots, y, weight, x_sq):
            done = i
            break
        moved = False
        for k in range(size):
            scale = states[k, SCALE]
            score = scale * dots[k]
            m, sign = (y * scale) * dots[k], y
            scores[i, places[k]] = score
            if regresses:
                m, sign = residual(y, score, states[k, TUBE])
                states[k, MARGIN_ERRORS] += m < 0.0
            else:
                count(states, k, y, score)
            event = 0.0
            factors[k] = 0.0
            if not m >= states[k, PASSIVE]:
                params = params_at(states, k)
                if impossible(codes[k], params, weight, m, x_sq, states[k, NORM]):
                    states[k, INFEASIBLES] += 1.0
                    event = INFEASIBLE
                shrink, tau, factor, scale, w_sq, rescale = answer(
                    codes[k], params, sign, weight, m, x_sq, states[k, NORM], states[k, UPDATES], scale, smallest
                )
                if regresses and weight > 0.0:
                    states[k, TUBE] = next_tube(states[k, TUBE], m, states[k, TUBE_GROWS], states[k, TUBE_SHRINKS])
                states[k, SCALE], states[k, NORM] = scale, w_sq
                if rescale != 1.0:
                    multiply_out(V, k, rescale)
                if tau != 0.0:
                    states[k, UPDATES] += 1.0
                    event += UPDATED
                    factors[k] = factor
                    V[0, k] += factor * bias
                    taus[k] = tau * weight
                    shrinks[k] = shrink
                    moved = True
            events[i, places[k]] = event
        if not moved:
            continue
        move_all(W, columns, indices, values, start, stop, factors)
        if not tracks:
            continue
        for k in range(size):
            if states[k, TRACKS] != 0.0 and events[i, places[k]] & 1:
                score = scores[i, places[k]]
                m = residual(y, score, 0.0)[1] * score if regresses else y * score
                track(states, V, k, m, x_sq, shrinks[k], taus[k])
    for k in range(size):
        states[k, SEEN] += done
    return int(done)


@jit
def score(
    states: Floats,
    places: Indices,
    bias: float,
    V: Weights,
    scratch: Floats,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row in every column; rows, ``places`` and ``scores`` as in ``learn``."""
    dots = scratch[DOT]
    W = V[FIRST:]
    columns = np.uint64(width)
    for i in range(np.uint64(scores.shape[0])):
        read(V, W, bias, columns, indptr, indices, values, i, dots)
        for k in range(np.uint64(states.shape[0])):
            scores[i, places[k]] = states[k, SCALE] * dots[k]
