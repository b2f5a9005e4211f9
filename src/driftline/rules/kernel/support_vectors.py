"""The support vectors of w = s sum_i c_i phi(x_i): a ring of slots, and the arrays that hold them.

The oldest support vector is in slot ``HEAD``, the others follow it around the ring, so that
removing the oldest moves nothing. An empty slot is zero in every array. ``Expansion`` holds the
arrays. Compiled functions take each array as a separate argument, because reading an array out of
a tuple can cost more than all other work of a small round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, inlined, jit
from driftline.rules.kernel.kernel_columns import TILE

# ring: the slot of the oldest support vector, the number of support vectors, the number of slots
HEAD, LIVE, ROOM = 0, 1, 2
# the clock by which support vectors age, and the number of those removed so far
CLOCK, REMOVED = 3, 4
# the Forgetron's mistakes M and damage Q
MISTAKES, DAMAGE = 5, 6
RING_SIZE = 7
# rows of slots: the coefficient c_i, k(x_i, x_i), and the clock when the support vector was added
C, SQUARE, BIRTH, SLOT_ROWS = 0, 1, 2, 3
# whether one more support vector can be added: yes, yes with more slots, no
FINE, MORE_ROOM, FULL = 0, 1, 2
NO_SLOT = -1


class Expansion(NamedTuple):
    """The arrays of a sum of support vectors."""

    ring: Floats
    """Positions and counters: HEAD, LIVE, ROOM, CLOCK, REMOVED, MISTAKES, DAMAGE."""
    tiles: Floats
    """The support vectors, laid out as ``kernel_columns`` reads them."""
    slots: Floats
    """One column per slot, rows C, SQUARE and BIRTH."""
    lower: Floats
    """The Cholesky factor of the kernel matrix, for the Projectron; else of size 0."""
    k: Floats
    """Work space for the kernel values of one example."""
    other: Floats
    """Work space for the kernel values of another example."""


def empty_expansion(room: int, features: int, factor: bool) -> Expansion:
    """No support vectors, and ``room`` slots; ``factor``: whether ``lower`` is needed."""
    slots = -(-room // TILE) * TILE
    side = room if factor else 0
    ring = np.zeros(RING_SIZE)
    ring[ROOM] = room
    return Expansion(
        ring,
        np.zeros((slots // TILE, features, TILE)),
        np.zeros((SLOT_ROWS, slots)),
        np.zeros((side, side)),
        np.zeros(slots),
        np.zeros(slots),
    )


@inlined
def used_tiles(ring: Floats) -> tuple[int, int, int]:
    """The tiles with support vectors: from 0 to ``wrapped``, and from ``start`` to ``stop``."""
    head, live, room = int(ring[HEAD]), int(ring[LIVE]), int(ring[ROOM])
    end = head + live
    start = head // TILE
    if end <= room:
        return 0, start, (end + TILE - 1) // TILE
    wrapped = (end - room + TILE - 1) // TILE
    last = (room + TILE - 1) // TILE
    return (0, 0, last) if wrapped >= start else (wrapped, start, last)


@jit
def place(ring: Floats, tiles: Floats, slots: Floats, slot: int, x: Floats, n: int, c: float, x_sq: float) -> None:
    """Put x, of n features, into an empty slot with coefficient c."""
    tile, lane = slot // TILE, slot % TILE
    for i in range(n):
        tiles[tile, i, lane] = x[i]
    slots[C, slot] = c
    slots[SQUARE, slot] = x_sq
    slots[BIRTH, slot] = ring[CLOCK]
    ring[LIVE] += 1.0


@jit
def vacate(tiles: Floats, slots: Floats, slot: int) -> None:
    """Set everything in a slot to zero."""
    tile, lane = slot // TILE, slot % TILE
    for i in range(tiles.shape[1]):
        tiles[tile, i, lane] = 0.0
    for row in range(SLOT_ROWS):
        slots[row, slot] = 0.0


@jit
def clear(ring: Floats, tiles: Floats, slots: Floats) -> None:
    """Remove every support vector: w = 0."""
    for slot in range(int(ring[ROOM])):
        vacate(tiles, slots, slot)
    ring[HEAD] = 0.0
    ring[LIVE] = 0.0


@jit
def multiply_out(slots: Floats, s: float) -> None:
    """c_i <- s c_i, after which the scale of w is 1."""
    for j in range(slots.shape[1]):
        slots[C, j] *= s
