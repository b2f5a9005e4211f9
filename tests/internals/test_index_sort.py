"""Sorted copies of sparse rows: the same bits as a stable sort and numpy's sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.internals.numeric.index_sort import pairwise, sorted_copy
from driftline.internals.rows import SparseRows

SIZES = [0, 1, 2, 3, 15, 16, 17, 33, 75, 200]
ORDERS = ["increasing", "decreasing", "shuffled", "duplicates", "one column"]


def expected(rows: SparseRows) -> SparseRows:
    """The sorted rows, by a stable sort and ``numpy.add.reduceat``."""
    columns, numbers, ends = [], [], [0]
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        order = np.argsort(rows.indices[start:stop], kind="stable")
        kept, first = np.unique(rows.indices[start:stop][order], return_index=True)
        columns.append(kept)
        if stop > start:
            numbers.append(np.add.reduceat(rows.values[start:stop][order], first))
        ends.append(ends[-1] + len(kept))
    return SparseRows(np.array(ends, "u8"), np.concatenate(columns), np.concatenate([np.zeros(0), *numbers]))


def drawn(rng: np.random.Generator, sizes: list[tuple[int, str]], width: int) -> SparseRows:
    """Rows of these sizes and orders, with values of all magnitudes, zeros and negative zeros."""
    indices: list[int] = []
    for size, order in sizes:
        row = rng.choice(width, size, replace=False)
        if order == "increasing":
            row = np.sort(row)
        elif order == "decreasing":
            row = np.sort(row)[::-1]
        elif order == "duplicates":
            row = rng.choice(row, size) if size else row
        elif order == "one column":
            row = np.repeat(row[:1], size)
        indices += row.tolist()
    values = rng.normal(size=len(indices)) * 10.0 ** rng.integers(-8, 9, len(indices))
    values[rng.random(len(indices)) < 0.2] = -0.0
    return SparseRows(np.cumsum([0, *(n for n, _ in sizes)]).astype("u8"), np.array(indices, "u4"), values)


def assert_same_bits(found: SparseRows, wanted: SparseRows) -> None:
    assert np.array_equal(found.indptr, wanted.indptr)
    assert np.array_equal(found.indices, wanted.indices)
    assert np.array_equal(found.values.view("u8"), wanted.values.view("u8"))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from(SIZES), st.sampled_from(ORDERS)), min_size=1, max_size=5),
    st.sampled_from([200, 5000, 1 << 31]),
    st.integers(0, 1000),
)
def test_rows_of_any_order_are_sorted(sizes: list[tuple[int, str]], width: int, seed: int) -> None:
    rows = drawn(np.random.default_rng(seed), sizes, width)
    before = [part.copy() for part in rows]
    assert_same_bits(sorted_copy(rows), expected(rows))
    assert all(np.array_equal(part, old) for part, old in zip(rows, before, strict=True))
    last = rows._replace(indptr=rows.indptr[-2:])
    alone = SparseRows(last.indptr - last.indptr[0], *(part[int(last.indptr[0]) :] for part in rows[1:]))
    assert_same_bits(sorted_copy(last), expected(alone))


@pytest.mark.parametrize("width", [5000, 1 << 31])
@pytest.mark.parametrize("order", ORDERS)
def test_long_rows(order: str, width: int) -> None:
    rows = drawn(np.random.default_rng(1), [(5000, order), (3, "shuffled")], width)
    assert_same_bits(sorted_copy(rows), expected(rows))


@pytest.mark.parametrize("size", [1, 7, 8, 9, 127, 128, 129, 300, 1000])
def test_pairwise_sums_have_numpys_bits(size: int) -> None:
    values = np.random.default_rng(size).normal(size=size + 3)
    assert pairwise(values, 3, size) == np.add.reduce(values[3:])
