"""The limits of lengths, of float32 weights and of hashed names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import driftline as dl
from driftline.encode.arrays import plain
from tests.support.bitwise import REGISTRY, assert_same, goes_on, refused, snapshot, twins

KINDS = ("dicts", "dense", "csr")


def as_kind(kind: str, X: np.ndarray) -> Any:
    if kind == "dicts":
        return [{f"f{k}": float(v) for k, v in enumerate(row)} for row in X]
    return X if kind == "dense" else sparse.csr_matrix(X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype, longest", [("float64", 1e60), ("float32", 1e15)])
@pytest.mark.parametrize("name", REGISTRY)
def test_the_longest_example(name: str, kind: str, dtype: Any, longest: float) -> None:
    good = as_kind(kind, np.array([[0.6, 0.79], [-0.79, 0.6]]) * longest)
    bad = as_kind(kind, np.array([[0.7, 0.7], [0.6, 0.9]]) * longest)
    learner, twin = twins(lambda: dl.REGISTRY[name](dtype=dtype), lambda q: q.learn_many(good, [0, 1]))
    assert all(math.isfinite(weight) for weight in learner.weights().values())
    with refused(learner, f"row 1 must be shorter than {longest:g}, got length 1.08", "scale='unit'"):
        learner.learn_many(bad, [0, 1])
    with refused(learner, f"must be shorter than {longest:g}"):
        learner.learn_one(bad[1], 1)
    with refused(learner, f"row 1 must be shorter than {longest:g}"):
        learner.score_many(bad)
    goes_on(learner, twin, lambda q: q.learn_many(good, [0, 1]))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 2**32), st.integers(1, 300), st.floats(-12, -6), st.booleans(), st.sampled_from(KINDS))
def test_at_the_limit_a_block_is_learned_or_refused_as_a_whole(
    seed: int, width: int, exponent: float, above: bool, kind: str
) -> None:
    """Rows so near to the limit that other orders of summation would disagree."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5, width))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X[3] *= 1e60 * (1 + 10.0**exponent * (1 if above else -1))
    for learner in (dl.PA1(), dl.ALMA(p=3.0), dl.L1PA()):
        before = snapshot(learner)
        try:
            learner.learn_many(as_kind(kind, X), [0, 1, 0, 1, 0])
            assert learner.n_seen == 5
        except ValueError as error:
            assert "row 3 must be shorter than 1e+60" in str(error)
            assert_same(before, snapshot(learner))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-20, 1e20, 1e200, 1.7e308])
def test_unit_scale_takes_any_length(kind: str, size: float) -> None:
    X = np.array([[1.0, -0.25], [0.5, 1.0], [0.0, 1.0]])
    plain, other = dl.PA1(scale="unit"), dl.PA1(scale="unit")
    near = 1e-3 if size < 1e-300 else 1e-12  # below 1e-308 floats have few digits
    a, b = plain.learn_many(as_kind(kind, X), [0, 1, 0]), other.learn_many(as_kind(kind, X * size), [0, 1, 0])
    assert np.allclose(a, b, rtol=near, atol=near)
    row = as_kind(kind, X[1:2] * size)
    assert other.score_one(row[0] if kind != "csr" else row) == pytest.approx(
        plain.score_many(as_kind(kind, X))[1], rel=near
    )


