"""Sparse matrices with unsorted rows: the bits and the errors of sorted ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import driftline as dl
from tests.support.bitwise import assert_same, snapshot

ROWS, WIDTH, ENTRIES = 6000, 60, 15  # more than one piece of the sorted rows
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


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("late", [False, True])
def test_unsorted_rows_give_the_bits_of_sorted_ones(name: str, late: bool) -> None:
    wanted = LEARNERS[name]()
    margins = wanted.learn_many(TIDY, Y)
    for X in (FALLING, MIXED):
        given = X.copy()
        if late:  # only the last rows are unsorted
            given.indices[: -9 * ENTRIES], given.data[: -9 * ENTRIES] = (
                TIDY.indices[: -9 * ENTRIES],
                TIDY.data[: -9 * ENTRIES],
            )
        else:
            given.indices = given.indices.astype("i8")
        indices, values = given.indices.copy(), given.data.copy()
        found = LEARNERS[name]()
        assert np.array_equal(found.learn_many(given, Y), margins)
        assert_same(snapshot(found), snapshot(wanted))
        assert np.array_equal(found.score_many(given), wanted.score_many(TIDY))
        assert np.array_equal(found.predict_many(given), wanted.predict_many(TIDY))
        assert np.array_equal(given.indices, indices) and np.array_equal(given.data, values)


def test_unsorted_runs_and_blocks() -> None:
    wanted, found = dl.PA1(), dl.PA1()
    block = wanted.learn_block(TIDY, Y)
    assert np.array_equal(found.learn_block(MIXED, Y).scores, block.scores)
    assert dl.run(dl.PA1(), (MIXED, Y)).mistakes == dl.run(dl.PA1(), (TIDY, Y)).mistakes


def test_duplicates_are_added_up_in_pieces() -> None:
    double = sparse.csr_array(
        (np.repeat(MIXED.data / 2.0, 2), np.repeat(MIXED.indices, 2), MIXED.indptr * 2), shape=(ROWS, WIDTH)
    )
    wanted, found = dl.PA1(), dl.PA1()
    assert np.array_equal(found.learn_many(double, Y), wanted.learn_many(TIDY, Y))
    assert np.array_equal(found.score_many(double), wanted.score_many(TIDY))


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
