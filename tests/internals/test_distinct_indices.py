"""Rows of any order in which an index may occur twice, compared with Python sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.internals.numeric.distinct_indices import (
    MOST_PLACES,
    PLACES_PER_ENTRY,
    are_distinct,
    first_shared,
    is_distinct,
    places_for,
    share_no_place,
)

ZERO = np.uint64(0)


def packed(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The offsets and indices of the rows."""
    ends = np.cumsum([0, *(len(row) for row in rows)]).astype(np.uint64)
    return ends, np.array([index for row in rows for index in row], np.uint32)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(st.integers(0, 30), max_size=9), max_size=8),
    st.sampled_from([1, 70_000_001]),
    st.sampled_from([1, 2, 8, 32, 1 << 12]),
)
def test_repeats_are_found_with_any_table(rows: list[list[int]], factor: int, size: int) -> None:
    rows = [[index * factor for index in row] for row in rows]
    indptr, indices = packed(rows)
    last = np.uint64(len(rows))
    wanted = all(len(set(row)) == len(row) for row in rows)
    assert are_distinct(indptr, indices, ZERO, last, np.zeros(size, np.uint32)) == wanted
    shared = next((i for i, row in enumerate(rows) if len({k & (size - 1) for k in row}) < len(row)), len(rows))
    assert first_shared(indptr, indices, ZERO, last, np.zeros(size, np.uint32)) == shared
    for i, row in enumerate(rows):
        assert is_distinct(indices, indptr[i], indptr[i + 1]) == (len(set(row)) == len(row))


def test_a_part_of_the_rows() -> None:
    indptr, indices = packed([[3, 3], [1, 2, 0], [5, 4], [6, 6]])
    one, three = np.uint64(1), np.uint64(3)
    assert share_no_place(indptr, indices, one, three, 6, places_for(9, 6))
    assert not share_no_place(indptr, indices, one, three, 5, places_for(9, 6))
    assert not share_no_place(indptr, indices, one, np.uint64(4), 7, places_for(9, 7))
    assert not share_no_place(indptr, indices, ZERO, three, 7, places_for(9, 7))


@pytest.mark.parametrize(
    ("entries", "width", "size"),
    [(0, 0, 1), (1, 1000, 4), (100, 3, 4), (1000, 1024, 1024), (1 << 30, 1 << 31, MOST_PLACES)],
)
def test_the_table_is_small(entries: int, width: int, size: int) -> None:
    assert len(places_for(entries, width)) == size <= max(1, 2 * PLACES_PER_ENTRY * entries)