@pytest.mark.parametrize("scale", [None, "unit", "standard"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REGISTRY)
def test_examples_too_short_to_matter(name: str, kind: str, scale: Any) -> None:
    learner = dl.REGISTRY[name](scale=scale)
    X = np.array([[1e-200, -1e-200], [0.0, 0.0], [5e-324, 1e-320], [1e-160, 2e-160], [1.0, 2.0]])
    scores = learner.learn_many(as_kind(kind, X), [0, 1, 0, 1, 1])
    assert np.isfinite(scores).all()
    assert all(math.isfinite(weight) for weight in learner.weights().values())


def test_score_one_looks_at_lengths_where_they_show() -> None:
    learner = dl.PA1()
    learner.learn_one({"a": 1.0}, 1)
    with refused(learner, "an example must be shorter than 1e+60, got length 1e+200 (feature 'a' is 1e+200)"):
        learner.score_one({"a": 1e200})
    with refused(learner, "an example must be shorter than 1e+60"):
        learner.score_one({"a": 1e308, "b": 1e308})


def test_weights_that_have_overflowed_are_not_blamed_on_the_example() -> None:
    learner = dl.Perceptron()
    learner.learn_one({"a": 1.0}, 1)
    learner._engine.v[:] = np.nan
    with refused(learner, "a score must be finite, got weights that have overflowed. Take smaller parameters"):
        learner.score_one({"a": 1.0})
    with refused(learner, "a score must be finite"):
        learner.score_many([{"a": 1.0}])


# hashing --------------------------------------------------------------------------------------------------------------
NAMES = [
    0,
    1,
    -1,
    2**31,
    2**32,
    -(2**63),
    2**63,
    2**64 - 1,
    2**64,
    10**30,
    -(10**30),
    True,
    "",
    "a",
    "é",
    "\ud800",
    "a" * 10**5,
]


@pytest.mark.parametrize("bits", [1, 8, 18, np.int64(20)])
def test_every_name_has_a_place(bits: Any) -> None:
    hashing = dl.Hashing(bits)
    for name in NAMES:
        assert 0 <= hashing.add(name) < 2 ** int(bits)
        assert hashing.add(name) == dl.Hashing(bits).add(name)


@pytest.mark.parametrize("bits", [0, 31, -1, 64, 2**70, 8.0, 8.5, "8", None, True, [8], np.float64(8)])
def test_bad_bits(bits: Any) -> None:
    with pytest.raises(ValueError, match=r"^Hashing: bits must be a whole number from 1 to 30, got "):
        dl.Hashing(bits)


def test_a_column_and_the_name_of_its_number_are_one() -> None:
    columns, named = (dl.PA1(hashing=dl.Hashing(10)) for _ in range(2))
    rows = [(5, 1.0), (2**31 + 7, 2.0), (2**40, -1.0), (2**62, 3.0)]
    for k, (column, value) in enumerate(rows):
        wide = sparse.csr_matrix(([value], ([0], [column])), shape=(1, 2**62 + 1))
        assert columns.learn_many(wide, [k % 2]) == named.learn_one({column: value}, k % 2)
    assert_same(snapshot(columns), snapshot(named))


def test_what_falls_together_is_added_up() -> None:
    dense, rows, named = (dl.PA1(hashing=dl.Hashing(1)) for _ in range(3))
    X = np.random.default_rng(0).integers(-3, 4, size=(20, 9)).astype(float)
    y = np.arange(20) % 2
    scores = dense.learn_many(X, y)
    assert np.allclose(scores, rows.learn_many(sparse.csr_matrix(X), y))
    assert np.allclose(scores, named.learn_many([dict(enumerate(row)) for row in X.tolist()], y))
    assert len(dense._engine.v) < 20


def test_weights_that_do_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    learner, twin = twins(dl.PA1, None)

    def reserve(features: int) -> None:
        if features > 0:
            raise MemoryError

    monkeypatch.setattr(learner._engine, "reserve", reserve)
    for call in (
        lambda: learner.learn_many(sparse.csr_matrix((1, 2**31)), [1]),
        lambda: learner.learn_one({"a": 1.0}, 1),
    ):
        with refused(learner, "the weights must fit into memory, got", "Set hashing=Hashing()"):
            call()
    monkeypatch.undo()
    goes_on(learner, twin, lambda q: q.learn_many(np.eye(2), [0, 1]))


def test_read_only_arrays_are_read_in_place() -> None:
    array = np.arange(6.0).reshape(2, 3)
    array.setflags(write=False)
    read = plain(array)
    assert read.flags.writeable and np.shares_memory(read, array)
    assert plain(read) is read
