"""The contract of every linear learner, for every kind of input and option.

Blocks equal loops bit for bit, scoring changes nothing, inputs are not modified, copies go on
exactly, and nothing is compiled twice.
"""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

import driftline as dl
from driftline.encode import Standard
from tests.support.bitwise import loaded_for_reading
from tests.support.linear_cases import WEIGHTS, Case, one_of_each, stream

ROWS = 60
DATA = stream(31, rounds=ROWS, n=5, density=0.7, weights=WEIGHTS)
X, Y, W = DATA.X, DATA.y, DATA.w
NUMBERS = dict(zip("abcde", X.T, strict=True))
MIXED = NUMBERS | {"colour": np.where(X[:, 0] > 0.3, "red", "blue"), "wet": X[:, 1] > 0.0}
RECORDS = [{name: column[i].item() for name, column in MIXED.items() if column[i]} for i in range(ROWS)]


def disordered() -> csr_matrix:
    """Every row backwards, its first entry in two halves."""
    indices = [np.append(np.arange(5)[::-1], 0) for _ in X]
    values = [np.append(x[::-1], 0.5 * x[0]) * [1.0, 1.0, 1.0, 1.0, 0.5, 1.0] for x in X]
    return csr_matrix((np.concatenate(values), np.concatenate(indices), np.arange(0, 6 * ROWS + 1, 6)), shape=X.shape)


# what a learner may be fed, and how one row is taken from it
KINDS: dict[str, tuple[Any, Callable[[Any, int], Any]]] = {
    "dense": (X, lambda A, i: A[i]),
    "columns first": (np.asfortranarray(X), lambda A, i: A[i]),
    "single precision": (X.astype(np.float32), lambda A, i: A[i]),
    "whole numbers": (np.rint(4.0 * X).astype(np.int16), lambda A, i: A[i].tolist()),
    "lists": (X.tolist(), lambda A, i: A[i]),
    "csr": (csr_matrix(X), lambda A, i: A[i]),
    "csr array": (csr_array(X), lambda A, i: A[i]),
    "csr, disordered": (disordered(), lambda A, i: A[i]),
    "dicts": (RECORDS, lambda A, i: A[i]),
    "pandas": (pd.DataFrame(NUMBERS), lambda A, i: A.iloc[i]),
    "pandas, mixed": (pd.DataFrame(MIXED), lambda A, i: A.iloc[i].to_dict()),
    "polars": (pl.DataFrame(NUMBERS), lambda A, i: A.row(i, named=True)),
    "polars, mixed": (pl.DataFrame(MIXED), lambda A, i: A.row(i, named=True)),
    "arrow": (pa.table(NUMBERS), lambda A, i: A.slice(i, 1).to_pylist()[0]),
    "arrow, mixed": (pa.table(MIXED), lambda A, i: A.slice(i, 1).to_pylist()[0]),
}
ONES = {kind: [one(A, i) for i in range(ROWS)] for kind, (A, one) in KINDS.items()}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no bias": {"bias": False},
    "unit": {"scale": "unit"},
    "standard": {"scale": "standard"},
    "single": {"dtype": "float32"},
    "hashed": {"hashing": dl.Hashing(4)},
    "hashed, standard": {"hashing": dl.Hashing(4), "scale": "standard"},
}
every_learner = pytest.mark.parametrize("case", one_of_each(), ids=str)
every_kind = pytest.mark.parametrize("kind", KINDS)
every_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
two_kinds = pytest.mark.parametrize("kind", ["dense", "dicts"])
splits = given(st.lists(st.integers(0, ROWS), max_size=6).map(lambda cuts: [0, *sorted(cuts), ROWS]))


def part(kind: str, start: int, stop: int) -> Any:
    A, _ = KINDS[kind]
    return A.slice(start, stop - start) if isinstance(A, pa.Table) else A[start:stop]


def arrays_of(learner: dl.Learner) -> dict[str, np.ndarray]:
    """Everything learned."""
    arrays = dict(learner._engine.arrays())
    if isinstance(learner._scaler, Standard):
        arrays |= {"moments": learner._scaler.moments, "seen": np.array([learner._scaler.seen])}
    return arrays


def assert_same_bits(first: dl.Learner, other: dl.Learner) -> None:
    """Equal to the last bit; only the room for features yet to come may differ."""
    mine, theirs = arrays_of(first), arrays_of(other)
    assert mine.keys() == theirs.keys()
    for name in mine:
        common = min(mine[name].shape[-1], theirs[name].shape[-1])
        assert mine[name][..., :common].tobytes() == theirs[name][..., :common].tobytes(), name
        assert not mine[name][..., common:].any()
        assert not theirs[name][..., common:].any()
    assert list(first.weights().items()) == list(other.weights().items())
    assert (first.labels, first.n_features) == (other.labels, other.n_features)


def by_loop(learner: dl.Learner, kind: str, start: int = 0, stop: int = ROWS) -> list[float]:
    return [learner.learn_one(ONES[kind][i], Y[i], W[i]) for i in range(start, stop)]


