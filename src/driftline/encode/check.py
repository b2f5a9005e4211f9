"""Compiled checks of whole blocks before anything is learned from them."""

from __future__ import annotations

import numpy as np

from driftline.compiled import Floats, Indices, Offsets, jit, leaf

# what can be wrong with a row
FINE, UNSORTED, OUTSIDE, NOT_FINITE, TOO_LONG = 0, 1, 2, 3, 4


@leaf
def sum_of_squares(values: Floats, start: int, stop: int) -> float:
    """NaN or infinite if any value is, or if it overflows."""
    total = 0.0
    for j in range(start, stop):
        total += values[j] * values[j]
    return total


@leaf
def disorder(indices: Indices, start: int, stop: int) -> int:
    """How often an index is not larger than the one before."""
    wrong = 0
    for j in range(start + np.uint64(1), stop):
        wrong += indices[j] <= indices[j - np.uint64(1)]
    return wrong


@jit
def fault(values: Floats, start: int, stop: int, longest_sq: float) -> int:
    """NOT_FINITE, TOO_LONG or FINE."""
    total = sum_of_squares(values, start, stop)
    if total <= longest_sq and total < np.inf:
        return FINE
    for j in range(start, stop):
        if not np.isfinite(values[j]):
            return NOT_FINITE
    return TOO_LONG if longest_sq < np.inf else FINE


@jit
def check_sparse(
    indptr: Offsets, indices: Indices, values: Floats, width: int, sort: bool, longest_sq: float
) -> tuple[int, int]:
    """The first faulty row and its fault, or (-1, FINE); with sort, indices must increase and stay below width."""
    for i in range(indptr.size - 1):
        start, stop = indptr[i], indptr[i + 1]
        if sort and stop > start:
            if disorder(indices, start, stop) != 0:
                return i, UNSORTED
            if indices[stop - np.uint64(1)] >= width:
                return i, OUTSIDE
        wrong = fault(values, start, stop, longest_sq)
        if wrong != FINE:
            return i, wrong
    return -1, FINE


@jit
def check_dense(X: Floats, longest_sq: float) -> tuple[int, int]:
    """The first faulty row and its fault, or (-1, FINE)."""
    flat = X.reshape(-1)
    width = np.uint64(X.shape[1])
    for i in range(X.shape[0]):
        start = np.uint64(i) * width
        wrong = fault(flat, start, start + width, longest_sq)
        if wrong != FINE:
            return i, wrong
    return -1, FINE
