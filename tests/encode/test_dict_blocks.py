"""A list of dicts is its dicts one by one: the same rows, names, errors and bits, however it is converted."""

from __future__ import annotations

import math
from collections import OrderedDict
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from driftline.encode import dict_blocks
from driftline.encode.encoder import Encoder
from driftline.encode.faults import LONGEST
from tests.support.bitwise import assert_same, goes_on, refused, snapshot, twins

PLAIN = [1.5, -0.0, 2, True, False, 10**20, np.float64(0.5)]
names = st.sampled_from([*"abcdefgh", "a=x", "b=", "", 1, True, 2, -7])
odd_names = names | st.sampled_from([np.int64(2), np.str_("a"), None, "(bias)", ("a", 1), "\ud800"])
values = st.floats(-3.0, 3.0) | st.sampled_from([*PLAIN, "x", "", None, math.nan])
odd_values = values | st.sampled_from(
    [np.float32(0.1), np.int8(3), np.bool_(True), Decimal("0.1"), np.str_("x"), np.array(2.0), math.inf, 1e99,
     10**400, [1.0], b"1", np.ma.masked]
)  # fmt: skip


def alike(draw: st.DrawFn, value: st.SearchStrategy[Any]) -> list[Any]:
    """Dicts of the same names in the same order."""
    order = draw(st.lists(names, max_size=5, unique=True))
    rows = draw(st.lists(st.tuples(*[value] * len(order)), min_size=1, max_size=9))
    return [dict(zip(order, row, strict=True)) for row in rows]


@st.composite
def blocks(draw: st.DrawFn) -> list[Any]:
    kind = draw(st.sampled_from(["alike", "alike numbers", "mixed", "mixed numbers", "odd"]))
    number = st.floats(-3.0, 3.0) | st.sampled_from(PLAIN)
    if kind.startswith("alike"):
        return alike(draw, number if "numbers" in kind else values)
    if kind.startswith("mixed"):
        one = st.dictionaries(names, number if "numbers" in kind else values, max_size=5)
        return draw(st.lists(one, min_size=1, max_size=12))
    odd = st.dictionaries(odd_names, odd_values, max_size=4)
    rows = draw(st.lists(odd | st.dictionaries(names, values, max_size=4), min_size=1, max_size=9))
    if draw(st.booleans()):
        rows.insert(draw(st.integers(1, len(rows))), draw(st.sampled_from([3, None, "a", OrderedDict(a=1.0, b="x")])))
    return rows


def state(encoder: Encoder) -> str:
    kept = getattr(encoder.names, "kept", None)
    vocabulary = None if encoder.hashed else encoder.names.index
    return repr((vocabulary, None if kept is None else kept.index, encoder.named, encoder.width, encoder.features))


def outcome(encoder: Encoder, X: list[Any], learn: bool, size: int) -> Any:
    """The rows, or the error after which the encoder is as before. ``size``: of a block; 1 converts one by one."""
    before = state(encoder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dict_blocks, "BLOCK", size)
        try:
            rows = encoder.many(X, learn)
        except ValueError as error:
            encoder.undo()
            assert state(encoder) == before
            return str(error)
    assert rows.indptr.dtype == np.uint64 and rows.indices.dtype == np.uint32 and rows.values.dtype == np.float64
    return rows.indptr.tolist(), rows.indices.tolist(), rows.values.tobytes(), state(encoder)


HASHED = {"names": None, "hashed": dl.Hashing(2), "hashed, kept": dl.Hashing(2, keep_names=True)}


@pytest.mark.parametrize("hashing", HASHED)
@pytest.mark.parametrize("longest", [LONGEST, math.inf, None], ids=["limit", "unit", "missing"])
@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.lists(st.tuples(blocks(), st.booleans()), max_size=4))
def test_blocks_are_rows(hashing: str, longest: float | None, calls: list[Any]) -> None:
    many, each = (Encoder("PA1", HASHED[hashing], longest) for _ in range(2))
    for X, learn in calls:
        if isinstance(X[0], dict):
            assert outcome(many, X, learn, 5) == outcome(each, X, learn, 1)


OPTIONS = ({}, {"scale": "unit"}, {"scale": "standard"}, {"hashing": dl.Hashing(3)})


@pytest.mark.parametrize(
    "kind, options",
    [(dl.PA1, {"dtype": "float32"}), *[(kind, options) for kind in (dl.PA1, dl.AROW) for options in OPTIONS]],
    ids=str,
)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(blocks(), max_size=3))
def test_learn_many_is_a_loop_of_learn_one(kind: Any, options: dict[str, Any], calls: list[Any]) -> None:
    many, loop = kind(**options), kind(**options)
    for X in calls:
        y = [k % 2 for k in range(len(X))]
        before = snapshot(loop)
        try:
            scores = many.learn_many(X, y)
        except ValueError:
            assert_same(snapshot(many), before)
            return
        assert scores.tolist() == [loop.learn_one(x, label) for x, label in zip(X, y, strict=True)]
        assert_same(snapshot(many), snapshot(loop))
        assert many.score_many(X).tolist() == [loop.score_one(x) for x in X]


