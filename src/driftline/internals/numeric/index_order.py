"""Check that the indices of sparse rows increase or are columns, in one pass over many rows."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Indices, Offsets, jit, leaf

ONE = np.uint64(1)


@leaf
def descents(indices: Indices, start: int, stop: int) -> int:
    """The number of indices, in any row, that are not larger than their predecessor."""
    number = np.uint32(0)
    for j in range(start + ONE, stop):
        number += np.uint32(indices[j] <= indices[j - ONE])
    return number


@leaf
def count_outside(indices: Indices, start: int, stop: int, width: int) -> int:
    """The number of indices that are not smaller than ``width``."""
    wrong = np.uint32(0)
    for j in range(start, stop):
        wrong += np.uint32(indices[j] >= width)
    return wrong


@jit
def rising(indptr: Offsets, indices: Indices, first: int, last: int, below: int) -> bool:
    """Whether the indices of each of these rows increase and are smaller than ``below``.

    Descents from one row to the next are subtracted from all descents. If the indices of a row
    increase, its last index is the largest.
    """
    start = indptr[first]
    number = descents(indices, start, indptr[last])
    outside = 0
    for i in range(first, last):
        begin, end = indptr[i], indptr[i + ONE]
        if begin < end:
            outside += indices[end - ONE] >= below
            if begin > start:
                number -= np.uint32(indices[begin] <= indices[begin - ONE])
    return number == 0 and outside == 0
