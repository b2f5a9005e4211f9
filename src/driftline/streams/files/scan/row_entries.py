"""Collect features found column by column into rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.duplicate_indices import join
from driftline.internals.rows import FileRows
from driftline.streams.files.scan.feature_names import Names

ONE = np.uint64(1)


class Entries(NamedTuple):
    """Feature ``indices[k]`` of row ``rows[k]`` is ``values[k]``; ``rows`` never decreases."""

    rows: Offsets
    indices: Indices
    values: Floats


@jit
def count(rows: Offsets, ends: Offsets) -> None:
    """Add the number of entries of each row to ``ends``."""
    for row in rows:
        ends[row + ONE] += ONE


@jit
def place(entries: Entries, free: Offsets, indices: Indices, values: Floats) -> None:
    """Write entries to the next free positions of their rows."""
    for k in range(np.uint64(entries.rows.size)):
        row = entries.rows[k]
        to = free[row]
        indices[to] = entries.indices[k]
        values[to] = entries.values[k]
        free[row] = to + ONE


def are_columns(parts: Sequence[Entries], size: int) -> bool:
    """Return whether each part is a feature of its own that has one value in each of ``size`` rows.

    Most tables of numbers are like this. Their rows are collected without compiled code.
    """
    if not parts or size == 0 or any(len(part.rows) != size for part in parts):
        return False
    if len({part.indices.item(0) for part in parts}) < len(parts):
        return False
    alike = all(bool((part.indices == part.indices[0]).all()) for part in parts)
    return alike and all(bool((part.rows[1:] > part.rows[:-1]).all()) for part in parts)


def gathered(parts: Sequence[Entries], names: Names, source: str, lines: Offsets) -> FileRows:
    """Collect the parts into rows, one for each of ``lines``; values of duplicates are summed."""
    if are_columns(parts, len(lines)):
        columns = np.array([part.indices[0] for part in parts], np.uint32)
        values = np.stack([part.values for part in parts], axis=1).reshape(-1)
        indptr = np.arange(0, values.size + 1, len(parts)).astype(np.uint64)
        indices = np.tile(columns, len(lines))
        return FileRows(indptr, indices, values, names.list, len(names.list), source, lines)
    indptr = np.zeros(len(lines) + 1, np.uint64)
    for part in parts:
        count(part.rows, indptr)
    indptr = np.cumsum(indptr, dtype=np.uint64)
    indices, values = np.empty(int(indptr[-1]), np.uint32), np.empty(int(indptr[-1]))
    free = indptr[:-1].copy()
    for part in parts:
        place(part, free, indices, values)
    return added_up(indptr, indices, values, names, source, lines)


def added_up(indptr: Offsets, indices: Indices, values: Floats, names: Names, source: str, lines: Offsets) -> FileRows:
    """Return rows with the values of duplicate features summed; the arrays are overwritten."""
    size = join(indptr, indices, values)
    return FileRows(indptr, indices[:size], values[:size], names.list, len(names.list), source, lines)


def some_rows(rows: FileRows, keep: np.ndarray) -> FileRows:
    """Return the rows in which ``keep`` is true."""
    lengths = np.diff(rows.indptr)
    entries = np.repeat(keep, lengths.astype(np.intp))
    indptr = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths[keep], dtype=np.uint64)])
    return replace(
        rows,
        indptr=indptr,
        indices=rows.indices[entries],
        values=rows.values[entries],
        lines=rows.lines[keep],
        kept=None if rows.kept is None else {name: some_cells(cells, keep) for name, cells in rows.kept.items()},
        times=None if rows.times is None else rows.times[keep],
    )


def some_cells(cells: list[Any], keep: np.ndarray) -> list[Any]:
    """Return the cells of the rows in which ``keep`` is true."""
    return [cell for cell, wanted in zip(cells, keep.tolist(), strict=True) if wanted]
