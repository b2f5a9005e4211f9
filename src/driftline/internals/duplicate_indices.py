"""Merge duplicate indices in sparse rows: values are added at the position of the first occurrence."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import SparseRows

ONE, HALF = np.uint64(1), np.uint64(32)
STIR = np.uint64(0x9E3779B97F4A7C15)


def joined(rows: SparseRows) -> SparseRows:
    """New rows without duplicate indices; the input is not changed."""
    indptr, indices, values = rows.indptr.copy(), rows.indices.copy(), rows.values.copy()
    size = join(indptr, indices, values)
    return SparseRows(indptr, indices[:size], values[:size])


def join(indptr: Offsets, indices: Indices, values: Floats) -> int:
    """Merge duplicates in place; return how many entries remain. The arrays beyond that are unused."""
    longest = int(np.diff(indptr).max(initial=0))
    add_up(indptr, indices, values, np.zeros(2 << longest.bit_length(), np.uint64))
    return int(indptr[-1])


@jit
def add_up(indptr: Offsets, indices: Indices, values: Floats, slots: Offsets) -> None:
    """The loop of ``join``. ``slots`` is a zeroed hash table: a power of 2, at least twice the longest row."""
    last = np.uint64(slots.size) - ONE
    end = np.uint64(0)
    start = indptr[0]
    for row in range(np.uint64(indptr.size) - ONE):
        stop = indptr[row + ONE]
        first = end
        for k in range(start, stop):
            index = indices[k]
            slot = (np.uint64(index) * STIR >> HALF) & last
            while slots[slot] > first and indices[slots[slot] - ONE] != index:
                slot = (slot + ONE) & last
            at = slots[slot]  # 1 + position of the feature, if this row has it already
            if at > first:
                values[at - ONE] += values[k]
            else:
                indices[end] = index
                values[end] = values[k]
                end += ONE
                slots[slot] = end
        indptr[row + ONE] = end
        start = stop
