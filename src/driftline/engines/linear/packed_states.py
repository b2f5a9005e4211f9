"""Learn groups of rows, each with a state of its own, which is read from bytes and written to bytes.

A call of ``learn`` for each group would cost more than the learning, because most groups have one
or two rows. Here one loop reads the state of a group into the arrays of one engine, learns the
rows with the loop of that engine, and writes the state. So the bits are the same.

The bytes of a state are those of ``keyed/packed.py`` with five arrays: the number of recent rounds,
their scores, the learned part of the state of the engine, the weights, and whether the sign of
each recent round is positive. Every number is checked before it is used as a size or an index.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import MOST
from driftline.engines.calibration.recent_rounds import start_of
from driftline.engines.linear.euclidean import NO_INDICES, NO_INDPTR, learn
from driftline.engines.state import (
    DUE,
    FIRST,
    INFEASIBLES,
    LABEL,
    LABEL_ERRORS,
    NORM,
    PREDICTED,
    SCALE,
    SCORE,
    SEEN,
    SINCE,
    WEIGHT,
)
from driftline.internals.compiled import Floats, Weights, jit

MOST_ROUNDS = 1 << 12
"""More than the recent rounds of any state."""
# places in the numbers of a state: what the prior had counted, the counters, the scaling and the
# number of features, then the lengths of the five arrays
COUNTERS, SCALED, FEATURES, LENGTHS, NUMBERS = 2, 8, 9, 10, 15
HEAD = 2  # bytes before the numbers: the layout
Bytes = np.ndarray


@jit
def number_in(data: Bytes, at: int, width: int) -> int:
    """The whole number of ``width`` bytes at a place."""
    found = np.uint64(0)
    for k in range(width):
        found |= np.uint64(data[at + k]) << np.uint64(8 * k)
    return np.int64(found)


@jit
def put_number(data: Bytes, at: int, width: int, value: int) -> None:
    """Write a whole number as ``width`` bytes."""
    bits = np.uint64(value)
    for k in range(width):
        data[at + k] = np.uint8((bits >> np.uint64(8 * k)) & np.uint64(255))


@jit
def words_of(rounds: int, columns: int) -> int:
    """The words of the five arrays."""
    return 1 + rounds + SEEN + FIRST + columns + (rounds + 7) // 8


@jit
def read_state(
    data: Bytes, at: int, end: int, layout: int, columns: int, numbers: np.ndarray, words: np.ndarray
) -> bool:
    """Read a state; return whether it is one with this layout and number of columns."""
    if at + HEAD >= end or number_in(data, at, HEAD) != layout:
        return False
    width = int(data[at + HEAD])
    mask = at + HEAD + 1 + NUMBERS * width
    if not (width == 1 or width == 2 or width == 4 or width == 8) or mask > end:
        return False
    for k in range(NUMBERS):
        numbers[k] = number_in(data, at + HEAD + 1 + k * width, width)
        if not 0 <= numbers[k] <= MOST:
            return False
    rounds = numbers[LENGTHS + 1]
    sizes = numbers[LENGTHS] == 1 and numbers[LENGTHS + 2] == SEEN and numbers[LENGTHS + 3] == FIRST + columns
    if not sizes or numbers[LENGTHS + 4] != rounds or not 0 < rounds < MOST_ROUNDS:
        return False
    if numbers[SCALED] != 0 or numbers[FEATURES] != columns:
        return False
    size = words_of(rounds, columns)
    place = mask + (size + 7) // 8
    if place > end:
        return False
    for k in range(size):
        words[k] = 0
        if (int(data[mask + (k >> 3)]) >> (7 - (k & 7))) & 1:
            if place + 8 > end:
                return False
            words[k] = np.uint64(number_in(data, place, 8))
            place += 8
    return place == end


@jit
def fits(words: np.ndarray, rounds: int, state: Floats, v: Weights) -> bool:
    """Whether an engine can have this state: the checks of ``array_checks`` and ``recent_rounds``."""
    count = np.int64(words[0])
    if not 0 < count <= MOST or rounds != count - start_of(count):
        return False
    if state[SCALE] < 0.0 or state[NORM] < 0.0:
        return False
    if not (0.0 <= state[SINCE] < np.inf and 0.0 <= state[DUE] < np.inf):
        return False
    gap = 0
    for k in range(1, FIRST):
        gap += v[k] != 0.0  # also if it is NaN
    return gap == 0


@jit
def write_state(data: Bytes, at: int, layout: int, numbers: np.ndarray, words: np.ndarray, size: int) -> int:
    """Write a state; return where it ends."""
    most = 0
    for k in range(NUMBERS):
        most = max(most, numbers[k])
    width = 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4 if most < 1 << 32 else 8
    put_number(data, at, HEAD, layout)
    data[at + HEAD] = width
    at += HEAD + 1
    for k in range(NUMBERS):
        put_number(data, at, width, numbers[k])
        at += width
    place = at + (size + 7) // 8
    for k in range(at, place):
        data[k] = 0
    for k in range(size):
        if words[k] != 0:
            data[at + (k >> 3)] |= np.uint8(128 >> (k & 7))
            put_number(data, place, 8, np.int64(words[k]))
            place += 8
    return place


@jit
def learn_states(
    code: int,
    fresh: Floats,
    v: Weights,
    layout: int,
    columns: int,
    X: Floats,
    signs: Floats,
    weights: Floats,
    stops: np.ndarray,
    data: Bytes,
    ends: np.ndarray,
    scores: Floats,
    new_ends: np.ndarray,
) -> tuple[int, Bytes]:
    """Learn groups of rows; return the number of label errors and the new states.

    The number is -1 if a state is not of this layout, or a row is refused.

    Parameters
    ----------
    code
        The rule.
    fresh
        The state of a new engine.
    v
        Room for the weights.
    layout
        The number with which every state starts.
    columns, X
        The number of columns, and the rows one after another.
    signs, weights
        Label and sample weight of each row.
    stops
        Where the rows of each group end.
    data, ends
        The states, and where each ends. An empty one is that of a new engine.
    scores
        Room for the score of each row.
    new_ends
        Room for the ends of the new states.
    """
    longest = 0
    for g in range(stops.size):
        longest = max(longest, stops[g] - (stops[g - 1] if g > 0 else 0))
    room = words_of(MOST_ROUNDS + longest, columns)
    old, new = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
    old_floats, new_floats = old.view(np.float64), new.view(np.float64)
    old_bytes, new_bytes = old.view(np.uint8), new.view(np.uint8)
    numbers, state, cells = np.zeros(NUMBERS, np.int64), fresh.copy(), np.zeros(PREDICTED * longest)
    out, none = np.empty(2 * data.size + 512 * stops.size, np.uint8), np.empty(0, np.uint8)
    no_places = np.empty(0, np.uint32)
    errors = row = at = end = 0
    for g in range(stops.size):
        start, at = at, ends[g]
        state[:] = fresh
        v[:] = 0.0
        rounds = count = 0
        numbers[:] = 0
        if at > start:
            if not read_state(data, start, at, layout, columns, numbers, old):
                return -1, none
            rounds, count = numbers[LENGTHS + 1], np.int64(old[0])
            after = 1 + rounds
            state[:SEEN] = old_floats[after : after + SEEN]
            v[: FIRST + columns] = old_floats[after + SEEN : after + SEEN + FIRST + columns]
            if not fits(old, rounds, state, v):
                return -1, none
            for k in range(SEEN, INFEASIBLES + 1):
                state[k] = numbers[COUNTERS + k - SEEN]
        stop, before = stops[g], state[LABEL_ERRORS]
        size = stop - row
        trials = cells[: PREDICTED * size].reshape(PREDICTED, size)
        trials[LABEL] = signs[row:stop]
        trials[WEIGHT] = weights[row:stop]
        block = X[row * columns : stop * columns]
        if learn(code, state, v, columns, 0, no_places, NO_INDPTR, NO_INDICES, block, trials) < size:
            return -1, none
        errors += int(state[LABEL_ERRORS] - before)
        scores[row:stop] = trials[SCORE]
        # the recent rounds: those of the state, without the first ones, and those of the group
        skipped = start_of(count + size) - start_of(count)
        kept = max(0, rounds - skipped)
        skipped_new = max(0, skipped - rounds)
        length = kept + size - skipped_new
        after = 1 + length
        words = words_of(length, columns)
        new[0] = np.uint64(count + size)
        new_floats[1 : 1 + kept] = old_floats[1 + rounds - kept : 1 + rounds]
        new_floats[1 + kept : after] = trials[SCORE, skipped_new:]
        new_floats[after : after + SEEN] = state[:SEEN]
        new_floats[after + SEEN : after + SEEN + FIRST + columns] = v[: FIRST + columns]
        new[after + SEEN + FIRST + columns : words] = 0
        positive, was = 8 * (after + SEEN + FIRST + columns), 8 * (1 + rounds + SEEN + FIRST + columns)
        for k in range(kept):
            if old_bytes[was + rounds - kept + k] > 1:
                return -1, none
            new_bytes[positive + k] = old_bytes[was + rounds - kept + k]
        for k in range(skipped_new, size):
            new_bytes[positive + kept + k - skipped_new] = trials[LABEL, k] > 0.0
        for k in range(SEEN, INFEASIBLES + 1):
            numbers[COUNTERS + k - SEEN] = int(state[k])
        numbers[FEATURES] = columns
        numbers[LENGTHS], numbers[LENGTHS + 1], numbers[LENGTHS + 2] = 1, length, SEEN
        numbers[LENGTHS + 3], numbers[LENGTHS + 4] = FIRST + columns, length
        if end + 256 + 9 * words > out.size:
            longer = np.empty(2 * out.size + 256 + 9 * words, np.uint8)
            longer[:end] = out[:end]
            out = longer
        end = new_ends[g] = write_state(out, end, layout, numbers, new, words)
        row = stop
    return errors, out[:end]
