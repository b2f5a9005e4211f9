"""Encoded examples, as engines read them: sparse rows or dense rows, without the bias feature."""

from __future__ import annotations

from typing import NamedTuple

from driftline.compiled import Floats, Indices, Offsets


class SparseRows(NamedTuple):
    """Row i has the features ``indices[indptr[i]:indptr[i + 1]]``, each once, with the values beside them."""

    indptr: Offsets
    indices: Indices
    values: Floats


class DenseRows(NamedTuple):
    """Row i is ``X[i]``; X is C-contiguous."""

    X: Floats


Rows = SparseRows | DenseRows


def length(rows: Rows) -> int:
    """How many rows."""
    return len(rows.X) if isinstance(rows, DenseRows) else len(rows.indptr) - 1


def cut(rows: Rows, part: slice) -> Rows:
    """Some of the rows, not copied."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.X[part])
    return rows._replace(indptr=rows.indptr[part.start : part.stop + 1])
