"""Whether the indices of sparse rows rise: many rows in one sweep, which is cheaper than a sweep a row."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Indices, Offsets, jit, leaf

ONE = np.uint64(1)


@leaf
def descents(indices: Indices, start: int, stop: int) -> int:
    """How often an index, of any row, is not larger than the one before."""
    number = np.uint32(0)
    for j in range(start + ONE, stop):
        number += np.uint32(indices[j] <= indices[j - ONE])
    return number


@jit
def rising(indptr: Offsets, indices: Indices, first: int, last: int, below: int) -> bool:
    """Whether the indices of each of these rows increase and stay below a limit.

    All descents, less those from one row to the next; and where a row rises its last index is its largest.
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