def assert_any_split_is_the_loop(case: Case, kind: str, cuts: list[int], **options: Any) -> None:
    one, many = case.learner(**options), case.learner(**options)
    scores = by_loop(one, kind)
    blocks = [many.learn_many(part(kind, i, j), Y[i:j], W[i:j]) for i, j in pairwise(cuts)]
    assert np.concatenate(blocks).tolist() == scores
    assert_same_bits(one, many)


@every_learner
@every_kind
@settings(derandomize=True, deadline=None, max_examples=3)
@splits
def test_any_split_into_blocks_is_the_loop(case: Case, kind: str, cuts: list[int]) -> None:
    assert_any_split_is_the_loop(case, kind, cuts)


@every_learner
@every_option
@two_kinds
@settings(derandomize=True, deadline=None, max_examples=2)
@splits
def test_any_split_is_the_loop_with_options(case: Case, options: Any, kind: str, cuts: list[int]) -> None:
    assert_any_split_is_the_loop(case, kind, cuts, **options)


@every_learner
@every_option
@two_kinds
def test_scoring_changes_nothing(case: Case, options: Any, kind: str) -> None:
    learner = case.learner(**options)
    for start, stop in ((0, 0), (0, 30)):  # also before anything was learned
        by_loop(learner, kind, start, stop)
        before = copy.deepcopy(learner)
        many = learner.score_many(KINDS[kind][0])
        assert [learner.score_one(x) for x in ONES[kind]] == many.tolist()
        if learner.labels:
            assert [learner.predict_one(x) for x in ONES[kind]] == learner.predict_many(KINDS[kind][0]).tolist()
        assert_same_bits(learner, before)


@every_learner
@every_option
@two_kinds
def test_learning_returns_the_score_before_it(case: Case, options: Any, kind: str) -> None:
    learner = case.learner(**options)
    for i, x in enumerate(ONES[kind]):
        score = learner.score_one(x)
        assert learner.learn_one(x, Y[i]) == pytest.approx(score, rel=1e-12, abs=1e-12)
    trials = case.learner(**options).test_then_train(KINDS[kind][0], Y)
    again = case.learner(**options)
    assert trials.scores.tolist() == again.learn_many(KINDS[kind][0], Y).tolist()
    assert (trials.updated.sum(), trials.infeasible.sum()) == (again.updates, again.infeasible)
    assert trials.y.tolist() == Y.tolist()


@every_kind
@every_option
def test_inputs_are_left_alone(kind: str, options: Any) -> None:
    A, y, w = copy.deepcopy(KINDS[kind][0]), Y.copy(), W.copy()
    ones = copy.deepcopy(ONES[kind])
    learner = dl.PA(**options)
    learner.learn_many(A, y, w)
    learner.score_many(A)
    for x in ones:
        learner.learn_one(x, 1.0)
        learner.score_one(x)
    assert pickle.dumps((A, ones)) == pickle.dumps((copy.deepcopy(KINDS[kind][0]), copy.deepcopy(ONES[kind])))
    assert (y.tobytes(), w.tobytes()) == (Y.tobytes(), W.tobytes())


@every_learner
@every_option
@two_kinds
def test_copies_resume_exactly(case: Case, options: Any, kind: str) -> None:
    learner = case.learner(**options)
    by_loop(learner, kind, 0, 30)
    halfway = pickle.dumps(learner)
    copies = [
        copy.deepcopy(learner),
        pickle.loads(halfway),
        copy.copy(pickle.loads(halfway)),
        loaded_for_reading(learner),
    ]
    scores = by_loop(learner, kind, 30, 60)
    for other in copies:
        assert_same_bits(other, pickle.loads(halfway))
        assert other.learn_many(part(kind, 30, 60), Y[30:], W[30:]).tolist() == scores
        assert_same_bits(learner, other)


def compiled() -> dict[str, int]:
    """How often each compiled function was compiled."""
    return {
        f"{module}.{name}": len(value.signatures)
        for module in list(sys.modules)
        if module.startswith("driftline")
        for name, value in vars(sys.modules[module]).items()
        if hasattr(value, "signatures") and not isinstance(value, type)
    }


@every_learner
@every_option
def test_a_second_call_compiles_nothing(case: Case, options: Any) -> None:
    for A in (X, csr_matrix(X)):  # a dense call, a sparse call and single dicts compile all that there is
        learner = case.learner(**options)
        learner.learn_many(A, Y, W)
        learner.score_many(A)
    learner = case.learner(**options)
    for y in (Y[0], -Y[0], Y[0]):
        learner.learn_one({"a": 1.0}, y)
        learner.score_one({"a": 1.0})
    before = compiled()
    assert sum(before.values()) >= 4
    for kind in KINDS:
        learner = case.learner(**options)
        by_loop(learner, kind, 0, 5)
        learner.learn_many(part(kind, 5, 40), Y[5:40])
        learner.score_one(ONES[kind][0])
        learner.score_many(part(kind, 0, 1))
    assert compiled() == before
