"""Sort the entries of sparse rows by index and add up the values of duplicate indices.

In a row of up to 16 entries, the place of an entry is the number of smaller indices. Longer rows,
and rows in which an index occurs twice, are sorted by merging.

The values of a duplicate index are added as ``numpy.add.reduceat`` adds them in their order in the
row: the first value plus the pairwise sum of the others.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, fused, jit, leaf
from driftline.internals.numeric.small_ranks import FEW, rank_few
from driftline.internals.rows import SparseRows

ZERO, ONE, HALF = np.uint64(0), np.uint64(1), np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
LANES, LEAF = 8, 128  # of a pairwise sum


@fused
def place_few(
    indices: Indices,
    values: Floats,
    start: int,
    size: int,
    columns: Indices,
    numbers: Floats,
    end: int,
    row: Indices,
    places: Indices,
) -> bool:
    """Sort a row of at most ``FEW`` entries by counting; return False if an index occurs twice."""
    if start + FEW <= np.uint64(indices.size):
        rank_few(indices, start, size, places)
    else:
        for k in range(size):
            row[k] = indices[start + k]
        rank_few(row, ZERO, size, places)
    total = ZERO
    for k in range(size):
        place = np.uint64(places[k])
        total += place
        columns[end + place] = indices[start + k]
        numbers[end + place] = values[start + k]
    return total + total == size * (size - ONE)


@jit
def merge_sort(keys: Offsets, other: Offsets, places: Offsets, size: int) -> bool:
    """Sort ``size`` distinct keys below 2^63; return whether they are then in ``other``.

    Both arrays have 16 entries more than the keys.
    """
    for left in range(ZERO, size, FEW):
        few: int = min(FEW, size - left)
        rank_few(keys, left, few, places)
        for k in range(few):
            other[left + places[k]] = keys[left + k]
    run, moved = FEW, True
    while run < size:
        keys, other, moved = other, keys, not moved
        for left in range(ZERO, size, run + run):
            middle: int = min(left + run, size)
            stop: int = min(left + run + run, size)
            i, j, k = left, middle, left
            while i < middle and j < stop:
                a, b = keys[i], keys[j]
                first = a < b
                other[k] = a if first else b
                i += np.uint64(first)
                j += np.uint64(not first)
                k += ONE
            for at in range(i, middle):
                other[k + at - i] = keys[at]
            for at in range(j, stop):
                other[k + at - j] = keys[at]
        run += run
    return moved


@jit
def pairwise(values: Floats, start: int, size: int) -> float:
    """The sum of some values, in the order of numpy's pairwise summation."""
    if size < LANES:
        total = -0.0
        for j in range(start, start + size):
            total += values[j]
        return total
    if size > LEAF:
        half = size // 2
        half -= half % LANES
        return pairwise(values, start, half) + pairwise(values, start + half, size - half)
    r0, r1, r2, r3 = values[start], values[start + 1], values[start + 2], values[start + 3]
    r4, r5, r6, r7 = values[start + 4], values[start + 5], values[start + 6], values[start + 7]
    whole = start + size - size % LANES
    for j in range(start + LANES, whole, LANES):
        r0 += values[j]
        r1 += values[j + 1]
        r2 += values[j + 2]
        r3 += values[j + 3]
        r4 += values[j + 4]
        r5 += values[j + 5]
        r6 += values[j + 6]
        r7 += values[j + 7]
    total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for j in range(whole, start + size):
        total += values[j]
    return total


@jit
def merge_row(
    indices: Indices,
    values: Floats,
    start: int,
    size: int,
    columns: Indices,
    numbers: Floats,
    end: int,
    keys: Offsets,
    other: Offsets,
    places: Offsets,
    ordered: Floats,
) -> int:
    """Sort a row by merging and add up duplicates; return the number of entries that remain."""
    for k in range(size):
        keys[k] = np.uint64(indices[start + k]) << HALF | k
    if merge_sort(keys, other, places, size):
        keys = other
    for k in range(size):
        ordered[k] = values[start + (keys[k] & LOW_HALF)]
    left, place = ZERO, end
    while left < size:
        index = keys[left] >> HALF
        right = left + ONE
        while right < size and keys[right] >> HALF == index:
            right += ONE
        columns[place] = index
        number = ordered[left]
        if right > left + ONE:
            number += pairwise(ordered, int(left) + 1, int(right - left) - 1)
        numbers[place] = number
        place += ONE
        left = right
    return place - end


@jit
def sort_rows(
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    ends: Offsets,
    columns: Indices,
    numbers: Floats,
    keys: Offsets,
    ordered: Floats,
) -> None:
    """Write each row, sorted and without duplicates, to ``ends``, ``columns`` and ``numbers``.

    ``keys`` and ``ordered`` have space for the longest row and 16 entries more, ``keys`` twice.
    """
    small_row, places, key_places = np.empty(FEW, np.uint32), np.empty(FEW, np.uint32), np.empty(FEW, np.uint64)
    first_keys, other_keys = keys[0], keys[1]
    end = ZERO
    ends[0] = end
    for i in range(np.uint64(indptr.size) - ONE):
        start = indptr[i]
        size = indptr[i + ONE] - start
        if size > FEW or not place_few(indices, values, start, size, columns, numbers, end, small_row, places):
            size = merge_row(
                indices, values, start, size, columns, numbers, end, first_keys, other_keys, key_places, ordered
            )
        end += size
        ends[i + ONE] = end


@leaf
def longest_row(indptr: Offsets) -> int:
    """The number of entries of the longest row."""
    longest = ZERO
    for i in range(np.uint64(indptr.size) - ONE):
        longest = max(longest, indptr[i + ONE] - indptr[i])
    return longest


def sorted_copy(rows: SparseRows) -> SparseRows:
    """New rows with increasing indices, in which duplicates are added up.

    Offsets may start at any entry, and must not decrease. Indices must be smaller than 2^31.
    """
    indptr, indices, values = rows
    most, space = int(indptr[-1] - indptr[0]), int(longest_row(indptr)) + int(FEW)
    ends, columns, numbers = np.empty(len(indptr), np.uint64), np.empty(most, np.uint32), np.empty(most)
    sort_rows(indptr, indices, values, ends, columns, numbers, np.empty((2, space), np.uint64), np.empty(space))
    size = int(ends[-1])
    return SparseRows(ends, columns[:size], numbers[:size])
