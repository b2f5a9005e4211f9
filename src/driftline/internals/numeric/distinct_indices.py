"""Check that no index occurs twice in a row of any order, without sorting it.

A table has a place for each column, or one for several columns if there are many. Each row writes
its number to the places of its indices. If a place already has that number, the index occurs twice,
or another index of the row shares the place. A small hash table of the row decides which.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Indices, Offsets, jit
from driftline.internals.numeric.index_order import count_outside

ONE, HALF = np.uint64(1), np.uint64(32)
STIR = np.uint64(0x9E3779B97F4A7C15)
PLACES_PER_ENTRY, MOST_PLACES = 4, 1 << 22
"""The most places of a table: for each entry of the rows before rounding up to a power of two, and in all."""


def places_for(entries: int, width: int) -> Indices:
    """An empty table for rows with ``entries`` entries in all and ``width`` columns."""
    places = max(1, min(width, PLACES_PER_ENTRY * entries, MOST_PLACES))
    return np.zeros(1 << (places - 1).bit_length(), np.uint32)


@jit
def first_shared(indptr: Offsets, indices: Indices, first: int, last: int, places: Indices) -> int:
    """The first of these rows in which two entries share a place; ``last`` if there is none.

    ``places`` may hold the numbers of earlier rows.
    """
    mask = np.uint32(places.size - 1)
    for i in range(first, last):
        start, stop = indptr[i], indptr[i + ONE]
        number = np.uint32(i + ONE)
        free = np.uint64(0)
        for j in range(start, stop):
            place = np.uint64(indices[j] & mask)
            free += np.uint64(places[place] < number)  # of an earlier row, or of none
            places[place] = number
        if free != stop - start:
            return i
    return last


@jit
def share_no_place(indptr: Offsets, indices: Indices, first: int, last: int, below: int, places: Indices) -> bool:
    """Whether no two entries of a row share a place, and all indices are smaller than ``below``."""
    if count_outside(indices, indptr[first], indptr[last], np.uint32(below)) != 0:
        return False
    return first_shared(indptr, indices, first, last, places) == last


@jit
def is_distinct(indices: Indices, start: int, stop: int) -> bool:
    """Whether no index of the row occurs twice."""
    size = ONE + ONE
    while size < (stop - start) << ONE:
        size <<= ONE
    slots = np.zeros(size, np.uint64)  # 1 + index
    for j in range(start, stop):
        kept = np.uint64(indices[j]) + ONE
        slot = (kept * STIR >> HALF) & (size - ONE)
        while slots[slot] != 0 and slots[slot] != kept:
            slot = (slot + ONE) & (size - ONE)
        if slots[slot] == kept:
            return False
        slots[slot] = kept
    return True


@jit
def are_distinct(indptr: Offsets, indices: Indices, first: int, last: int, places: Indices) -> bool:
    """Whether no index occurs twice in one of these rows; ``places`` as for ``first_shared``."""
    i = first_shared(indptr, indices, first, last, places)
    while i < last and is_distinct(indices, indptr[i], indptr[i + ONE]):
        i = first_shared(indptr, indices, i + ONE, last, places)
    return i == last
