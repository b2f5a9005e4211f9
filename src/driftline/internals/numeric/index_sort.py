"""Sort the entries of sparse rows by index and add up the values of duplicate indices.

The order of each row is looked at first: increasing rows are copied, decreasing ones are reversed
(products of scipy matrices have such rows). Other rows are sorted by the cheapest of three ways:

* up to 16 entries: the place of an entry is the number of smaller indices in the row;
* rows with enough entries for the number of columns: the place is the number of smaller bits in a
  bitmap of the indices;
* otherwise, and if an index occurs twice: merge sort.

The values of a duplicate index are added as ``numpy.add.reduceat`` adds them in their order in the
row: the first value plus the pairwise sum of the others.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, fused, inlined, jit, leaf
from driftline.internals.numeric.bit_count import bit_count
from driftline.internals.numeric.small_ranks import FEW, rank_few
from driftline.internals.rows import SparseRows

ZERO, ONE, SIX, HALF = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(32)
LOW_BITS, LOW_HALF = np.uint64(63), np.uint64(0xFFFFFFFF)
WORDS_PER_ENTRY = np.uint64(4)  # largest bitmap, in words for each entry of a row
LANES, LEAF = 8, 128  # of a pairwise sum


@inlined
def end_of_rise(indices: Indices, start: int, stop: int) -> int:
    """The end of the increasing indices that begin at ``start``."""
    j = start + ONE
    while j < stop and indices[j] > indices[j - ONE]:
        j += ONE
    return j


@inlined
def end_of_fall(indices: Indices, start: int, stop: int) -> int:
    """The end of the decreasing indices that begin at ``start``."""
    j = start + ONE
    while j < stop and indices[j] < indices[j - ONE]:
        j += ONE
    return j


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


@fused
def place_by_bits(
    indices: Indices,
    values: Floats,
    start: int,
    size: int,
    columns: Indices,
    numbers: Floats,
    end: int,
    bits: Offsets,
    before: Offsets,
) -> bool:
    """Sort a row with a bitmap of its indices; return False if an index occurs twice."""
    for j in range(start, start + size):
        index = np.uint64(indices[j])
        bits[index >> SIX] |= ONE << (index & LOW_BITS)
    words = np.uint64(bits.size)
    total = ZERO
    for k in range(words):
        before[k] = total
        total += bit_count(bits[k])
    if total == size:
        for j in range(start, start + size):
            index = np.uint64(indices[j])
            word = index >> SIX
            place = end + before[word] + bit_count(bits[word] & ((ONE << (index & LOW_BITS)) - ONE))
            columns[place] = indices[j]
            numbers[place] = values[j]
    for k in range(words):
        bits[k] = ZERO
    return total == size


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
    bits: Offsets,
    keys: Offsets,
    ordered: Floats,
) -> None:
    """Write each row, sorted and without duplicates, to ``ends``, ``columns`` and ``numbers``.

    ``keys`` and ``ordered`` have space for the longest row and 16 entries more, ``keys`` twice.
    ``bits`` is zero. Its two rows have a bit for each column, or are empty.
    """
    words = np.uint64(bits.shape[1])
    small_row, places, key_places = np.empty(FEW, np.uint32), np.empty(FEW, np.uint32), np.empty(FEW, np.uint64)
    bitmap, before, first_keys, other_keys = bits[0], bits[1], keys[0], keys[1]
    end = ZERO
    ends[0] = end
    for i in range(np.uint64(indptr.size) - ONE):
        start, stop = indptr[i], indptr[i + ONE]
        size = stop - start
        placed = True
        if end_of_fall(indices, start, stop) >= stop:
            for k in range(size):
                columns[end + k] = indices[stop - ONE - k]
                numbers[end + k] = values[stop - ONE - k]
        elif size <= FEW:
            placed = place_few(indices, values, start, size, columns, numbers, end, small_row, places)
        elif end_of_rise(indices, start, stop) >= stop:
            for k in range(size):
                columns[end + k] = indices[start + k]
                numbers[end + k] = values[start + k]
        elif ZERO < words <= WORDS_PER_ENTRY * size:
            placed = place_by_bits(indices, values, start, size, columns, numbers, end, bitmap, before)
        else:
            placed = False
        if not placed:
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


@jit
def space_needed(indptr: Offsets) -> tuple[int, int]:
    """The number of entries of all rows and of the longest one."""
    return int(indptr[indptr.size - 1] - indptr[0]), int(longest_row(indptr))


def sorted_copy(rows: SparseRows, width: int) -> SparseRows:
    """New rows with increasing indices, in which duplicates are added up.

    Offsets may start at any entry, and must not decrease. Indices must be smaller than ``width``,
    which is at most 2^31.
    """
    indptr, indices, values = rows
    most, longest = space_needed(indptr)
    words = (width + 63) >> 6
    bits = np.zeros((2, words if words <= int(WORDS_PER_ENTRY) * longest else 0), np.uint64)
    space = longest + int(FEW)
    ends, columns, numbers = np.empty(len(indptr), np.uint64), np.empty(most, np.uint32), np.empty(most)
    keys, ordered = np.empty((2, space), np.uint64), np.empty(space)
    sort_rows(indptr, indices, values, ends, columns, numbers, bits, keys, ordered)
    size = int(ends[-1])
    return SparseRows(ends, columns[:size], numbers[:size])
