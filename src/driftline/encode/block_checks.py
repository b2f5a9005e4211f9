"""Compiled checks of whole blocks before anything is learned from them.

Engines have no bounds checks: what passes here may be read by them without one.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit, leaf

# unsigned in all compiled loops, where that is faster
Index = int | np.uint64

# what can be wrong with a row
FINE, UNSORTED, OUTSIDE, DAMAGED, BAD_VALUE = 0, 1, 2, 3, 4


@leaf
def sum_of_squares(values: Floats, start: Index, stop: Index) -> float:
    """NaN or infinite if any value is, or if it overflows."""
    total = 0.0
    for j in range(start, stop):
        total += values[j] * values[j]
    return total


@jit
def first_other(values: Floats) -> int:
    """Where a value first differs from the first one; the number of values if none does."""
    for i in range(1, values.size):
        if values[i] != values[0]:
            return i
    return values.size


@leaf
def unlike(values: Floats, a: float, b: float) -> int:
    """How many values are neither a nor b."""
    number = 0
    for i in range(values.size):
        number += (values[i] != a) & (values[i] != b)
    return number


@leaf
def disorder(indices: Indices, start: Index, stop: Index) -> int:
    """How often an index is not larger than the one before."""
    wrong = 0
    for j in range(start + np.uint64(1), stop):
        wrong += indices[j] <= indices[j - np.uint64(1)]
    return wrong


@leaf
def steps_back(indptr: Offsets) -> int:
    """How often an offset is smaller than the one before."""
    wrong = 0
    for i in range(1, indptr.size):
        wrong += indptr[i] < indptr[i - 1]
    return wrong


@jit
def whole(indptr: Offsets, size: int) -> bool:
    """Whether row offsets rise from 0 to at most size."""
    return indptr[0] == 0 and indptr[indptr.size - 1] <= size and steps_back(indptr) == 0


@jit
def fits(values: Floats, start: Index, stop: Index, longest_sq: float) -> bool:
    """Whether values are finite and, together, not longer than allowed (infinity: any length; below 0: anything)."""
    if longest_sq < 0.0:
        return True
    total = sum_of_squares(values, start, stop)
    if total <= longest_sq and total < np.inf:
        return True
    if longest_sq < np.inf:
        return False
    wrong = 0
    for j in range(start, stop):
        wrong += not np.isfinite(values[j])
    return wrong == 0


@jit
def check_sparse(
    indptr: Offsets, indices: Indices, values: Floats, width: int, sort: bool, longest_sq: float
) -> tuple[int, int]:
    """The first faulty row and its fault, or (-1, FINE).

    With sort, indices must increase and stay below width; without it they are not read.
    """
    if not whole(indptr, values.size):
        return 0, DAMAGED
    for i in range(indptr.size - 1):
        start, stop = indptr[i], indptr[i + 1]
        if sort and stop > start:
            if disorder(indices, start, stop) != 0:
                return i, UNSORTED
            if indices[stop - np.uint64(1)] >= width:
                return i, OUTSIDE
        if not fits(values, start, stop, longest_sq):
            return i, BAD_VALUE
    return -1, FINE


@jit
def check_dense(X: Floats, longest_sq: float) -> int:
    """The first row with a value that is not finite, or that is too long; -1 if there is none."""
    flat = X.reshape(-1)
    width = np.uint64(X.shape[1])
    for i in range(X.shape[0]):
        start = np.uint64(i) * width
        if not fits(flat, start, start + width, longest_sq):
            return i
    return -1
