"""Compiled checks of whole blocks, made before a learner sees them.

Engines do not check bounds: they rely on the checks made here.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit, leaf
from driftline.internals.numeric.distinct_indices import are_distinct
from driftline.internals.numeric.index_order import count_outside

# compiled loops use unsigned indices, which are faster
Index = int | np.uint64

# result codes of the checks
FINE, UNSORTED, OUTSIDE, DAMAGED, BAD_VALUE = 0, 1, 2, 3, 4


@leaf
def sum_of_squares(values: Floats, start: Index, stop: Index) -> float:
    """Return the sum of squares; it is NaN or infinite if a value is, or if the sum overflows."""
    total = 0.0
    for j in range(start, stop):
        total += values[j] * values[j]
    return total


@jit
def first_difference(values: Floats) -> int:
    """Return the index of the first value that differs from values[0]; the size if none does."""
    for i in range(1, values.size):
        if values[i] != values[0]:
            return i
    return values.size


@leaf
def count_neither(values: Floats, a: float, b: float) -> int:
    """Return how many values are neither a nor b."""
    number = 0
    for i in range(values.size):
        number += (values[i] != a) & (values[i] != b)
    return number


@leaf
def count_unsorted(indices: Indices, start: Index, stop: Index) -> int:
    """Return how many indices are not larger than their predecessor."""
    wrong = 0
    for j in range(start + np.uint64(1), stop):
        wrong += indices[j] <= indices[j - np.uint64(1)]
    return wrong


@leaf
def count_decreasing(indptr: Offsets) -> int:
    """Return how many offsets are smaller than their predecessor."""
    wrong = 0
    for i in range(1, indptr.size):
        wrong += indptr[i] < indptr[i - 1]
    return wrong


@jit
def valid_offsets(indptr: Offsets, size: int) -> bool:
    """Return whether row offsets start at 0, never decrease, and end at ``size`` or below."""
    return indptr[0] == 0 and indptr[indptr.size - 1] <= size and count_decreasing(indptr) == 0


@jit
def row_is_valid(values: Floats, start: Index, stop: Index, longest_sq: float) -> bool:
    """Return whether all values are finite and their squared norm is at most ``longest_sq``.

    An infinite ``longest_sq`` allows any norm. A negative one allows any values.
    """
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
    """Return the first invalid row and its code, or (-1, FINE).

    If ``sort`` is set, indices must increase and be smaller than ``width``. Otherwise they are not
    read.
    """
    if not valid_offsets(indptr, values.size):
        return 0, DAMAGED
    for i in range(indptr.size - 1):
        start, stop = indptr[i], indptr[i + 1]
        if sort and stop > start:
            if count_unsorted(indices, start, stop) != 0:
                return i, UNSORTED
            if indices[stop - np.uint64(1)] >= width:
                return i, OUTSIDE
        if not row_is_valid(values, start, stop, longest_sq):
            return i, BAD_VALUE
    return -1, FINE


@jit
def check_unsorted(
    indptr: Offsets, indices: Indices, values: Floats, width: int, places: Indices, longest_sq: float
) -> bool:
    """Whether rows of any order have distinct indices below ``width`` and valid values.

    The offsets are valid. ``places`` is an empty table for these rows.
    """
    first, last = np.uint64(0), np.uint64(indptr.size - 1)
    start, stop = indptr[first], indptr[last]
    if count_outside(indices, start, stop, np.uint32(width)) != 0:
        return False
    if not are_distinct(indptr, indices, first, last, places):
        return False
    # if all values together are valid, so is each row
    if row_is_valid(values, start, stop, longest_sq):
        return True
    return check_sparse(indptr, indices, values, width, False, longest_sq)[1] == FINE


@jit
def check_dense(X: Floats, longest_sq: float) -> int:
    """Return the first row that has a non-finite value or is too long; -1 if there is none."""
    flat = X.reshape(-1)
    width = np.uint64(X.shape[1])
    for i in range(X.shape[0]):
        start = np.uint64(i) * width
        if not row_is_valid(flat, start, start + width, longest_sq):
            return i
    return -1