# the way that is taken ------------------------------------------------------------------------------------------------
def count_slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    slow: list[int] = []
    by_row = Encoder._row_by_row

    def counting(self: Encoder, X: Any, start: int, learn: bool) -> Any:
        slow.append(len(X))
        return by_row(self, X, start, learn)

    monkeypatch.setattr(Encoder, "_row_by_row", counting)
    return slow


ALL_AT_ONCE: dict[str, list[Any]] = {
    "alike": [{"a": 1.0, "b": float(k)} for k in range(9)],
    "other orders": [dict([("a", 1.0), ("b", 2.0), ("c", 0.5)][:: (-1) ** k]) for k in range(9)],
    "new names": [{f"f{k}": 1.0, "a": 2.0} for k in range(9)],
    "texts": [{"a": "xyz"[k % 3], "b": 1.0} for k in range(9)],
    "whole numbers and bools": [{"a": k, "b": k > 3} for k in range(9)],
    "missing": [{"a": None if k % 2 else 1.0, "b": math.nan if k % 3 else 2.0} for k in range(9)],
    "empty": [{}] * 9,
    "one name": [{"a": 1.0}, {}, {}, {}, {}],
    "ints as names": [{k: 1.0, -k - 1: 2.0} for k in range(9)],
    "wide": [{f"w{k}": 1.0 for k in range(200)}] * 9,
}


@pytest.mark.parametrize("options", [{}, {"hashing": dl.Hashing(4)}], ids=str)
@pytest.mark.parametrize("name", ALL_AT_ONCE)
def test_plain_dicts_are_converted_at_once(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    X = ALL_AT_ONCE[name]
    many, loop = dl.PA1(**options), dl.PA1(**options)
    slow = count_slow(monkeypatch)
    for _ in range(2):
        many.learn_many(X, [k % 2 for k in range(len(X))])
        many.score_many(X)
    assert not slow
    for _ in range(2):
        for k, x in enumerate(X):
            loop.learn_one(x, k % 2)
    assert_same(snapshot(many), snapshot(loop))


def test_an_odd_value_costs_its_block_only(monkeypatch: pytest.MonkeyPatch) -> None:
    X: list[dict[str, Any]] = [{"a": 1.0, "b": float(k)} for k in range(40)]
    X[13] = {"a": Decimal(1), "c": np.int64(2)}
    many, loop = dl.PA1(), dl.PA1()
    slow = count_slow(monkeypatch)
    monkeypatch.setattr(dict_blocks, "BLOCK", 10)
    many.learn_many(X, [k % 2 for k in range(40)])
    assert slow == [10]
    for k, x in enumerate(X):
        loop.learn_one(x, k % 2)
    assert_same(snapshot(many), snapshot(loop))


def test_a_missing_value_before_the_first_value_of_its_feature() -> None:
    """Learners that use missing values know a feature from its first value on, also within a block."""
    X = [{"a": 1.0, "b": None}, {"a": None, "b": 2.0}, {"a": math.nan, "b": None}, {"c": None, "a": 3.0}, {"a": 1.0}]
    encoder = Encoder("Tracker", None, None)
    rows = encoder.many(X, True)
    assert [rows.indices[int(i) : int(j)].tolist() for i, j in pairwise(rows.indptr)] == [[0], [0, 1], [0, 1], [0], [0]]
    assert np.isnan(rows.values).tolist() == [False, True, False, True, True, False, False]
    assert list(encoder.names.index) == ["a", "b"]


def test_errors_name_the_row_and_change_nothing() -> None:
    for bad, words in (
        ({"a": [1.0]}, "row 2500, feature 'a' must be a number, bool or string, got [1.0]"),
        ({"a": math.inf}, "row 2500, feature 'a' must be finite, got inf"),
        ({"new": 1.0, "a": 1e99}, "row 2500 must be shorter than 1e+60, got length 1e+99"),
        ({("a", 1): 1.0}, "row 2500, a feature's name must be a str or int, got ('a', 1)"),
        ({"a": 1.0, "(bias)": 2.0}, "row 2500, a feature's name must not be the bias feature's, got '(bias)'"),
        ({"(bias)": "x"}, "row 2500, a feature's name must not be the bias feature's"),
        (3, "row 2500 must be a dict like the first row, got 3"),
    ):
        learner, twin = twins(dl.PA1, lambda q: q.learn_many([{"a": 1.0}, {"b": 2.0}], [0, 1]))
        X: list[Any] = [{"a": 1.0, f"f{k % 7}": "x"} for k in range(3000)]
        X[2500] = bad
        with refused(learner, words):
            learner.learn_many(X, [k % 2 for k in range(3000)])
        goes_on(learner, twin, lambda q: q.learn_many([{"a": 1.0, "f3": "x"}] * 5, [0, 1, 0, 1, 1]))
