"""w as a sum of support vectors: where they lie, which one goes, and what a round does to them.

    w = s sum_i c_i phi(x_i),    N = |w|^2

Support vectors have slots in a ring of ``room`` slots, the oldest at ``head``, so that dropping it moves nothing. Slots
without one are zero throughout. The room doubles when it is full, until it is all that is allowed. A round is two
functions: ``decide`` changes nothing and says which support vector must go, ``apply`` does it. Between the two a caller
finds w.x_r of that one, if it is needed for

    N' = N - 2 a w.x_r + a^2 k(x_r, x_r),    a = s c_r
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from driftline.engines.engine import RECOMPUTE
from driftline.engines.kernel.expansion_state import CLOCK, DROPPED, HEAD, LIVE, MISTAKES, ROOM
from driftline.engines.kernel.forgetron import shrinkage
from driftline.engines.kernel.kernel_columns import TILE
from driftline.engines.kernel.projectron import add_row, project
from driftline.engines.state import (
    BALL,
    DUE,
    EVENT,
    INFEASIBLE,
    LABEL,
    NORM,
    PASSIVE,
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
    params_of,
)
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.splitmix import STEP, mixed
from driftline.rules.linear.two_numbers import ask, impossible

# what may become of a round: done, or refused, or first more room
FINE, MORE_ROOM, FULL, NO_SOLUTION, TOO_LONG, NOT_UNIT, NOT_FINITE, OVERFLOWN = 0, 1, 2, 3, 4, 5, 6, 7
OLDEST_GOES, SMALLEST_GOES, RANDOM_GOES, AGED_GOES, FORGETRON, PROJECTRON = 0, 1, 2, 3, 4, 5
UNIT_SQ = 1.0 + 1e-9
NOBODY = -1
# rows of slots
C, SQUARE, BIRTH, KEPT = 0, 1, 2, 3


class Plan(NamedTuple):
    """What follows from the parameters."""

    code: int
    """Of the rule."""
    evict: int
    limit: int
    bounded: bool
    """Whether one goes when there are ``limit``; else an example is refused."""
    age: int
    by_update: bool
    """Whether ages count updates."""
    eta: float
    seed: np.uint64
    tracks: bool
    """Whether N is kept up to date."""
    measures: bool
    """Whether it is computed anew now and then, because the rule depends on it."""


class Expansion(NamedTuple):
    """The support vectors: ``tiles`` as in ``columns``; ``slots`` by slot: coefficient, k(x, x), and when it came.

    ``lower`` is the Cholesky factor of their kernel matrix (for the Projectron), ``k`` and ``other`` room for columns.
    Compiled functions take the arrays one by one: taking one out of a tuple costs more than many a round.
    """

    book: Floats
    tiles: Floats
    slots: Floats
    lower: Floats
    k: Floats
    other: Floats


@inlined
def spans(book: Floats) -> tuple[int, int, int]:
    """The tiles with support vectors: 0 to a, and b to e."""
    head, live, room = int(book[HEAD]), int(book[LIVE]), int(book[ROOM])
    end = head + live
    start = head // TILE
    if end <= room:
        return 0, start, (end + TILE - 1) // TILE
    wrapped = (end - room + TILE - 1) // TILE
    last = (room + TILE - 1) // TILE
    return (0, 0, last) if wrapped >= start else (wrapped, start, last)


@jit
def chosen(plan: Plan, book: Floats, slots: Floats) -> int:
    """The slot of the one that goes, of as many as there is room for."""
    room = int(book[ROOM])
    if plan.evict == RANDOM_GOES:
        drawn = mixed(plan.seed + (np.uint64(book[DROPPED]) + np.uint64(1)) * STEP)
        return np.int64(drawn % np.uint64(room))
    if plan.evict == SMALLEST_GOES:
        best = 0
        for slot in range(room):
            if slots[C, slot] ** 2 * slots[SQUARE, slot] < slots[C, best] ** 2 * slots[SQUARE, best]:
                best = slot
        return best
    return int(book[HEAD])


@inlined
def ticks(plan: Plan, weight: float, tau: float) -> bool:
    """Whether a round makes support vectors older."""
    if plan.evict != AGED_GOES:
        return False
    return tau != 0.0 if plan.by_update else weight != 0.0


@inlined
def decide(
    plan: Plan, state: Floats, book: Floats, slots: Floats, y: float, weight: float, dot: float, x_sq: float
) -> tuple[int, float, float, int, bool]:
    """What a round is going to do: (status, shrink, tau, the slot that goes or NOBODY, whether it is infeasible)."""
    params = params_of(state)
    m = (y * state[SCALE]) * dot
    if plan.evict == FORGETRON and x_sq > UNIT_SQ:
        return NOT_UNIT, 1.0, 0.0, NOBODY, False
    if m >= state[PASSIVE] and plan.evict != AGED_GOES:
        return FINE, 1.0, 0.0, NOBODY, False
    stuck = impossible(plan.code, params, weight, m, x_sq, state[NORM])
    if stuck and state[REFUSES] != 0.0:
        return NO_SOLUTION, 1.0, 0.0, NOBODY, True
    shrink, tau = ask(plan.code, params, weight, m, x_sq, state[NORM], state[UPDATES])
    live, room = int(book[LIVE]), int(book[ROOM])
    goes = NOBODY
    if shrink != 0.0 and live > 0 and ticks(plan, weight, tau):
        head = int(book[HEAD])
        if book[CLOCK] + 1.0 - slots[BIRTH, head] >= plan.age:
            goes = head
    if tau == 0.0 or goes != NOBODY or live < room or (shrink == 0.0 and room > 0):
        return FINE, shrink, tau, goes, stuck
    if room < plan.limit:
        return MORE_ROOM, shrink, tau, goes, stuck
    if not plan.bounded:
        return FULL, shrink, tau, goes, stuck
    return FINE, shrink, tau, chosen(plan, book, slots), stuck


@jit
def multiply_out(state: Floats, slots: Floats) -> None:
    """Let the coefficients take over the scale, where that has become extreme."""
    for j in range(slots.shape[1]):
        slots[C, j] *= state[SCALE]
    state[SCALE] = 1.0


@jit
def vacate(tiles: Floats, slots: Floats, slot: int) -> None:
    """Make a slot zero throughout."""
    tile, lane = slot // TILE, slot % TILE
    for i in range(tiles.shape[1]):
        tiles[tile, i, lane] = 0.0
    for k in range(KEPT):
        slots[k, slot] = 0.0


@jit
def clear(state: Floats, book: Floats, tiles: Floats, slots: Floats) -> None:
    """w = 0."""
    for slot in range(int(book[ROOM])):
        vacate(tiles, slots, slot)
    book[HEAD] = 0.0
    book[LIVE] = 0.0
    state[SCALE] = 1.0
    state[NORM] = 0.0


@jit
def drop(plan: Plan, state: Floats, book: Floats, tiles: Floats, slots: Floats, slot: int, score: float) -> None:
    """Take the support vector of a slot out of w; ``score`` is w.x of it."""
    a = state[SCALE] * slots[C, slot]
    if plan.tracks:
        state[NORM] = max(0.0, state[NORM] - a * (2.0 * score - a * slots[SQUARE, slot]))
    vacate(tiles, slots, slot)
    book[DROPPED] += 1.0
    book[LIVE] -= 1.0
    if slot == int(book[HEAD]) and plan.evict not in (SMALLEST_GOES, RANDOM_GOES):
        book[HEAD] = float((slot + 1) % int(book[ROOM]))


@jit
def place(book: Floats, tiles: Floats, slots: Floats, slot: int, x: Floats, n: int, c: float, x_sq: float) -> None:
    """Put x into an empty slot."""
    tile, lane = slot // TILE, slot % TILE
    for i in range(n):
        tiles[tile, i, lane] = x[i]
    slots[C, slot] = c
    slots[SQUARE, slot] = x_sq
    slots[BIRTH, slot] = book[CLOCK]
    book[LIVE] += 1.0


@jit
def apply(
    plan: Plan,
    state: Floats,
    book: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    x: Floats,
    n: int,
    m: float,
    x_sq: float,
    weight: float,
    y: float,
    shrink: float,
    tau: float,
    goes: int,
    score: float,
) -> bool:
    """Do what was decided; ``score`` is w.x of the one that goes. True: the norm is due to be computed anew."""
    if shrink == 0.0:
        clear(state, book, tiles, slots)
    elif shrink != 1.0:
        state[SCALE] *= shrink
        state[NORM] *= shrink * shrink
        if not state[SMALLEST] <= state[SCALE] <= 1.0 / state[SMALLEST]:
            multiply_out(state, slots)
    if ticks(plan, weight, tau):
        book[CLOCK] += 1.0
    score *= shrink
    if tau == 0.0:
        if goes == NOBODY:
            return False
        drop(plan, state, book, tiles, slots, goes, score)
        return kept(plan, state, slots)
    state[UPDATES] += 1.0
    step = tau * weight
    factor = step * y / state[SCALE]
    if plan.tracks:
        state[NORM] = max(0.0, state[NORM] + step * (2.0 * shrink * m + step * x_sq))
    slot = goes
    if plan.evict == FORGETRON:
        book[MISTAKES] += 1.0
    if goes != NOBODY:
        score += step * y * k[goes]
        if plan.evict == FORGETRON:
            phi = shrinkage(book, state[SCALE] * slots[C, goes], score)
            state[SCALE] *= phi
            state[NORM] *= phi * phi
            score *= phi
        drop(plan, state, book, tiles, slots, goes, score)
    if goes == NOBODY or plan.evict not in (SMALLEST_GOES, RANDOM_GOES):
        slot = int(book[HEAD] + book[LIVE]) % int(book[ROOM])
    place(book, tiles, slots, slot, x, n, factor, x_sq)
    return kept(plan, state, slots)


@jit
def kept(plan: Plan, state: Floats, slots: Floats) -> bool:
    """Keep the scale in its range and w in its ball; True: the norm is due to be computed anew first."""
    if not state[SMALLEST] <= state[SCALE]:
        multiply_out(state, slots)
    if not plan.measures:
        return False
    state[PEAK] = max(state[PEAK], state[NORM])
    state[SINCE] += 1.0
    if state[SINCE] >= state[DUE] or state[NORM] < 1e-3 * state[PEAK]:
        return True
    into_ball(state, slots)
    return False


@jit
def measured(state: Floats, book: Floats, slots: Floats, w_sq: float) -> None:
    """Take over the norm that was computed anew; the more support vectors, the later it is due again."""
    state[NORM] = max(0.0, w_sq)
    state[PEAK] = state[NORM]
    state[SINCE] = 0.0
    state[DUE] = max(RECOMPUTE, book[LIVE])
    into_ball(state, slots)


@jit
def into_ball(state: Floats, slots: Floats) -> None:
    """Shrink w until it is in its ball."""
    ball = state[BALL]
    if state[NORM] > ball * ball:
        state[SCALE] *= ball / sqrt(state[NORM])
        state[NORM] = ball * ball
        if not state[SMALLEST] <= state[SCALE]:
            multiply_out(state, slots)


@inlined
def test(
    plan: Plan, state: Floats, book: Floats, slots: Floats, trials: Floats, i: int, dot: float, x_sq: float
) -> tuple[int, float, float, float, int]:
    """Write down the score of a round and decide on it: (status, k(x, x), shrink, tau, the slot that goes)."""
    trials[SCORE, i] = state[SCALE] * dot
    trials[EVENT, i] = 0.0
    if x_sq < state[SHORTEST_SQ]:
        x_sq = 0.0
    y, weight = trials[LABEL, i], trials[WEIGHT, i]
    if plan.evict == PROJECTRON:
        full = book[LIVE] == book[ROOM]
        if full and book[ROOM] < plan.limit and y * dot <= 0.0 and weight != 0.0:
            return MORE_ROOM, x_sq, 1.0, 0.0, NOBODY
        return FINE, x_sq, 1.0, 0.0, NOBODY
    status, shrink, tau, goes, stuck = decide(plan, state, book, slots, y, weight, dot, x_sq)
    if stuck:
        trials[EVENT, i] = INFEASIBLE
    return status, x_sq, shrink, tau, goes


@inlined
def train(
    plan: Plan,
    state: Floats,
    book: Floats,
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
    goes: int,
    score: float,
) -> tuple[int, bool]:
    """Do what was decided after ``test``: (status, whether the norm is due to be computed anew)."""
    y, weight = trials[LABEL, i], trials[WEIGHT, i]
    m = (y * state[SCALE]) * dot
    before = state[UPDATES]
    due = False
    if plan.evict == PROJECTRON:
        live = int(book[LIVE])
        has_room = live < plan.limit or not plan.bounded
        delta, x_d, tau = project(slots[C], lower, k, other, live, plan.eta, has_room, m, x_sq, weight, y)
        if delta > 0.0:
            if live == plan.limit:
                return FULL, False
            add_row(lower, other, live, delta)
            place(book, tiles, slots, live, x, n, weight * y, x_sq)
        if tau != 0.0:
            state[UPDATES] += 1.0
            state[NORM] = max(0.0, state[NORM] + weight * tau * (2.0 * m + weight * tau * x_d))
    elif shrink != 1.0 or tau != 0.0 or plan.evict == AGED_GOES:
        due = apply(plan, state, book, tiles, slots, k, x, n, m, x_sq, weight, y, shrink, tau, goes, score)
    if state[UPDATES] != before:
        trials[EVENT, i] += UPDATED
    return FINE, due
