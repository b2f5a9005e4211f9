"""Columns that have a value in each row are collected as the entries of other tables are."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.scan.row_entries import Entries, are_columns, gathered

SIZE = 5
NOTHING = Entries(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0))


def column(index: int) -> Entries:
    return Entries(np.arange(SIZE).astype(np.uint64), np.full(SIZE, index, np.uint32), np.arange(SIZE) + 10.0 * index)


def test_columns_give_the_arrays_of_the_compiled_loops() -> None:
    parts, lines = [column(k) for k in (2, 0, 7)], np.arange(SIZE).astype(np.uint64)
    assert are_columns(parts, SIZE)
    assert not are_columns([*parts, NOTHING], SIZE)
    found, expected = (gathered(some, Names(), "a", lines) for some in (parts, [*parts, NOTHING]))
    for name in ("indptr", "indices", "values"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    assert found.indices[:3].tolist() == [2, 0, 7]
    assert found.values[3:6].tolist() == [21.0, 1.0, 71.0]


@pytest.mark.parametrize(
    "changed",
    [
        column(2),
        column(0)._replace(rows=np.array([0, 1, 1, 3, 4], np.uint64)),
        column(0)._replace(indices=np.array([0, 0, 1, 0, 0], np.uint32)),
        Entries(*(part[1:] for part in column(0))),
    ],
    ids=["the same feature twice", "a row twice", "two features", "a missing cell"],
)
def test_other_parts_are_not_columns(changed: Entries) -> None:
    parts = [column(2), changed]
    assert not are_columns(parts, SIZE)
    rows = gathered(parts, Names(), "a", np.arange(SIZE).astype(np.uint64))
    assert float(rows.values.sum()) == sum(float(part.values.sum()) for part in parts)


def test_no_columns_and_no_rows_are_not_columns() -> None:
    assert not are_columns([], SIZE)
    assert not are_columns([NOTHING], 0)
