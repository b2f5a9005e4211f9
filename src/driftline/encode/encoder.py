"""Convert examples to rows: dicts, arrays, sparse rows and frames.

The features of a learner either have names (dicts, frames) or are columns (arrays, sparse rows).
With ``Hashing`` the two may be mixed. A name is a str or an int; names that compare equal, such as
1 and True, are the same name. The value of a feature is a number, a bool or a string:
``{"colour": "red"}`` is the feature "colour=red" with value 1. A call that fails changes nothing:
the names it added are removed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from driftline.encode.arrays import numbers, plain
from driftline.encode.block_checks import FINE, check_dense, check_sparse
from driftline.encode.faults import bad_values, column, in_row, limit, shortened
from driftline.encode.features import BIAS_NAME, checked_name, feature
from driftline.encode.frames import columns_of, is_frame, is_series, named_values, numeric, records, table
from driftline.encode.sparse import (
    NO_INDICES,
    NO_VALUES,
    Matrix,
    check_indices,
    empty,
    fault_of,
    matrix,
    merged,
    one_row,
    sorted_rows,
)
from driftline.encode.vocabulary import Hashing, Vocabulary
from driftline.internals.compiled import Floats, Indices
from driftline.internals.duplicate_indices import joined
from driftline.internals.name_lookup import UNKNOWN, Lookup
from driftline.internals.rows import DenseRows, FileRows, Rows, SparseRows

# the norm of an example must be smaller, so that no product of norms overflows; float64, float32
LONGEST, LONGEST_32 = 1e60, 1e15
WIDEST = 1 << 31
Pack = Callable[..., None]
# attributes that are not pickled but rebuilt: buffers, and the cache of a reader's names
UNSAVED = ("lookup", "buffer", "row_buffer", "packers", "pack_values", "last_names")


class Encoder:
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

    def __init__(self, where: str, hashing: Hashing | None, longest: float | None = LONGEST) -> None:
        self.where = where
        self.names: Vocabulary | Hashing = Vocabulary() if hashing is None else hashing
        self.hashed = hashing is not None
        self.named: bool | None = None
        self.width = 0
        self.clips = True  # when scoring, all unknown columns share the next free index
        self.limit = limit(where, longest)
        self.missing = longest is None
        self.mark: tuple[bool | None, int, int] | None = None
        self.lookup = Lookup()
        self._allocate_buffers(64)

    @property
    def features(self) -> int:
        """Return the number of features."""
        return len(self.names) if self.hashed or self.named else self.width

    def one(self, x: Any, learn: bool) -> Rows:
        """Convert one example of any kind to rows and check it."""
        if type(x) is dict:
            return self.checked(self.one_dict(x, learn), x)
        self.mark = self.named, self.width, len(self.names.index)
        if hasattr(type(x), "tocsr"):
            return self._sparse(one_row(self.where, x), learn, True)
        if isinstance(x, Mapping):
            return self.checked(self._one_dict_slowly(x, learn), x)
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

        With ``unchecked``, columns may be in any order and hold any numbers.
        """
        self.mark = self.named, self.width, len(self.names.index)
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

    # rollback -----------------------------------------------------------------------------------------------
    def undo(self) -> None:
        """Restore the state before the last call, which failed."""
        if self.mark is None:
            return
        self.named, self.width, size = self.mark
        if isinstance(self.names, Vocabulary):
            self.names.forget(size)
        self.lookup.forget()
        try:
            self._allocate_buffers(64)
        except MemoryError:
            self._clear_packers()  # the old buffers are larger, and as good

    def _require_kind(self, named: bool, learn: bool) -> None:
        """Require named features or columns, whichever the first learned example had."""
        if self.hashed:
            return
        if self.named is None:
            if learn:
                self.named = named
        elif self.named != named:
            expected, got = "dicts or frames", "columns"
            if named:
                expected, got = "arrays or sparse rows", "named features"
            raise ValueError(
                f"{self.where}: examples must be {expected} as before, got {got}. "
                "Use one kind of input, or set hashing=Hashing()"
            )

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
            return self._hashed((_offsets(len(X), width), columns, X.reshape(-1), width), one)
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
        if self.named is not False:
            self._require_kind(False, learn)
        given = matrix(self.where, X)
        if self.hashed:
            check_indices(self.where, given)
            return self._hashed(given, one)
        width = given[3]
        if width < self.width:
            raise ValueError(
                f"{self.where}: X must have at least {self.width} columns as before, got {width}. "
                "Build it with the same columns"
            )
        if width > WIDEST:
            raise ValueError(f"{self.where}: X must have at most {WIDEST} columns, got {width}. Set hashing=Hashing()")
        rows = sorted_rows(self.limit, given, one, unchecked)
        if learn:
            self.width = width
        elif width > self.width and self.clips:
            rows = rows._replace(indices=np.minimum(rows.indices, np.uint32(self.width)))
        return rows

    def _hashed(self, given: Matrix, one: bool) -> SparseRows:
        """Hash the columns. Values in a row with colliding columns are summed."""
        indptr, columns, values, _ = given
        row, fault = check_sparse(indptr, NO_INDICES, values, 0, False, self.limit.longest_sq)
        if fault == FINE:
            assert isinstance(self.names, Hashing)
            rows = merged(SparseRows(indptr, self.names.add_columns(columns), values))
            row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
            if fault == FINE:
                return rows
        raise fault_of(self.limit, None if one else row, row, fault, SparseRows(indptr, columns, values))

    # files --------------------------------------------------------------------------------------------------
    def _file(self, X: FileRows, learn: bool, unchecked: bool) -> SparseRows:
        """Convert rows read from a file. New names or columns may appear at any time."""
        self._require_kind(X.names is not None, learn)
        if X.names is None and self.hashed:
            return self._hashed((X.indptr, X.indices, X.values, X.width), False)
        if X.names is not None:
            known = -1 if learn else len(self.names)  # learning assigns every name an index
            table, alike = self.lookup.of(X.names, X.width, known, self._learned if learn else self._known)
            indices = X.indices if alike else table[X.indices]
        else:
            indices = X.indices
            if learn:
                self.width = max(self.width, X.width)
        if not learn and (self.clips or X.names is not None):
            indices = np.minimum(indices, np.uint32(self.features))
        rows = SparseRows(X.indptr, indices, X.values)
        if self.hashed:
            rows = joined(rows)  # names that collide are one feature, as in a dict
        if unchecked:
            return rows
        row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
        if fault != FINE:
            one = X[row : row + 1]
            names = X.names
            raise bad_values(
                self.limit,
                row,
                one.values,
                lambda k: column(int(one.indices[k])) if names is None else f"feature {names[one.indices[k]]!r}",
            )
        return rows

    def _learned(self, names: list[str]) -> Indices:
        """Return the indices of names; new names get new indices."""
        if BIAS_NAME in names:
            checked_name(self.where, BIAS_NAME)
        return self.names.add_all(names)

    def _known(self, names: list[str]) -> Indices:
        """Return the indices of names; UNKNOWN for a name that was never learned."""
        if self.hashed:
            return self.names.add_all(names)
        return np.array([self.names.index.get(name, UNKNOWN) for name in names], np.uint32)

    # names --------------------------------------------------------------------------------------------------
    def _frame(self, X: Any, learn: bool) -> Rows:
        columns = columns_of(self.where, X)
        size = X.shape[0]
        if not numeric(columns):
            return self._dicts(records(columns, size), learn)
        self._require_kind(True, learn)
        values = table(columns, size)
        names = [checked_name(self.where, name) for name in columns]
        row = check_dense(values, self.limit.longest_sq)
        if row >= 0:
            raise bad_values(self.limit, row, values[row], lambda k: f"column {names[k]!r}")
        indices = np.array([self._index(name, learn) for name in names], np.uint32)
        rows = SparseRows(_offsets(size, len(names)), np.tile(indices, size), values.reshape(-1))
        if self.hashed and len(set(indices.tolist())) < len(names):
            return self._dicts(records(columns, size), learn)
        return rows

    def _dicts(self, X: Sequence[Mapping[Any, Any]], learn: bool) -> Rows:
        mark = self.mark
        indices: list[Indices] = [NO_INDICES]
        values: list[Floats] = [NO_VALUES]
        indptr = np.zeros(len(X) + 1, np.uint64)
        try:
            for i, x in enumerate(X):
                one = self._listed_dict(x, i, learn)
                size = int(one.indptr[1])
                indices.append(one.indices[:size].copy())
                values.append(one.values[:size].copy())
                indptr[i + 1] = indptr[i] + np.uint64(size)
        finally:
            self.mark = mark
        rows = SparseRows(indptr, np.concatenate(indices), np.concatenate(values))
        row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
        if fault != FINE:
            raise self.bad_dict(X[row], row)
        return rows

    def _listed_dict(self, x: Any, row: int, learn: bool) -> SparseRows:
        """Convert a dict that is row ``row`` of a list."""
        if not isinstance(x, Mapping):
            raise ValueError(
                f"{self.where}: row {row} must be a dict like the first row, got {shortened(x)}. Pass rows of one kind"
            )
        try:
            return self.one_dict(x, learn) if type(x) is dict else self._one_dict_slowly(x, learn)
        except ValueError as error:
            raise in_row(self.where, row, error) from None

    # one dict -----------------------------------------------------------------------------------------------
    def _allocate_buffers(self, size: int) -> None:
        """Allocate the buffer for one dict: first its values, then its indices, contiguous."""
        buffer, indptr = np.zeros(3 * size, np.uint32), np.zeros(2, np.uint64)
        self.buffer = buffer
        self.row_buffer = SparseRows(indptr, buffer[2 * size :], buffer[: 2 * size].view(np.float64))
        self._clear_packers()

    def _clear_packers(self) -> None:
        """Forget what is in the buffer and how dicts were packed into it."""
        self.packers: dict[int, tuple[Pack, Pack]] = {}
        self.pack_values: Pack = struct.Struct("").pack_into
        self.last_names: list[Any] | None = None  # the names whose indices are in row_buffer

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in UNSAVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lookup = Lookup()
        self._allocate_buffers(64)

    def one_dict(self, x: dict[Any, Any], learn: bool) -> SparseRows:
        """Convert a dict to an unchecked row, in a buffer that the next call overwrites."""
        names = list(x)
        try:
            if names == self.last_names:
                self.pack_values(self.buffer, 0, *x.values())
                self.mark = None
                return self.row_buffer
            pack, pack_values = self.packers[len(names)]
            index = self.names.index
            # itemgetter knows its length, a map does not; for a single name it returns no tuple
            found = itemgetter(*names)(index) if len(names) > 1 else map(index.__getitem__, names)
            pack(self.buffer, 0, *x.values(), *found)
        except (KeyError, TypeError, struct.error):
            return self._one_new_dict(names, x, learn)
        self.mark = None
        self.row_buffer.indptr[1] = len(names)
        self.last_names, self.pack_values = names, pack_values
        return self.row_buffer

    def _one_new_dict(self, names: list[Any], x: dict[Any, Any], learn: bool) -> SparseRows:
        """Convert a dict with new names; str names and numeric values take a fast path."""
        index = self.names.index
        new = [name for name in names if name not in index]
        known = self.packers.get(len(names))
        if known is None or not new or not all(type(name) is str for name in new) or BIAS_NAME in new:
            return self._one_dict_slowly(x, learn)
        unknown = size = len(index)
        self.last_names = self.mark = None
        if learn:
            self.mark = self.named, self.width, size
            index.update(zip(new, range(size, size + len(new)), strict=True))
        try:
            known[0](self.buffer, 0, *x.values(), *[index.get(name, unknown) for name in names])
        except (TypeError, struct.error):
            self.undo()
            return self._one_dict_slowly(x, learn)
        self.row_buffer.indptr[1] = len(names)
        if learn:
            self.last_names, self.pack_values = names, known[1]
        return self.row_buffer

    def _one_dict_slowly(self, x: Mapping[Any, Any], learn: bool) -> SparseRows:
        """Convert any mapping: new names, strings, bools, hashing. See ``one_dict``."""
        self.mark = self.named, self.width, len(self.names.index)
        self.last_names = None
        self._require_kind(True, learn)
        indices, values = self._features(x, learn)
        size = len(indices)
        if size > len(self.row_buffer.indices):
            self._allocate_buffers(2 * size)
        self.row_buffer.indptr[1] = size
        self.row_buffer.indices[:size] = indices
        self.row_buffer.values[:size] = values
        if self.named or self.hashed:
            self.pack_values = struct.Struct(f"{size}d").pack_into
            if size == len(x) and all(type(value) is float for value in x.values()) and (learn or self.hashed):
                self.last_names = list(x)
        if self.named and not self.hashed:
            spare = 8 * (len(self.row_buffer.values) - size)
            self.packers[size] = struct.Struct(f"{size}d{spare}x{size}I").pack_into, self.pack_values
        return self.row_buffer

    def _features(self, x: Mapping[Any, Any], learn: bool) -> tuple[list[int], list[float]]:
        """Return indices and values in the order of x. Values of features that collide are summed.

        When scoring, unknown features share one index and are not summed.
        """
        indices: list[int] = []
        values: list[float] = []
        places: dict[int, int] = {}
        unknown = -1 if learn else len(self.names)
        for name, value in x.items():
            known_as, number = feature(self.where, name, value, self.missing)
            index = self._index(known_as, learn)
            if index in places and index != unknown:
                values[places[index]] += number
            else:
                places[index] = len(indices)
                indices.append(index)
                values.append(number)
        return indices, values

    def _index(self, name: Any, learn: bool) -> int:
        """Return the index of a feature. When scoring, unknown ones share the next free index."""
        if learn or self.hashed:
            return self.names.add(name)
        return self.names.index.get(name, len(self.names))

    def checked(self, rows: SparseRows, x: Mapping[Any, Any]) -> SparseRows:
        """Check that the row of a dict is finite and not too long, and return it."""
        if check_sparse(*rows, 0, False, self.limit.longest_sq)[1] != FINE:
            raise self.bad_dict(x, None)
        return rows

    def bad_dict(self, x: Mapping[Any, Any], row: int | None) -> ValueError:
        """Return the error for a dict with bad values."""
        features = dict(feature(self.where, name, value) for name, value in x.items())
        names = list(features)
        return bad_values(self.limit, row, np.array(list(features.values())), lambda k: f"feature {names[k]!r}")


def _offsets(rows: int, width: int) -> np.ndarray:
    """Return the start offsets of rows of equal width."""
    return np.arange(rows + 1, dtype=np.uint64) * np.uint64(width)


def _shape(X: Any, array: np.ndarray) -> str:
    return f"shape {array.shape}" if array.ndim else type(X).__name__
