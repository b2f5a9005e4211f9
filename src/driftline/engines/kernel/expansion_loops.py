"""The compiled loops over rows of ``Kernelized``. The update is in ``rules.kernel.kernelized``.

A round has two steps. ``test`` computes the score and decides on the update, but changes nothing.
``train`` makes the update. If |w|^2 is tracked, the caller computes w.x_r between the two steps,
where r is the support vector to remove. |w|^2 is updated with every step and recomputed
occasionally: see ``keep_norm``.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from driftline.engines.engine import RECOMPUTE
from driftline.engines.kernel.row_fill import fill, is_finite
from driftline.engines.state import (
    BALL,
    BIAS,
    DUE,
    EVENT,
    INFEASIBLE,
    LABEL,
    LONGEST_SQ,
    MARGIN_ERRORS,
    NORM,
    PASSIVE,
    PEAK,
    REFUSES,
    SCALE,
    SCORE,
    SEEN,
    SHORTEST_SQ,
    SINCE,
    SMALLEST,
    TUBE,
    TUBE_GROWS,
    TUBE_SHRINKS,
    UPDATED,
    UPDATES,
    WEIGHT,
    params_of,
    tally,
)
from driftline.internals.compiled import Floats, Indices, Offsets, Params, inlined, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.rules.kernel import forgetron, kernelized, projectron
from driftline.rules.kernel.kernel_columns import constant_term, square
from driftline.rules.kernel.kernelized import AGE, FORGETRON, PROJECTRON, Plan, eviction, kernel_sum, norm_sq
from driftline.rules.kernel.support_vectors import FINE, LIVE, MORE_ROOM, NO_SLOT, Expansion, multiply_out
from driftline.rules.linear.two_numbers import ask, impossible
from driftline.rules.regression.residual_rule import next_tube, residual

# further reasons for stopping at a row, besides MORE_ROOM and FULL
NO_SOLUTION, TOO_LONG, NOT_UNIT, NOT_FINITE, OVERFLOWED = 3, 4, 5, 6, 7
# |w|^2 of a regressor stays finite: its steps grow with the error, so that |w|^2 overflows first
LARGEST_NORM_SQ = 1e300


@inlined
def margin(plan: Plan, state: Floats, y: float, dot: float) -> tuple[float, float]:
    """Return (m, sign) of a round: its margin and label, or those of its residual."""
    if plan.regresses:
        return residual(y, state[SCALE] * dot, state[TUBE])
    return (y * state[SCALE]) * dot, y


@jit
def count_rounds(plan: Plan, state: Floats, trials: Floats, done: int) -> None:
    """Count rounds; those of a regressor outside its tube are counted by ``train``."""
    if plan.regresses:
        state[SEEN] += done
    else:
        tally(state, trials, done)


@inlined
def test(
    plan: Plan, state: Floats, ring: Floats, slots: Floats, trials: Floats, i: int, dot: float, x_sq: float
) -> tuple[int, float, float, float, int]:
    """Record the score of round i and decide: (status, k(x, x), shrink, tau, slot to empty)."""
    trials[SCORE, i] = state[SCALE] * dot
    trials[EVENT, i] = 0.0
    if x_sq < state[SHORTEST_SQ]:
        x_sq = 0.0
    y, weight = trials[LABEL, i], trials[WEIGHT, i]
    if plan.evict == PROJECTRON:
        status = MORE_ROOM if projectron.needs_slots(ring, plan.limit, y * dot, weight) else FINE
        return status, x_sq, 1.0, 0.0, NO_SLOT
    m, _ = margin(plan, state, y, dot)
    if plan.evict == FORGETRON and x_sq > forgetron.LONGEST_SQ:
        return NOT_UNIT, x_sq, 1.0, 0.0, NO_SLOT
    if m >= state[PASSIVE] and plan.evict != AGE:
        return FINE, x_sq, 1.0, 0.0, NO_SLOT
    params = params_of(state)
    stuck = impossible(plan.code, params, weight, m, x_sq, state[NORM])
    if stuck:
        trials[EVENT, i] = INFEASIBLE
        if state[REFUSES] != 0.0:
            return NO_SOLUTION, x_sq, 1.0, 0.0, NO_SLOT
    shrink, tau = ask(plan.code, params, weight, m, x_sq, state[NORM], state[UPDATES])
    status, r = eviction(plan, ring, slots, weight, shrink, tau)
    return status, x_sq, shrink, tau, r


@inlined
def train(
    plan: Plan,
    state: Floats,
    ring: Floats,
    tiles: Floats,
    slots: Floats,
    lower: Floats,
    k: Floats,
    other: Floats,
    x: Floats,
    n: int,
    trials: Floats,
    i: int,
    dot: float,
    x_sq: float,
    shrink: float,
    tau: float,
    r: int,
    score: float,
) -> tuple[int, bool]:
    """Carry out what ``test`` decided: (status, whether |w|^2 must be recomputed)."""
    weight = trials[WEIGHT, i]
    outside, y = margin(plan, state, trials[LABEL, i], dot)
    m = (y * state[SCALE]) * dot
    if plan.regresses:
        state[MARGIN_ERRORS] += outside < 0.0
        if weight > 0.0:
            state[TUBE] = next_tube(state[TUBE], outside, state[TUBE_GROWS], state[TUBE_SHRINKS])
    due = False
    if plan.evict == PROJECTRON:
        status, tau, state[NORM] = projectron.update(
            plan.eta,
            plan.limit,
            plan.bounded,
            ring,
            tiles,
            slots,
            lower,
            k,
            other,
            x,
            n,
            state[NORM],
            m,
            x_sq,
            weight,
            y,
        )
        if status != FINE:
            return status, False
    elif shrink != 1.0 or tau != 0.0 or plan.evict == AGE:
        state[SCALE], state[NORM] = kernelized.update(
            plan,
            ring,
            tiles,
            slots,
            k,
            x,
            n,
            state[SCALE],
            state[NORM],
            state[SMALLEST],
            m,
            x_sq,
            weight,
            y,
            shrink,
            tau,
            r,
            score,
        )
        if plan.regresses:
            state[NORM] = min(state[NORM], LARGEST_NORM_SQ)
        if tau != 0.0 or r != NO_SLOT:
            due = keep_norm(plan, state, slots)
    if tau != 0.0:
        state[UPDATES] += 1.0
        trials[EVENT, i] += UPDATED
    return FINE, due


@jit
def keep_norm(plan: Plan, state: Floats, slots: Floats) -> bool:
    """Keep the scale in its range and w in its ball; True: |w|^2 must be recomputed first."""
    if not state[SMALLEST] <= state[SCALE]:
        multiply_out(slots, state[SCALE])
        state[SCALE] = 1.0
    if not plan.measures:
        return False
    state[PEAK] = max(state[PEAK], state[NORM])
    state[SINCE] += 1.0
    if state[SINCE] >= state[DUE] or state[NORM] < 1e-3 * state[PEAK]:
        return True
    into_ball(state, slots)
    return False


@jit
def take_norm(state: Floats, ring: Floats, slots: Floats, w_sq: float) -> None:
    """Store the recomputed |w|^2. The more support vectors, the later it is due again."""
    state[NORM] = max(0.0, w_sq)
    state[PEAK] = state[NORM]
    state[SINCE] = 0.0
    state[DUE] = max(RECOMPUTE, ring[LIVE])
    into_ball(state, slots)


@jit
def into_ball(state: Floats, slots: Floats) -> None:
    """Shrink w until it is in its ball."""
    ball = state[BALL]
    if state[NORM] > ball * ball:
        state[SCALE] *= ball / sqrt(state[NORM])
        state[NORM] = ball * ball
        if not state[SMALLEST] <= state[SCALE]:
            multiply_out(slots, state[SCALE])
            state[SCALE] = 1.0


@jit
def learn(
    kernel: int,
    params: Params,
    plan: Plan,
    state: Floats,
    E: Expansion,
    x: Floats,
    x_r: Floats,
    n: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    start: int,
) -> tuple[int, int]:
    """Test, then train on each row from ``start`` on; return where it stopped, and the status.

    The rounds are counted here unless the status is MORE_ROOM: then it is called again. An
    interrupt comes before or after a call, so that a round is either learned and counted, or
    neither.
    """
    ring, tiles, slots = borrowed(E.ring), borrowed(E.tiles), borrowed(E.slots)
    lower, k, other = borrowed(E.lower), borrowed(E.k), borrowed(E.other)
    state, trials, x, x_r, values = borrowed(state), borrowed(trials), borrowed(x), borrowed(x_r), borrowed(values)
    indptr, indices = borrowed(indptr), borrowed(indices)
    first = constant_term(kernel, state[BIAS])
    done, status = trials.shape[1], FINE
    for i in range(start, trials.shape[1]):
        fill(kernel, x, n, width, indptr, indices, values, i)
        dot = kernel_sum(kernel, params, ring, tiles, slots, k, x, n, first)
        x_sq = square(kernel, params, x, n, first)
        status, due = OVERFLOWED if x_sq <= LONGEST_SQ else TOO_LONG, False
        if x_sq <= LONGEST_SQ and abs(state[SCALE] * dot) < np.inf:
            status, x_sq, shrink, tau, r = test(plan, state, ring, slots, trials, i, dot, x_sq)
            score = 0.0
            if status == FINE and r >= 0 and plan.tracks:
                dot_r = kernelized.kernel_sum_of(kernel, params, ring, tiles, slots, other, r, x_r, n, first)
                score = state[SCALE] * dot_r
            if status == FINE:
                status, due = train(
                    plan,
                    state,
                    ring,
                    tiles,
                    slots,
                    lower,
                    k,
                    other,
                    x,
                    n,
                    trials,
                    i,
                    dot,
                    x_sq,
                    shrink,
                    tau,
                    r,
                    score,
                )
        if status != FINE:
            done = i
            break
        if due:
            w_sq = state[SCALE] ** 2 * norm_sq(kernel, params, ring, tiles, slots, other, x_r, n, first)
            take_norm(state, ring, slots, w_sq)
    if status != MORE_ROOM:
        count_rounds(plan, state, trials, done)
    return done, status


@jit
def score(
    kernel: int,
    params: Params,
    state: Floats,
    E: Expansion,
    x: Floats,
    n: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row."""
    ring, tiles, slots, _, k, _ = E
    first = constant_term(kernel, state[BIAS])
    for i in range(scores.size):
        fill(kernel, x, n, width, indptr, indices, values, i)
        size = width if width > 0 else n
        dot = kernel_sum(kernel, params, ring, tiles, slots, k, x, size, first)
        scores[i] = state[SCALE] * dot if is_finite(x, size) else np.nan
