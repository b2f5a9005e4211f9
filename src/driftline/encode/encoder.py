"""Examples of any shape to rows: dicts, arrays, sparse rows, frames.

A learner's features either have names (dicts, frames) or are columns (arrays, sparse rows); with ``Hashing`` both may
be mixed. Nothing is learned from a call that fails: the names that it added are forgotten.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from driftline.compiled import Floats, Indices
from driftline.encode.check import OUTSIDE, TOO_LONG, UNSORTED, check_dense, check_sparse
from driftline.encode.frames import columns_of, is_frame, numeric, records
from driftline.encode.vocabulary import Hashing, Vocabulary
from driftline.rows import DenseRows, Rows, SparseRows

LONGEST = 1e60
Pack = Callable[..., None]


class Encoder:
    """Turns examples into rows. ``longest`` is how long an example may be."""

    def __init__(self, where: str, hashing: Hashing | None, longest: float = LONGEST) -> None:
        self.where = where
        self.names: Vocabulary | Hashing = Vocabulary() if hashing is None else hashing
        self.hashed = hashing is not None
        self.named: bool | None = None
        self.width = 0
        self.longest = longest
        self.mark: tuple[bool | None, int, int] | None = None
        self._start_slate(64)

    # one example -------------------------------------------------------------------------------------------------
    def _start_slate(self, size: int) -> None:
        """Buffers into which one dict is written."""
        self.slate = SparseRows(np.zeros(2, np.uint64), np.zeros(size, np.uint32), np.zeros(size))
        self.packs: dict[int, tuple[Pack, Pack]] = {}
        self.last_names: list[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("slate", "packs", "last_names")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_slate(64)

    def one_dict(self, x: dict[Any, Any], learn: bool) -> SparseRows:
        """A dict as a row, in buffers that the next call overwrites. Values are not checked for NaN here."""
        names = list(x)
        try:
            pack_names, pack_values = self.packs[len(names)]
            if names != self.last_names:
                if self.hashed:
                    return self._one_dict_slowly(x, learn)
                pack_names(self.slate.indices, 0, *map(self.names.index.__getitem__, names))
                self.last_names = names
            pack_values(self.slate.values, 0, *x.values())
        except (KeyError, TypeError, struct.error):
            return self._one_dict_slowly(x, learn)
        self.mark = None
        self.slate.indptr[1] = len(names)
        return self.slate

    def _one_dict_slowly(self, x: Mapping[Any, Any], learn: bool) -> SparseRows:
        """New names, strings, bools and hashing: everything that ``one_dict`` has no short way for."""
        self.mark = self.named, self.width, len(self.names)
        self._be_named(True, learn)
        self.last_names = None
        row = self._features(x, learn)
        size = len(row)
        if size > len(self.slate.indices):
            self._start_slate(2 * size)
        self.slate.indptr[1] = size
        self.slate.indices[:size] = list(row)
        self.slate.values[:size] = list(row.values())
        if size not in self.packs:
            self.packs[size] = struct.Struct(f"{size}I").pack_into, struct.Struct(f"{size}d").pack_into
        if size == len(x) and all(type(value) is float for value in x.values()):
            self.last_names = list(x) if learn or self.hashed else None
        return self.slate

    def _features(self, x: Mapping[Any, Any], learn: bool) -> dict[int, float]:
        """Index to value, in the order of x; features that fall together are added up."""
        row: dict[int, float] = {}
        unknown = len(self.names)
        nowhere = 0.0
        for name, value in x.items():
            feature, number = self._feature(name, value)
            if learn or self.hashed:
                index = self.names.add(feature)
            else:
                found = self.names.index.get(feature)
                if found is None:
                    nowhere = math.hypot(nowhere, number)
                    continue
                index = found
            row[index] = row.get(index, 0.0) + number
        if nowhere:
            row[unknown] = nowhere
        return row

    def _feature(self, name: Any, value: Any) -> tuple[Any, float]:
        """The feature and its number: a string is the feature ``name=value``."""
        if not isinstance(name, str | int):
            raise ValueError(f"{self.where}: a feature's name must be a str or int, got {name!r}")
        if isinstance(value, str):
            return f"{name}={value}", 1.0
        try:
            if isinstance(value, bytes | bytearray):
                raise TypeError
            return name, float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{self.where}: feature {name!r} must be a number, bool or string, got {value!r}. "
                "Leave missing values out"
            ) from None

    def one(self, x: Any, learn: bool) -> Rows:
        """One example of any kind as rows; the values of a dict are not checked for NaN."""
        self.mark = self.named, self.width, len(self.names)
        if isinstance(x, Mapping):
            return self._one_dict_slowly(x, learn)
        if _is_sparse(x):
            row = x.reshape(1, -1)
            if row.shape[0] * row.shape[1] != x.shape[-1]:
                raise ValueError(f"{self.where}: x must be one row, got shape {x.shape}")
            return self._sparse(row, learn)
        if hasattr(x, "to_dict") and getattr(x, "ndim", 0) == 1:
            return self._one_dict_slowly(x.to_dict(), learn)
        array = self._array(x)
        if array.ndim != 1:
            raise ValueError(f"{self.where}: x must be a dict, a 1-d array or a sparse row, got {_shape(x, array)}")
        return self._dense(array.reshape(1, -1), learn)

    # many examples -----------------------------------------------------------------------------------------------
    def many(self, X: Any, learn: bool) -> Rows:
        """Many examples of any kind as rows, checked."""
        self.mark = self.named, self.width, len(self.names)
        if _is_sparse(X):
            return self._sparse(X, learn)
        if is_frame(X):
            return self._frame(X, learn)
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            return self._dicts(X, learn)
        array = self._array(X)
        if array.ndim == 1 and array.size == 0:
            return SparseRows(np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0))
        if array.ndim != 2:
            raise ValueError(
                f"{self.where}: X must be a 2-d array, CSR matrix, frame or list of dicts, got {_shape(X, array)}"
            )
        return self._dense(array, learn)

    def _array(self, X: Any) -> np.ndarray:
        try:
            array = np.asarray(X)
        except ValueError as error:
            raise ValueError(f"{self.where}: rows must have equal lengths, got {error}") from None
        if array.dtype.kind not in "biuf":
            raise ValueError(
                f"{self.where}: an array must hold numbers, got dtype {array.dtype}. Pass text as dicts of features"
            )
        return array

    def _dense(self, array: np.ndarray, learn: bool) -> Rows:
        self._be_named(False, learn)
        X = np.ascontiguousarray(array, dtype=np.float64)
        row, fault = check_dense(X, self.longest**2)
        if row >= 0:
            column = _culprit(X[row])
            raise self._bad_value(row, f"column {column}", X[row, column], fault, X[row])
        width = X.shape[1]
        if self.hashed:
            indptr = np.arange(len(X) + 1, dtype=np.uint64) * np.uint64(width)
            return self._hash(SparseRows(indptr, np.tile(np.arange(width, dtype=np.uint32), len(X)), X.reshape(-1)))
        if self.width and width != self.width:
            raise ValueError(
                f"{self.where}: X must have {self.width} columns as before, got {width}. "
                "Pass dicts if features come and go"
            )
        if learn:
            self.width = width
        return DenseRows(X)

    def _sparse(self, X: Any, learn: bool) -> Rows:
        self._be_named(False, learn)
        if X.dtype.kind not in "biuf":
            raise ValueError(f"{self.where}: a sparse matrix must hold numbers, got dtype {X.dtype}")
        if X.format != "csr":
            X = X.tocsr()
        rows, width = X.shape
        if not self.hashed and width < self.width:
            raise ValueError(
                f"{self.where}: X must have at least the {self.width} columns of before, got {width}. "
                "Make it with the same columns"
            )
        block = self._csr(X, rows, width)
        longest_sq = self.longest**2
        row, fault = check_sparse(*block, width, True, longest_sq)
        if fault == UNSORTED:
            X = X.copy()
            self._check_indices(X.indices, width)
            X.sum_duplicates()
            block = self._csr(X, rows, width)
            row, fault = check_sparse(*block, width, True, longest_sq)
        if fault == OUTSIDE:
            self._check_indices(X.indices, width)
        if row >= 0:
            values = block.values[block.indptr[row] : block.indptr[row + 1]]
            entry = _culprit(values)
            column = block.indices[int(block.indptr[row]) + entry]
            raise self._bad_value(row, f"column {column}", values[entry], fault, values)
        if self.hashed:
            return self._hash(block)
        if learn:
            self.width = width
        elif width > self.width:
            block = block._replace(indices=np.minimum(block.indices, np.uint32(self.width)))
        return block

    def _csr(self, X: Any, rows: int, width: int) -> SparseRows:
        """The arrays of a CSR matrix, without copies where their types allow it."""
        indptr, indices, values = X.indptr, X.indices, X.data
        if len(indptr) != rows + 1 or indptr[0] != 0 or indptr[-1] > len(indices) or (np.diff(indptr) < 0).any():
            raise ValueError(f"{self.where}: a CSR matrix must have increasing row offsets, got a damaged indptr")
        if indices.dtype == np.int64:
            self._check_indices(indices, min(width, 1 << 32))
            indices = indices.astype(np.uint32)
        return SparseRows(
            indptr.astype(np.int64, copy=False).view(np.uint64),
            indices.view(np.uint32),
            np.ascontiguousarray(values, dtype=np.float64),
        )

    def _check_indices(self, indices: np.ndarray, width: int) -> None:
        if len(indices) and (indices.min() < 0 or indices.max() >= width):
            bad = indices.min() if indices.min() < 0 else indices.max()
            raise ValueError(f"{self.where}: a column index must be from 0 to {width - 1}, got {bad}")

    def _hash(self, block: SparseRows) -> SparseRows:
        """Hash the columns; those that fall together in a row are added up."""
        hashing = self.names
        assert isinstance(hashing, Hashing)
        indices = hashing.add_columns(block.indices)
        indptr, out_indices, out_values = [0], [], []
        for i in range(len(block.indptr) - 1):
            part = slice(int(block.indptr[i]), int(block.indptr[i + 1]))
            unique, first, inverse = np.unique(indices[part], return_index=True, return_inverse=True)
            if len(unique) < len(inverse):
                order = np.argsort(first)
                sums = np.zeros(len(unique))
                np.add.at(sums, inverse, block.values[part])
                out_indices.append(unique[order])
                out_values.append(sums[order])
            else:
                out_indices.append(indices[part])
                out_values.append(block.values[part])
            indptr.append(indptr[-1] + len(unique))
        if not out_indices:
            return block
        return SparseRows(np.array(indptr, np.uint64), np.concatenate(out_indices), np.concatenate(out_values))

    def _frame(self, X: Any, learn: bool) -> Rows:
        try:
            columns = columns_of(X)
        except ValueError as error:
            raise ValueError(f"{self.where}: {error}") from None
        if not columns or not numeric(columns) or self.hashed:
            return self._dicts(records(columns), learn)
        self._be_named(True, learn)
        values = np.ascontiguousarray(np.column_stack([c.astype(np.float64) for c in columns.values()]))
        row, fault = check_dense(values, self.longest**2)
        if row >= 0:
            column = _culprit(values[row])
            raise self._bad_value(row, f"column {list(columns)[column]!r}", values[row, column], fault, values[row])
        row_of = self._features(dict.fromkeys(columns, 1.0), learn)
        if len(row_of) < len(columns):
            return self._dicts(records(columns), learn)
        indices = np.array(list(row_of), np.uint32)
        indptr = np.arange(len(values) + 1, dtype=np.uint64) * np.uint64(len(columns))
        return SparseRows(indptr, np.tile(indices, len(values)), values.reshape(-1))

    def _dicts(self, X: Sequence[Mapping[Any, Any]], learn: bool) -> Rows:
        mark = self.named, self.width, len(self.names)
        indices: list[Indices] = []
        values: list[Floats] = []
        indptr = np.zeros(len(X) + 1, np.uint64)
        try:
            for i, x in enumerate(X):
                one = self._one_of(x, i, learn)
                size = int(one.indptr[1])
                indices.append(one.indices[:size].copy())
                values.append(one.values[:size].copy())
                indptr[i + 1] = indptr[i] + np.uint64(size)
        finally:
            self.mark = mark
        block = SparseRows(indptr, np.concatenate(indices), np.concatenate(values))
        row, fault = check_sparse(*block, 0, False, self.longest**2)
        if row >= 0:
            part = block.values[block.indptr[row] : block.indptr[row + 1]]
            entry = _culprit(part)
            name = self.names.names()[block.indices[int(block.indptr[row]) + entry]]
            raise self._bad_value(row, f"feature {name!r}", part[entry], fault, part)
        return block

    def _one_of(self, x: Any, row: int, learn: bool) -> SparseRows:
        """A dict that is this row of a list."""
        if not isinstance(x, Mapping):
            raise ValueError(f"{self.where}: row {row} must be a dict like the first row, got {x!r}")
        try:
            return self.one_dict(x, learn) if type(x) is dict else self._one_dict_slowly(x, learn)
        except ValueError as error:
            raise ValueError(f"{error} (row {row})") from None

    # faults ------------------------------------------------------------------------------------------------------
    def _be_named(self, named: bool, learn: bool) -> None:
        """Names or columns, as from the first example on."""
        if self.hashed:
            return
        if self.named is None:
            if learn:
                self.named = named
        elif self.named != named:
            expected, got = ("dicts or frames", "columns") if self.named else ("arrays or sparse rows", "named features")
            raise ValueError(f"{self.where}: examples must be {expected} as before, got {got}")

    def _bad_value(self, row: int, place: str, value: float, fault: int, values: Floats) -> ValueError:
        if fault == TOO_LONG:
            length = math.hypot(*values.tolist())
            return ValueError(
                f"{self.where}: row {row} must be shorter than {self.longest:g}, got length {length:g} "
                f"({place} is {value:g}). Scale the features, or set scale='unit'"
            )
        return ValueError(
            f"{self.where}: row {row}, {place} must be finite, got {value}. Leave missing values out, or fill them in"
        )

    def check_one(self, rows: SparseRows) -> None:
        """Raise unless the values of one row are finite and not too long."""
        values = rows.values[: int(rows.indptr[1])]
        if not np.isfinite(values).all() or math.hypot(*values.tolist()) > self.longest:
            raise self.explain_one(rows)

    def explain_one(self, rows: Rows) -> ValueError:
        """The error for one row that an engine refused, or whose score is not finite."""
        if isinstance(rows, DenseRows):
            values = rows.X[0]
            entry = _culprit(values)
            place = f"column {entry}"
        else:
            values = rows.values[: int(rows.indptr[1])]
            entry = _culprit(values)
            index = int(rows.indices[entry])
            known = self.names.names() if self.named else []
            place = f"feature {known[index]!r}" if index < len(known) else f"feature {index}"
        value = values[entry]
        if not np.isfinite(value):
            return ValueError(f"{self.where}: {place} must be finite, got {value}. Leave missing values out")
        return ValueError(
            f"{self.where}: an example must be shorter than {self.longest:g}, got length "
            f"{math.hypot(*values.tolist()):g} ({place} is {value:g}). Scale the features, or set scale='unit'"
        )

    def undo(self) -> None:
        """Be as before the last call, which failed."""
        if self.mark is None:
            return
        self.named, self.width, size = self.mark
        if isinstance(self.names, Vocabulary):
            self.names.forget(size)
        self.last_names = None

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.names) if self.hashed or self.named else self.width


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr")


def _culprit(values: Floats) -> int:
    """The value that is not finite, or else the largest."""
    size = np.abs(values)
    return int(np.argmax(np.where(np.isfinite(size), size, np.inf)))


def _shape(X: Any, array: np.ndarray) -> str:
    return f"shape {array.shape}" if isinstance(X, np.ndarray) or array.ndim else type(X).__name__
