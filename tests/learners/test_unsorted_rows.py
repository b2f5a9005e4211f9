"""Sparse matrices with unsorted rows: the same bits in blocks and row by row, and errors that name the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import driftline as dl
from tests.support.bitwise import assert_same, snapshot

ROWS, WIDTH, ENTRIES = 6000, 60, 15  # a large block
LEARNERS: dict[str, Callable[[], dl.Learner]] = {
    "PA-I": dl.PA1,
    "PA-I for real targets": dl.PA1Regressor,
    "AROW": lambda: dl.AROW(diagonal=True),
}


def drawn() -> tuple[Any, Any, Any, np.ndarray]:
    """A sorted matrix, the same with decreasing and with shuffled rows, and labels."""
    rng = np.random.default_rng(5)
    indices = np.sort(rng.permuted(np.tile(np.arange(WIDTH), (ROWS, 1)), axis=1)[:, :ENTRIES], axis=1)
    values = rng.normal(size=indices.shape)
    values[:, 3] = 0.0
    order = rng.permuted(np.tile(np.arange(ENTRIES), (ROWS, 1)), axis=1)
    shuffled = np.take_along_axis(indices, order, 1), np.take_along_axis(values, order, 1)
    tidy, falling, mixed = (
        sparse.csr_array((v.ravel(), k.ravel().astype("i4"), np.arange(ROWS + 1, dtype="i4") * ENTRIES), (ROWS, WIDTH))
        for k, v in ((indices, values), (indices[:, ::-1], values[:, ::-1]), shuffled)
    )
    return tidy, falling, mixed, np.where(values.sum(axis=1) > 0.0, 1.0, -1.0)


TIDY, FALLING, MIXED, Y = drawn()


def given_of(X: Any, late: bool) -> Any:
    """A copy of the matrix. With ``late``, only its last rows are unsorted; else it has another type of index."""
    given = X.copy()
    if late:
        for part, sorted_part in ((given.indices, TIDY.indices), (given.data, TIDY.data)):
            part[: -9 * ENTRIES] = sorted_part[: -9 * ENTRIES]
    else:
        given.indices = given.indices.astype("i8")
    return given


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("late", [False, True])
def test_unsorted_rows_are_learned_in_the_order_given(name: str, late: bool) -> None:
    tidy = LEARNERS[name]()
    scores = tidy.learn_many(TIDY, Y)
    for X in (FALLING, MIXED):
        given = given_of(X, late)
        indices, values = given.indices.copy(), given.data.copy()
        found, wanted = LEARNERS[name](), LEARNERS[name]()
        assert np.array_equal(
            found.learn_many(given, Y), [wanted.learn_one(given[i : i + 1], y) for i, y in enumerate(Y)]
        )
        assert_same(snapshot(found), snapshot(wanted))
        assert np.array_equal(found.score_many(given), [wanted.score_one(given[i : i + 1]) for i in range(ROWS)])
        assert np.array_equal(given.indices, indices) and np.array_equal(given.data, values)
        assert np.allclose(found.score_many(given), tidy.score_many(TIDY), rtol=1e-12, atol=1e-12)
        fresh = LEARNERS[name]()
        assert np.allclose(fresh.learn_many(given, Y), scores, rtol=1e-9, atol=1e-9)


def test_unsorted_runs_and_blocks() -> None:
    wanted, found = dl.PA1(), dl.PA1()
    scores = wanted.learn_many(MIXED, Y)
    assert np.array_equal(found.learn_block(MIXED, Y).scores, scores)
    assert dl.run(dl.PA1(), (MIXED, Y)).mistakes == dl.run(dl.PA1(), (TIDY, Y)).mistakes


@pytest.mark.parametrize("rows", [slice(0, ROWS), slice(ROWS - 1, ROWS)], ids=["all rows", "the last row"])
def test_duplicates_are_added_up(rows: slice) -> None:
    """The values of an index are added at its first place; the other rows keep their order."""
    entries = np.zeros(ROWS, bool)
    entries[rows] = True
    times = np.where(np.repeat(entries, ENTRIES), 2, 1)
    ends = np.concatenate([[0], np.cumsum(times.reshape(ROWS, ENTRIES).sum(axis=1))]).astype("i4")
    double = sparse.csr_array(
        (np.repeat(MIXED.data / times, times), np.repeat(MIXED.indices, times), ends), MIXED.shape
    )
    wanted, found = dl.PA1(), dl.PA1()
    assert np.array_equal(found.learn_many(double, Y), wanted.learn_many(MIXED, Y))
    assert np.array_equal(found.score_many(double), wanted.score_many(MIXED))


def test_few_rows_with_many_columns() -> None:
    """The table of a few rows has fewer places than the matrix has columns."""
    wide = sparse.csr_array((MIXED.data, MIXED.indices * 1000 + 7, MIXED.indptr), (ROWS, 60_000))
    wanted, found = dl.PA1(), dl.PA1()
    assert np.array_equal(found.learn_many(wide[:40], Y[:40]), wanted.learn_many(MIXED[:40], Y[:40]))
    assert np.array_equal(found.score_many(wide[:40]), wanted.score_many(MIXED[:40]))


@pytest.mark.parametrize("make", [dl.Tracker, lambda: dl.Tracker("light"), dl.TrackerRegressor])
def test_trackers_sort_rows(make: Callable[[], dl.Learner]) -> None:
    """They number columns in the order in which they meet them."""
    wanted, found = make(), make()
    assert np.array_equal(found.learn_many(MIXED[:300], Y[:300]), wanted.learn_many(TIDY[:300], Y[:300]))
    assert_same(snapshot(found), snapshot(wanted))
    assert np.array_equal(found.score_many(MIXED[:300]), wanted.score_many(TIDY[:300]))
    assert str(found.explain_one(MIXED[:1])) == str(wanted.explain_one(TIDY[:1]))


@pytest.mark.parametrize("make", [dl.PA1, dl.PA1Regressor, lambda: dl.AROW(diagonal=True)])
@pytest.mark.parametrize("index", [0, 500_000_000, -5])
def test_entries_of_a_matrix_without_columns_are_refused(make: Callable[[], dl.Learner], index: int) -> None:
    rows = 3000
    indices, indptr = np.full(5 * rows, index, np.int32), np.arange(0, 5 * rows + 1, 5, dtype=np.int32)
    X = sparse.csr_array((np.ones(5 * rows), indices, indptr), shape=(rows, 0))
    learner = make()
    before = snapshot(learner)
    for call in (lambda: learner.learn_many(X, np.arange(rows) % 2), lambda: learner.score_many(X)):
        with pytest.raises(ValueError, match=f"row 0, a column index must be >= 0 and < 0, got {index}"):
            call()
    assert_same(snapshot(learner), before)


FAULTS: dict[str, tuple[dict[int, int], dict[int, float], str]] = {
    "index": ({5500: 60}, {}, "row 5500, a column index must be >= 0 and < 60, got 60"),
    "negative index": ({5500: -1}, {}, "row 5500, a column index must be >= 0 and < 60, got -1"),
    "value": ({}, {5500: np.nan}, "must be finite, got nan"),
    "value before an index": ({5900: 60}, {5000: np.inf}, "row 5900, a column index must be"),
    "long": ({}, {5500: 1e61}, "row 5500 must be shorter than 1e+60"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_errors_name_the_row(name: str) -> None:
    columns, numbers, message = FAULTS[name]
    given = MIXED.copy()
    for row, index in columns.items():
        given.indices[row * ENTRIES] = index
    for row, number in numbers.items():
        given.data[row * ENTRIES] = number
    learner = dl.PA1()
    learner.learn_many(TIDY, Y)
    before = snapshot(learner)
    for call in (lambda: learner.learn_many(given, Y), lambda: learner.score_many(given)):
        with pytest.raises(ValueError) as caught:
            call()
        assert message in str(caught.value) and f"row {max([*columns, *numbers])}" in str(caught.value)
        assert_same(snapshot(learner), before)
