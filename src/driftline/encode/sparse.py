"""Convert CSR matrices to sparse rows: check indices and values, and add up duplicates."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.arrays import NUMBERS, plain, unlocked
from driftline.encode.block_checks import (
    DAMAGED,
    FINE,
    OUTSIDE,
    UNSORTED,
    check_sparse,
    check_unsorted,
    valid_offsets,
)
from driftline.encode.faults import Limit, bad_values, column
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.duplicate_indices import joined
from driftline.internals.numeric.distinct_indices import places_for
from driftline.internals.numeric.index_sort import sorted_copy
from driftline.internals.rows import SparseRows

INT32, UINT32 = np.dtype(np.int32), np.dtype(np.uint32)
NO_INDICES = np.zeros(0, np.uint32)
NO_VALUES = np.zeros(0)


# indptr, indices, values and width of a CSR matrix; only lengths and types have been checked
Matrix = tuple[Offsets, np.ndarray, Floats, int]


def empty(rows: int) -> SparseRows:
    """Return ``rows`` rows without features."""
    return SparseRows(np.zeros(rows + 1, np.uint64), NO_INDICES, NO_VALUES)


def one_row(where: str, x: Any) -> Any:
    """Return a sparse vector or a one-row sparse matrix as a matrix."""
    if len(x.shape) == 2 and x.shape[0] == 1:
        return x
    if len(x.shape) != 1:
        raise ValueError(f"{where}: x must be one row, got shape {x.shape}. Pass many rows to learn_many")
    if x.format == "csr":
        return type(x)((x.data, x.indices, x.indptr), shape=(1, *x.shape))
    return x.reshape(1, -1)


def matrix(where: str, X: Any) -> Matrix:
    """Return the arrays of a sparse matrix; they are copied only if their types require it."""
    shape = X.shape
    if len(shape) != 2 or X.format != "csr":
        X = _converted(where, X)
    indptr, indices, values = X.indptr, X.indices, X.data
    try:
        consistent = (
            len(indptr) == shape[0] + 1
            and len(indices) == len(values)
            and indptr.ndim == indices.ndim == values.ndim == 1
            and indptr.dtype.kind == indices.dtype.kind == "i"
        )
    except (AttributeError, TypeError):
        consistent = False
    if not consistent:
        raise _damaged(where)
    if values.dtype.kind not in NUMBERS:
        raise ValueError(
            f"{where}: a sparse matrix must hold numbers, got dtype {values.dtype}. Convert it with astype(float)"
        )
    return indptr.astype(np.uint64), indices, plain(values), shape[1]


def _converted(where: str, X: Any) -> Any:
    """Convert a sparse matrix to CSR; check it first, since scipy does not check indices."""
    if len(X.shape) != 2:
        raise ValueError(f"{where}: a sparse X must have 2 dimensions, got shape {X.shape}. Stack the rows to a matrix")
    try:
        if X.format == "coo":
            X = type(X)((X.data, (X.row, X.col)), shape=X.shape)
        elif hasattr(X, "check_format"):
            X.check_format(full_check=True)
        return X.tocsr()
    except Exception as error:
        raise ValueError(f"{where}: a sparse matrix must be valid, got {error}. Rebuild it") from None


def _damaged(where: str) -> ValueError:
    return ValueError(
        f"{where}: a CSR matrix must have row offsets that rise from 0 to the number of its values, "
        "got a damaged indptr, indices or data. Rebuild it"
    )


def distinct_rows(
    limit: Limit, given: Matrix, one: bool, *, ordered: bool = False, unchecked: bool = False
) -> SparseRows:
    """Return rows with distinct indices below the width, finite values and norms in the limit.

    Entries keep their order, and the values of an index that occurs twice in a row are added at its
    first place. With ``ordered``, rows are sorted. With ``unchecked``, only the row offsets are
    checked.
    """
    indptr, _, values, width = given
    rows = SparseRows(indptr, _unsigned(limit.where, given), values)
    if unchecked and valid_offsets(indptr, len(values)):
        return rows
    row, fault = check_sparse(*rows, width, True, limit.longest_sq)
    if fault == UNSORTED and not ordered:
        rest = indptr[row:]
        places = places_for(int(rest[-1] - rest[0]), width)
        if check_unsorted(rest, rows.indices, values, width, places, limit.longest_sq):
            return rows
    if fault in (UNSORTED, OUTSIDE):
        check_indices(limit.where, given)
        rows = sorted_copy(rows) if ordered else joined(rows)
        row, fault = check_sparse(*rows, 0, False, limit.longest_sq)
    if fault != FINE:
        raise fault_of(limit, None if one else row, row, fault, rows)
    return rows


def _unsigned(where: str, given: Matrix) -> Indices:
    """Return column indices as uint32; they are copied only if needed."""
    indices = given[1]
    if indices.dtype != INT32:
        check_indices(where, given)
        return indices.astype(np.uint32)
    if type(indices) is np.ndarray and indices.flags.carray:
        return indices.view(UINT32)
    return unlocked(np.require(indices, INT32, ["C", "A", "E"])).view(UINT32)


def check_indices(where: str, given: Matrix) -> None:
    """Raise unless every index is a valid column."""
    indptr, indices, _, width = given
    used = indices[: int(indptr[-1])]
    if used.size == 0 or (used.min() >= 0 and used.max() < width):
        return
    at = int(np.argmax((used < 0) | (used >= width)))
    row = int(np.searchsorted(indptr, np.uint64(at), side="right")) - 1
    raise ValueError(
        f"{where}: row {row}, a column index must be >= 0 and < {width}, got {used[at]}. "
        "Give the matrix more columns, or correct its indices"
    )


def fault_of(limit: Limit, name: int | None, row: int, fault: int, rows: SparseRows) -> ValueError:
    """Return the error for a row rejected by ``check_sparse``; ``name`` is its reported number."""
    if fault == DAMAGED:
        return _damaged(limit.where)
    part = slice(int(rows.indptr[row]), int(rows.indptr[row + 1]))
    columns = rows.indices[part]
    return bad_values(limit, name, rows.values[part], lambda k: column(int(columns[k])))
