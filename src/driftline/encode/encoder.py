"""Convert examples to rows: dicts, arrays, sparse rows and frames.

The features of a learner either have names (dicts, frames) or are columns (arrays, sparse rows).
With ``Hashing`` the two may be mixed. A name is a str or an int; names that compare equal, such as
1 and True, are the same name. The value of a feature is a number, a bool or a string:
``{"colour": "red"}`` is the feature "colour=red" with value 1. A call that fails changes nothing:
the names it added are removed.

A missing value of a named feature, or in a file, is left out of the row. Learners that use missing
values get a NaN entry instead, unless the feature has had no value so far. Arrays and sparse rows
are not changed: there, NaN is refused by learners that do not use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftline.encode.arrays import numbers, plain
from driftline.encode.block_checks import FINE, check_dense, check_sparse
from driftline.encode.dict_blocks import DictBlockEncoder
from driftline.encode.faults import bad_values, column
from driftline.encode.features import BIAS_NAME, checked_name
from driftline.encode.frames import columns_of, is_frame, is_series, named_values, numeric, records, table
from driftline.encode.missing import has_missing, new_features, without_early_missing, without_missing
from driftline.encode.sparse import (
    NO_INDICES,
    Matrix,
    check_indices,
    distinct_rows,
    empty,
    fault_of,
    matrix,
    one_row,
)
from driftline.encode.vocabulary import Hashing
from driftline.internals.compiled import Floats, Indices
from driftline.internals.duplicate_indices import joined
from driftline.internals.name_lookup import UNKNOWN
from driftline.internals.numeric.index_sort import sorted_copy
from driftline.internals.rows import DenseRows, FileRows, Rows, SparseRows

WIDEST = 1 << 31


class Encoder(DictBlockEncoder):
    """Converts examples to rows and assigns indices to features.

    Parameters
    ----------
    where : str
        The name that error messages start with.
    hashing : Hashing or None
        Maps names to indices. None makes a vocabulary that grows with the data.
    longest : float or None
        Upper bound on the norm of an example. None accepts any values, including missing ones.
    """

    def one(self, x: Any, learn: bool) -> Rows:
        """Convert one example of any kind to rows and check it."""
        if type(x) is dict:
            return self.checked_dict(x, learn)
        self.mark = self.named, self.width, self.stored
        if hasattr(type(x), "tocsr"):
            return self._sparse(one_row(self.where, x), learn, True)
        if isinstance(x, Mapping):
            return self.checked_dict(x, learn)
        if is_series(x):
            return self.one(named_values(self.where, x), learn)
        array = numbers(self.where, x)
        if array.ndim != 1:
            raise ValueError(
                f"{self.where}: x must be a dict, a 1-d array or a sparse row, got {_shape(x, array)}. "
                "Pass many rows to learn_many"
            )
        return self._dense(array.reshape(1, -1), learn, True)

    def many(self, X: Any, learn: bool, unchecked: bool = False) -> Rows:
        """Convert many examples of any kind to rows.

        With ``unchecked``, rows may have any columns and hold any numbers.
        """
        self.mark = self.named, self.width, self.stored
        if type(X) is not np.ndarray:
            if isinstance(X, FileRows):
                return self._file(X, learn, unchecked)
            if hasattr(type(X), "tocsr"):
                return self._sparse(X, learn, False, unchecked)
            if is_frame(X):
                return self._frame(X, learn)
            if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
                return self._dicts(X, learn)
        array = numbers(self.where, X)
        if array.ndim == 1 and array.size == 0:
            return empty(0)
        if array.ndim != 2:
            raise ValueError(
                f"{self.where}: X must be a 2-d array, CSR matrix, frame or list of dicts, "
                f"got {_shape(X, array)}. Pass one example to learn_one"
            )
        return self._dense(array, learn, False, unchecked)

    # columns ------------------------------------------------------------------------------------------------
    def _dense(self, array: np.ndarray, learn: bool, one: bool, unchecked: bool = False) -> Rows:
        if self.named is not False:
            self._require_kind(False, learn)
        X = plain(array)
        row = -1 if unchecked else check_dense(X, self.limit.longest_sq)
        if row >= 0:
            raise bad_values(self.limit, None if one else row, X[row], column)
        width = X.shape[1]
        if width == self.width and width > 0:
            return DenseRows(X)
        if self.hashed:
            columns = np.tile(np.arange(width), len(X))
            return self._hashed((_offsets(len(X), width), columns, X.reshape(-1), width), one, learn)
        if self.width:
            raise ValueError(
                f"{self.where}: X must have {self.width} columns as before, got {width}. "
                "Pass dicts if features come and go"
            )
        if learn:
            self.width = width
        if self.missing and width:
            return DenseRows(X)
        if not self.width and width:  # no example was learned yet: all columns are unknown
            return SparseRows(_offsets(len(X), width), np.zeros(X.size, np.uint32), X.reshape(-1))
        return DenseRows(X) if self.width else empty(len(X))

    def _sparse(self, X: Any, learn: bool, one: bool, unchecked: bool = False) -> Rows:
        given = self._matrix(X, learn)
        if self.hashed:
            return self._hashed(given, one, learn)
        # the Tracker, which uses missing values, numbers columns in the order in which it meets them
        rows = distinct_rows(self.limit, given, one, ordered=self.missing, unchecked=unchecked)
        if learn:
            self.width = given[3]
            return rows
        return self._clipped(rows, given[3])

    def _matrix(self, X: Any, learn: bool) -> Matrix:
        """Return the arrays of a sparse matrix, after the checks that need no look at its entries."""
        if self.named is not False:
            self._require_kind(False, learn)
        given = matrix(self.where, X)
        width = given[3]
        if self.hashed:
            check_indices(self.where, given)
        elif width < self.width:
            raise ValueError(
                f"{self.where}: X must have at least {self.width} columns as before, got {width}. "
                "Build it with the same columns"
            )
        elif width > WIDEST:
            raise ValueError(f"{self.where}: X must have at most {WIDEST} columns, got {width}. Set hashing=Hashing()")
        return given

    def _clipped(self, rows: SparseRows, width: int) -> SparseRows:
        """Return rows for scoring, in which all columns that were not learned have one index."""
        if width <= self.width or not self.clips:
            return rows
        return rows._replace(indices=np.minimum(rows.indices, np.uint32(self.width)))

    def _hashed(self, given: Matrix, one: bool, learn: bool) -> SparseRows:
        """Hash the columns. Rows are sorted by hash, and the values of colliding columns are summed."""
        indptr, columns, values, _ = given
        row, fault = check_sparse(indptr, NO_INDICES, values, 0, False, self.limit.longest_sq)
        if fault == FINE:
            assert isinstance(self.names, Hashing)
            hashed = self.names.add_columns(columns)
            rows = sorted_copy(SparseRows(indptr, hashed, values))
            row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
            if fault == FINE:
                if learn and self.names.keep_names:
                    new, first = np.unique(columns, return_index=True)
                    self.names.remember(new.tolist(), hashed[first])
                return rows
        raise fault_of(self.limit, None if one else row, row, fault, SparseRows(indptr, columns, values))

    # files --------------------------------------------------------------------------------------------------
    def _file(self, X: FileRows, learn: bool, unchecked: bool) -> SparseRows:
        """Convert rows read from a file. New names or columns may appear at any time."""
        self._require_kind(X.names is not None, learn)
        rows = SparseRows(X.indptr, X.indices, X.values)
        if X.names is not None:
            rows = self._file_of_names(X.names, X.width, rows, learn)
        else:
            if not self.missing and has_missing(rows.values):
                rows = without_missing(rows)
            if self.hashed:
                return self._hashed((*rows, X.width), False, learn)
            if learn:
                self.width = max(self.width, X.width)
            elif self.clips:
                rows = rows._replace(indices=np.minimum(rows.indices, np.uint32(self.width)))
        if unchecked:
            return rows
        row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
        if fault != FINE:
            one, names = X[row : row + 1], X.names
            raise bad_values(
                self.limit,
                row,
                np.where(np.isnan(one.values), 0.0, one.values),
                lambda k: column(int(one.indices[k])) if names is None else f"feature {names[one.indices[k]]!r}",
            )
        return rows

    def _file_of_names(self, names: list[str], width: int, rows: SparseRows, learn: bool) -> SparseRows:
        """Replace positions in the list of names by indices; unknown names share the next free index.

        When learning, a name gets an index with its first value.
        """
        found = self.lookup.found(names, width, len(self.names), self._known)
        new = new_features(rows, found.unknown, len(found.indices))
        if learn and found.unknown.size:
            order = new.in_order(len(rows.values))
            found.add(order, self._learned([names[k] for k in order.tolist()]))
        if has_missing(rows.values):
            rows = without_early_missing(rows, new) if self.missing else without_missing(rows)
        used = rows.indices
        if not found.alike:
            rows = rows._replace(indices=found.indices[rows.indices])
        if isinstance(self.names, Hashing):
            if learn and self.names.keep_names:
                met = np.unique(used)
                self.names.remember([names[k] for k in met.tolist()], found.indices[met])
            return joined(rows)  # names that collide are one feature, as in a dict
        return rows if learn else rows._replace(indices=np.minimum(rows.indices, np.uint32(self.features)))

    def _learned(self, names: Sequence[Any]) -> Indices:
        """Return the indices of names; new names get new indices."""
        if BIAS_NAME in names:
            checked_name(self.where, BIAS_NAME)
        indices = self.names.add_all(names)
        if isinstance(self.names, Hashing):
            self.names.remember(names, indices)
        return indices

    def _known(self, names: Sequence[Any]) -> Indices:
        """Return the indices of names; UNKNOWN for a name that has had no value."""
        if self.hashed:
            return self.names.add_all(names)
        index = self.names.index
        if index.keys().isdisjoint(names):
            return np.full(len(names), UNKNOWN)
        unknown = int(UNKNOWN)
        return np.array([index.get(name, unknown) for name in names], np.uint32)

    # frames -------------------------------------------------------------------------------------------------
    def _frame(self, X: Any, learn: bool) -> Rows:
        columns = columns_of(self.where, X)
        size = X.shape[0]
        if not numeric(columns):
            return self._dicts(records(columns, size), learn)
        self._require_kind(True, learn)
        names = [checked_name(self.where, name) for name in columns]
        index_of = self._known(names)
        if self.hashed and len(set(index_of.tolist())) < len(names):
            return self._dicts(records(columns, size), learn)
        values = table(columns, size)
        if has_missing(values.reshape(-1)):
            return self._frame_with_missing(names, index_of, values, learn)
        row = check_dense(values, self.limit.longest_sq)
        if row >= 0:
            raise bad_values(self.limit, row, values[row], lambda k: f"column {names[k]!r}")
        index_of = self._learned(names) if learn else np.minimum(index_of, np.uint32(len(self.names)))
        return SparseRows(_offsets(size, len(names)), np.tile(index_of, size), values.reshape(-1))

    def _frame_with_missing(self, names: list[Any], index_of: Indices, values: Floats, learn: bool) -> SparseRows:
        """Convert numeric columns with missing values; ``index_of`` is UNKNOWN for new names."""
        places = np.tile(np.arange(len(names), dtype=np.uint32), len(values))
        rows = SparseRows(_offsets(*values.shape), places, values.reshape(-1))
        new = new_features(rows, np.flatnonzero(index_of == UNKNOWN), len(names))
        rows = without_early_missing(rows, new) if self.missing else without_missing(rows)
        row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
        if fault != FINE:
            part = slice(int(rows.indptr[row]), int(rows.indptr[row + 1]))
            there = rows.indices[part]
            raise bad_values(self.limit, row, rows.values[part], lambda k: f"column {names[there[k]]!r}")
        if learn:
            order = new.in_order(values.size)
            index_of[order] = self._learned([names[k] for k in order.tolist()])
            if isinstance(self.names, Hashing):
                self.names.remember(names, index_of)
        else:
            index_of = np.minimum(index_of, np.uint32(len(self.names)))
        return rows._replace(indices=index_of[rows.indices])


def _offsets(rows: int, width: int) -> np.ndarray:
    """Return the start offsets of rows of equal width."""
    return np.arange(rows + 1, dtype=np.uint64) * np.uint64(width)


def _shape(X: Any, array: np.ndarray) -> str:
    return f"shape {array.shape}" if array.ndim else type(X).__name__
