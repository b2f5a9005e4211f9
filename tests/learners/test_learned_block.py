"""The record of a learned block: the same rounds as one by one, with the rows and votes only if
they are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import driftline as dl
from driftline.internals.rows import DenseRows, SparseRows
from tests.support.bitwise import assert_same, snapshot
from tests.support.learner_cases import OTHERS, Other, examples

RNG = np.random.default_rng(8)
X = RNG.normal(size=(20_000, 6)) * (RNG.random((20_000, 6)) < 0.8)
Y = np.where(X @ RNG.normal(size=6) > 0.0, 1.0, -1.0)
W = RNG.choice([0.0, 0.5, 1.0, 2.0], len(Y))
ROUNDS = ("y", "scores", "events", "mistaken", "wrong", "updated", "infeasible", "asked")


@pytest.mark.parametrize("case", OTHERS, ids=str)
def test_what_is_kept_changes_nothing(case: Other) -> None:
    rows, y = examples(case.feed)
    plain, kept = case.learner(), case.learner()
    first = plain.learn_block(rows, y)
    second = kept.learn_block(rows, y, keep_rows=True, keep_votes=True)
    for name in ROUNDS:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.rows == () and first.votes.size == 0 and len(second.rows) == 1
    assert_same(snapshot(plain), snapshot(kept))


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix], ids=["dense", "CSR"])
@pytest.mark.parametrize("weights", [None, W], ids=["unweighted", "weighted"])
def test_a_large_block_has_the_record_of_small_ones(make: Any, weights: np.ndarray | None) -> None:
    whole, pieces = dl.L2PA(beta=0.3), dl.L2PA(beta=0.3)
    learned = whole.learn_block(make(X), Y, weights)
    some = [
        pieces.learn_block(make(X[i : i + 100]), Y[i : i + 100], None if weights is None else weights[i : i + 100])
        for i in range(0, len(Y), 100)
    ]
    assert len(learned) == len(Y) and learned.infeasible.any()
    for name in ROUNDS:
        np.testing.assert_array_equal(getattr(learned, name), np.concatenate([getattr(one, name) for one in some]))
    assert (learned.weights is None) == (weights is None)
    if weights is not None:
        np.testing.assert_array_equal(learned.weights, weights)


def test_the_record_does_not_share_the_labels_of_the_caller() -> None:
    y = Y.copy()
    learned = dl.PA1().learn_block(X, y)
    y[:] = 0.0
    np.testing.assert_array_equal(learned.y, Y)


def test_rows_are_kept_as_the_engine_saw_them() -> None:
    unit = dl.PA1(scale="unit", bias=False).learn_block(X[:50], Y[:50], keep_rows=True)
    (rows,) = unit.rows
    assert isinstance(rows, DenseRows)
    np.testing.assert_allclose(np.linalg.norm(rows.X, axis=1), 1.0)
    named = dl.PA1().learn_block([{"a": 2.0}, {"b": 3.0, "a": 1.0}], [1, 0], keep_rows=True)
    (rows,) = named.rows
    assert isinstance(rows, SparseRows)
    assert rows.indices.tolist() == [0, 1, 0] and rows.values.tolist() == [2.0, 3.0, 1.0]
    waves = dl.PA1(scale=dl.RandomFourier(2000)).learn_block(X[:5000], Y[:5000], keep_rows=True)
    assert len(waves.rows) > 1 and sum(len(one.X) for one in waves.rows if isinstance(one, DenseRows)) == 5000


def test_only_learners_with_experts_have_votes() -> None:
    assert dl.PA1().learn_block(X[:50], Y[:50], keep_votes=True).votes.size == 0
    votes = dl.Tracker().learn_block(X[:50], Y[:50], keep_votes=True).votes
    assert len(votes) == 50 and set(np.unique(votes)) <= {-1, 0, 1}


def test_a_bank_records_every_column() -> None:
    bank = dl.Bank(["pa1(C=0.1)", "arow", "perceptron"])
    each = bank.test_then_train_each(X[:1300], Y[:1300])
    for learned, alone in zip(each, (dl.PA1(0.1), dl.AROW(), dl.Perceptron()), strict=True):
        expected = alone.test_then_train(X[:1300], Y[:1300])
        for name in ROUNDS:
            np.testing.assert_array_equal(getattr(learned, name), getattr(expected, name))
    assert [len(one) for one in bank.test_then_train_each(X[:0], Y[:0])] == [0, 0, 0]
