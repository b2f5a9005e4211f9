"""Convert CSR matrices to sparse rows: sort indices and sum duplicates where needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftline.encode.arrays import NUMBERS, plain, unlocked
from driftline.encode.block_checks import BAD_VALUE, DAMAGED, FINE, OUTSIDE, are_columns, check_sparse, valid_offsets
from driftline.encode.faults import Limit, bad_values, column
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.numeric.index_sort import sorted_copy
from driftline.internals.rows import SparseRows

INT32, UINT32 = np.dtype(np.int32), np.dtype(np.uint32)
NO_INDICES = np.zeros(0, np.uint32)
NO_VALUES = np.zeros(0)
# rows that must be sorted are read in pieces of about this size, which fit in the cache
VALUES_PER_PIECE = 1 << 16


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


def sorted_rows(limit: Limit, given: Matrix, one: bool, unchecked: bool) -> SparseRows:
    """Return rows with increasing indices below the width, finite values and norms in the limit.

    With ``unchecked``, only the row offsets are checked.
    """
    if unchecked and valid_offsets(given[0], len(given[2])):
        return SparseRows(given[0], _unsigned(limit.where, given), given[2])
    return next(sorted_pieces(limit, given, one, len(given[2])))


def sorted_pieces(limit: Limit, given: Matrix, one: bool, values_per_piece: int) -> Iterator[SparseRows]:
    """Yield the rows of ``sorted_rows``: all at once, or in pieces if they must be sorted.

    A sorted piece of limited size is still in the cache when it is read.
    """
    indptr, _, values, width = given
    rows = SparseRows(indptr, _unsigned(limit.where, given), values)
    row, fault = check_sparse(*rows, width, True, limit.longest_sq)
    if fault == FINE:
        yield rows
        return
    if fault in (DAMAGED, BAD_VALUE):
        raise fault_of(limit, None if one else row, row, fault, rows)
    size = len(indptr) - 1
    step = max(1, size * values_per_piece // max(1, int(indptr[-1])))
    for start in range(0, size, step):
        piece = tidied(SparseRows(indptr[start : start + step + 1], *rows[1:]), width)
        row, fault = (0, OUTSIDE) if piece is None else check_sparse(*piece, 0, False, limit.longest_sq)
        if piece is None or fault != FINE:
            check_indices(limit.where, given)  # an index of any row is reported before values
            assert piece is not None
            raise fault_of(limit, None if one else start + row, row, fault, piece)
        yield piece


def tidied(rows: SparseRows, width: int) -> SparseRows | None:
    """Return rows with sorted indices and without duplicates; None if an index is not below the width."""
    return sorted_copy(rows, width) if are_columns(rows.indptr, rows.indices, width) else None


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
