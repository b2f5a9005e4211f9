"""Missing values in rows of named features: which NaN entries a learner gets.

A learner without a use for missing values gets no NaN entry. Other learners get the NaN entries of
the features that have had a value before, in an earlier row or an earlier call. So a feature
without any value is no feature yet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import SparseRows


@jit
def has_missing(values: Floats) -> bool:
    """Return whether a value is NaN."""
    found = 0
    for j in range(values.size):
        found += values[j] != values[j]
    return found > 0


class NewFeatures(NamedTuple):
    """The features of a block that have no value in earlier blocks.

    A block numbers its features from 0. Features below ``low`` are not new. ``first[k - low]`` is the
    position of the first value of feature k among the entries of the block, their number if there
    is no value, and -1 if feature k is not new.
    """

    low: int
    first: np.ndarray

    def in_order(self, size: int) -> np.ndarray:
        """Return the new features that have a value, in the order of their first values."""
        there = np.flatnonzero((self.first >= 0) & (self.first < size))
        ordered: np.ndarray = self.low + there[np.argsort(self.first[there])]
        return ordered


def no_new_features() -> NewFeatures:
    """Return the result of ``new_features`` for a block without new features."""
    return NewFeatures(0, np.zeros(0, np.int64))


def new_features(rows: SparseRows, new: np.ndarray, width: int) -> NewFeatures:
    """Return where the features ``new`` have their first values; ``new`` is sorted, all are below ``width``."""
    if not new.size:
        return no_new_features()
    low = int(new[0])
    first = np.full(width - low, -1, np.int64)
    first[new - low] = len(rows.values)
    _find_first(rows.indices, rows.values, low, first)
    return NewFeatures(low, first)


@jit
def _find_first(indices: Indices, values: Floats, low: int, first: np.ndarray) -> None:
    for back in range(values.size):
        j = values.size - 1 - back
        k = np.int64(indices[j]) - low
        if k >= 0 and first[k] >= 0 and values[j] == values[j]:
            first[k] = j


def without_missing(rows: SparseRows) -> SparseRows:
    """Return the rows without their NaN entries."""
    return _selected(rows, rows.values == rows.values)


def without_early_missing(rows: SparseRows, new: NewFeatures) -> SparseRows:
    """Return the rows without the NaN entries of new features before their first values."""
    keep = np.empty(len(rows.values), np.bool_)
    _mark_kept(rows.indices, rows.values, new.low, new.first, keep)
    return _selected(rows, keep)


@jit
def _mark_kept(indices: Indices, values: Floats, low: int, first: np.ndarray, keep: np.ndarray) -> None:
    for j in range(values.size):
        k = np.int64(indices[j]) - low
        keep[j] = values[j] == values[j] or k < 0 or k >= first.size or first[k] < j


def _selected(rows: SparseRows, keep: np.ndarray) -> SparseRows:
    """Return the rows with the marked entries only."""
    if keep.all():
        return rows
    # one more entry: the loop writes before it knows whether to keep
    found = SparseRows(np.zeros_like(rows.indptr), np.empty(len(keep) + 1, np.uint32), np.empty(len(keep) + 1))
    _copy_kept(*rows, keep, *found)
    size = int(found.indptr[-1])
    return SparseRows(found.indptr, found.indices[:size], found.values[:size])


@jit
def _copy_kept(
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    keep: np.ndarray,
    kept_indptr: Offsets,
    kept_indices: Indices,
    kept_values: Floats,
) -> None:
    end = np.uint64(0)
    for i in range(indptr.size - 1):
        for j in range(indptr[i], indptr[i + 1]):
            kept_indices[end] = indices[j]
            kept_values[end] = values[j]
            end += np.uint64(keep[j])
        kept_indptr[i + 1] = end
