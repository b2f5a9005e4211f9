"""Examples as rows: sparse or dense rows for engines (without the bias feature), and rows read from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets


class SparseRows(NamedTuple):
    """Row i has the features ``indices[indptr[i]:indptr[i + 1]]``, each once, and the values at the same places."""

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


def row_of(rows: Rows, i: int) -> tuple[Indices, Floats]:
    """The features of row i and their values, zeros left out."""
    if isinstance(rows, DenseRows):
        indices, values = np.arange(rows.X.shape[1], dtype=np.uint32), rows.X[i]
    else:
        part = slice(int(rows.indptr[i]), int(rows.indptr[i + 1]))
        indices, values = rows.indices[part], rows.values[part]
    there = values != 0.0
    return indices[there], values[there]


def as_sparse(rows: Rows) -> SparseRows:
    """Rows in sparse form; dense rows keep all their columns, zeros included."""
    if not isinstance(rows, DenseRows):
        return rows
    size, width = rows.X.shape
    indices = np.tile(np.arange(width, dtype=np.uint32), size)
    return SparseRows(np.arange(size + 1, dtype=np.uint64) * np.uint64(width), indices, rows.X.reshape(-1))


def spread_out(rows: Rows, width: int) -> DenseRows:
    """Rows in dense form with ``width`` columns; features beyond them are dropped."""
    if isinstance(rows, DenseRows) and rows.X.shape[1] == width:
        return rows
    indptr, indices, values = as_sparse(rows)
    every = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr).astype(np.intp))
    part = slice(int(indptr[0]), int(indptr[-1]))
    there = indices[part] < width
    X = np.zeros((len(indptr) - 1, width))
    X[every[there], indices[part][there]] = values[part][there]
    return DenseRows(X)


@dataclass(frozen=True, eq=False)
class FileRows:
    """Rows read from a file. No row has an index twice, indices are below ``width``, values are any numbers.

    NaN is a missing value. The encoder of a learner leaves it out or passes it on, and checks the other values.
    Index k is the feature ``names[k]``; without names it is column k. The reader owns the list of names and extends it
    while it reads, so a consumer that maps names to indices looks up each name once, not once per block.
    """

    indptr: Offsets
    indices: Indices
    values: Floats
    names: list[str] | None
    width: int
    source: str
    lines: Offsets
    """Line or record number of each row in the source, from 1."""
    kept: Mapping[str, list[Any]] | None = None
    """The cells of columns that are passed through, by column; None if there are none."""
    times: Floats | None = None
    """Seconds since 1970 of each row, NaN where they are not known; None without a time column."""

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and width."""
        return len(self), self.width

    def __getitem__(self, part: slice) -> FileRows:
        start, stop, _ = part.indices(len(self))
        indptr = self.indptr[start : stop + 1]
        first, last = (int(indptr[0]), int(indptr[-1])) if len(indptr) else (0, 0)
        return replace(
            self,
            indptr=indptr - indptr[0] if len(indptr) else np.zeros(1, np.uint64),
            indices=self.indices[first:last],
            values=self.values[first:last],
            lines=self.lines[start:stop],
            kept=None if self.kept is None else {name: cells[start:stop] for name, cells in self.kept.items()},
            times=None if self.times is None else self.times[start:stop],
        )

    def take(self, rows: Sequence[int]) -> FileRows:
        """The given rows, in the given order."""
        chosen = np.array(rows, np.int64)
        starts, sizes = self.indptr[:-1].astype(np.int64)[chosen], np.diff(self.indptr).astype(np.int64)[chosen]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(starts - ends[:-1], sizes) + np.arange(ends[-1])
        return replace(
            self,
            indptr=ends.astype(np.uint64),
            indices=self.indices[places],
            values=self.values[places],
            lines=self.lines[chosen],
            kept=None if self.kept is None else {k: [cells[row] for row in rows] for k, cells in self.kept.items()},
            times=None if self.times is None else self.times[chosen],
        )

    def place(self, row: int) -> str:
        """Source and line of a row, as text."""
        return f"{self.source}, line {self.lines[row]}"
