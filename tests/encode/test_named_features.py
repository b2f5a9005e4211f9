"""Dicts, Series and frames as examples; invalid names and numbers are refused with their place."""

from __future__ import annotations

import datetime
import math
from collections import Counter, OrderedDict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from tests.support.bitwise import assert_same, goes_on, refused, snapshot, twins

ROWS = [{"a": 1.0, "b": 2.0}, {"a": -1.0, "c": "red"}, {"b": 0.5, "d": True}]
Y = [1, 0, 1]


def learner_of_names(**options: Any) -> dl.Learner:
    learner = dl.PA1(**options)
    learner.learn_many(ROWS, Y)
    return learner


# values and names -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value",
    [2, True, np.float64(2), np.float32(2), np.float16(2), np.longdouble(2), np.int8(2), np.uint64(2), np.bool_(True),
     np.array(2.0), Decimal("2"), Fraction(4, 2)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"hashing": dl.Hashing(4)}], ids=str)
def test_any_real_number_is_a_value(value: Any, options: dict[str, Any]) -> None:
    for make in (lambda: dl.PA1(**options), lambda: learner_of_names(**options)):
        plain, other = make(), make()
        for y in (1, 0, 1):
            assert plain.learn_one({"a": float(value), "b": 1.0}, y) == other.learn_one({"a": value, "b": 1.0}, y)
        assert plain.score_one({"a": float(value)}) == other.score_one({"a": value})
        assert_same(snapshot(plain), snapshot(other))


NOT_A_NUMBER = "feature 'a' must be a number, bool or string, got"
BAD_VALUES: dict[str, tuple[Any, str]] = {
    "bytes": (b"1", f"{NOT_A_NUMBER} b'1'. Pass None for a missing value"),
    "complex": (1j, f"{NOT_A_NUMBER} 1j"),
    "numpy complex": (np.complex128(1), f"{NOT_A_NUMBER} np.complex128(1+0j)"),
    "list": ([1.0], f"{NOT_A_NUMBER} [1.0]"),
    "array": (np.ones(1), f"{NOT_A_NUMBER} an array of shape (1,)"),
    "dict": ({}, f"{NOT_A_NUMBER} {{}}"),
    "date": (datetime.date(2020, 1, 1), f"{NOT_A_NUMBER} datetime.date(2020, 1, 1)"),
    "datetime64": (np.datetime64("2020"), f"{NOT_A_NUMBER} np.datetime64('2020')"),
    "timedelta64": (np.timedelta64(1, "s"), f"{NOT_A_NUMBER} np.timedelta64(1,'s')"),
    "signalling nan": (Decimal("sNaN"), f"{NOT_A_NUMBER} Decimal('sNaN')"),
    "infinity": (-math.inf, "feature 'a' must be finite, got -inf. Clip it, or pass None in a dict if it is missing"),
    "huge int": (10**400, "feature 'a' must be finite, got inf"),
    "huge long double": (np.longdouble("1e400"), "feature 'a' must be finite, got inf"),
    "huge float": (1e200, "must be shorter than 1e+60, got length 1e+200 (feature 'a' is 1e+200). Scale the features"),
}


@pytest.mark.parametrize("options", [{}, {"scale": "standard"}, {"hashing": dl.Hashing(4)}], ids=str)
@pytest.mark.parametrize("name", BAD_VALUES)
def test_a_bad_value_in_a_dict(name: str, options: dict[str, Any]) -> None:
    value, words = BAD_VALUES[name]
    for make in (lambda: dl.PA1(**options), lambda: learner_of_names(**options)):
        for bad in ({"a": value, "b": 1.0}, {"new": 1.0, "a": value}, {"b": "blue", "a": value}):
            learner, twin = twins(make, None)
            with refused(learner, words):
                learner.learn_one(bad, 1)
            with refused(learner, words.replace("an example", "row 2")):
                learner.learn_many([*ROWS[:2], bad], Y)
            if name != "huge float":
                with refused(learner, words):
                    learner.score_one(bad)
            goes_on(learner, twin, lambda q: q.learn_many(ROWS, Y))


@pytest.mark.parametrize(
    "name", [("a", 1), None, 1.5, b"a", math.nan, frozenset("a"), pd.NA, datetime.date(2020, 1, 1)]
)
@pytest.mark.parametrize("options", [{}, {"hashing": dl.Hashing(4)}], ids=str)
def test_what_is_no_name(name: Any, options: dict[str, Any]) -> None:
    learner, twin = twins(lambda: learner_of_names(**options), None)
    for call in (learner.learn_one, lambda x, y: learner.learn_many([ROWS[0], x], [1, y])):
        with refused(learner, f"a feature's name must be a str or int, got {name!r}. Use str(name)"):
            call({"a": 1.0, name: 1.0}, 1)
    goes_on(learner, twin, lambda q: q.learn_many(ROWS, Y))


def test_names_that_are_equal_are_one_name() -> None:
    learner = dl.PA1(bias=False)
    for name in (1, True, np.int64(1), np.uint8(1)):
        learner.learn_one({name: 1.0, -5: 1.0, 2**70: 1.0}, 1)
        learner.learn_one({name: 1.0}, 0)
    assert learner.n_features == 3
    assert set(learner.weights()) <= {1, -5, 2**70}


def test_a_string_is_a_feature_of_its_own() -> None:
    learner = dl.PA1(bias=False)
    learner.learn_many(
        [{"a": 2.0}, {"a": "red"}, {"a": np.str_("3.5")}, {"a=red": 1.0, "a": "red"}, {"a": ""}], [1, 0, 1, 0, 1]
    )
    assert list(learner._encoder.names.index) == ["a", "a=red", "a=3.5", "a="]
    assert learner.score_one({"a=red": 1.0}) == learner.score_one({"a": "red"})


def test_every_mapping_is_a_dict() -> None:
    plain, other = dl.PA1(), dl.PA1()
    for kind in (dict, OrderedDict, Counter, pd.Series):
        x = {"a": 2, "b": 1, "c": 3}
        assert plain.learn_one(x, 1) == other.learn_one(kind(x), 1)
        assert plain.learn_one(x, 0) == other.learn_one(kind(x), 0)
    assert_same(snapshot(plain), snapshot(other))
    with refused(other, "a Series must have different names, got 'a' twice. Rename"):
        other.learn_one(pd.Series([1.0, 2.0], index=["a", "a"]), 1)


def test_a_list_of_dicts_has_only_dicts() -> None:
    for bad in (3, None, [1.0], "a", ("a", 1.0), np.ones(2)):
        learner, twin = twins(learner_of_names, None)
        with refused(learner, "row 1 must be a dict like the first row, got", "Pass rows of one kind"):
            learner.learn_many([{"new": 1.0}, bad, {}], Y)
        goes_on(learner, twin, lambda q: q.learn_many(ROWS, Y))


def test_names_and_columns_do_not_mix() -> None:
    named, columns = learner_of_names(), dl.PA1()
    columns.learn_many(np.eye(3), Y)
    for x in (np.ones(3), [1.0, 2.0, 3.0]):
        with refused(
            named, "examples must be dicts or frames as before, got columns. Use one kind of input, or set hashing"
        ):
            named.learn_one(x, 1)
    for x in ({}, {"a": 1.0}, {"new": 1.0}, pd.Series({"a": 1.0})):
        for call in (lambda x=x: columns.learn_one(x, 1), lambda x=x: columns.score_one(x)):
            with refused(columns, "examples must be arrays or sparse rows as before, got named features. Use"):
                call()
    both = dl.PA1(hashing=dl.Hashing(6))
    both.learn_many(np.eye(3), Y)
    both.learn_one({0: 1.0, "a": 2.0}, 1)
    assert both.n_seen == 4


def test_scoring_an_empty_example_decides_nothing() -> None:
    learner, twin = twins(dl.PA1, lambda q: q.score_one({}))
    goes_on(learner, twin, lambda q: q.learn_many(np.eye(3), Y))
    with refused(learner, "examples must be arrays or sparse rows as before"):
        learner.learn_one({}, 1)
    fresh = dl.PA1()
    with refused(fresh, "a sample weight must be >= 0"):
        fresh.learn_one({}, 1, -1.0)
    assert fresh.learn_one({}, 1) == 0.0
    assert fresh._encoder.named is True


pool = st.sampled_from(["a", "b", "c", "d", "e", "f", 1, 2, True, "a=x"])
values = st.one_of(
    *[st.floats(-3, 3)] * 6, st.integers(-3, 3), st.booleans(), st.sampled_from(["x", math.nan, None, 1e99])
)
steps = st.tuples(
    st.dictionaries(pool, values, max_size=5), st.sampled_from([0, 1, None]), st.sampled_from([1.0] * 4 + [-1.0])
)


@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"hashing": dl.Hashing(3)}, {"dtype": "float32"}], ids=str)
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(steps, max_size=12))
def test_the_short_way_for_dicts_is_the_long_way(options: dict[str, Any], stream: list[Any]) -> None:
    """A dict has short ways of its own; any other mapping goes the long way. A label of None is a call to score."""

    def outcome(learner: dl.Learner, x: Any, y: Any, w: float) -> float:
        try:
            return learner.score_one(x) if y is None else learner.learn_one(x, y, w)
        except ValueError:
            return 1e300

    short, long = dl.PA2(**options), dl.PA2(**options)
    for x, y, w in stream:
        if y is None and 1e99 in x.values():
            continue  # the score of one dict is not looked at for length, unless it is huge itself
        assert outcome(short, x, y, w) == pytest.approx(outcome(long, OrderedDict(x), y, w), rel=1e-12, abs=1e-12)
        assert_same(snapshot(short), snapshot(long))


def test_very_long_rows() -> None:
    wide = {f"f{k}": 0.001 for k in range(100_000)}
    learner = dl.PA1()
    learner.learn_one(wide, 1)
    assert learner.score_one(wide) == pytest.approx(1.0)
    wide["f77777"] = math.inf
    with refused(learner, "feature 'f77777' must be finite, got inf"):
        learner.learn_one(wide, 0)


# frames ---------------------------------------------------------------------------------------------------------------
F = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1, 0, 1], "c": [True, False, True]})
TIMES = pd.date_range("2020", periods=3)
NO_COLUMN = "column 't' must hold numbers, bools or strings, got an array of shape (3,) and dtype"
READ = "Turn it into numbers, or read the frame with driftline.streams.read(frame, time='t')"
NOTHING = "row 0, feature 't' must be a number, bool or string"
TWICE = "a frame's columns must have different names, got 'a' twice. Rename one of them"
BAD_FRAMES: dict[str, tuple[Any, str]] = {
    "infinity": (F.assign(a=[1, 2, np.inf]), "row 2, column 'a' must be finite, got inf. Clip it"),
    "infinity next to nan": (
        F.assign(a=[1, np.nan, np.nan], b=[1, np.nan, -np.inf]),
        "row 2, column 'b' must be finite, got -inf",
    ),
    "infinity next to text": (
        F.assign(a=[1, 2, np.nan], b=[1, 2, np.inf], t=["x", None, "y"]),
        "row 2, feature 'b' must be finite, got inf",
    ),
    "long": (F.assign(a=[1, 1e99, 3]), "row 1 must be shorter than 1e+60, got length 1e+99 (column 'a' is 1e+99)"),
    "twice": (pd.DataFrame(np.eye(3), columns=["a", "b", "a"]), TWICE),
    "times": (F.assign(t=TIMES), f"{NO_COLUMN} datetime64"),
    "missing times": (F.assign(t=[TIMES[0], pd.NaT, TIMES[1]]), ". " + READ),
    "durations": (F.assign(t=TIMES - TIMES[0]), f"{NO_COLUMN} timedelta64"),
    "times with zone": (F.assign(t=TIMES.tz_localize("UTC")), f"{NO_COLUMN} object. {READ}"),
    "complex": (F.assign(t=[1j, 2, 3]), f"{NO_COLUMN} complex128. Turn it into numbers, or drop it"),
    "bytes": (F.assign(t=[b"x", b"y", b"z"]), f"{NOTHING}, got b'x'"),
    "lists": (F.assign(t=[[1], [2], [3]]), f"{NOTHING}, got [1]"),
    "tuple names": (pd.DataFrame({("a", 1): [1.0]}), "a feature's name must be a str or int, got ('a', 1)"),
    "float names": (pd.DataFrame(np.eye(3), columns=[0.5, 1.5, 2.5]), "a feature's name must be a str or int, got 0.5"),
    "polars times": (pl.DataFrame({"t": TIMES.to_numpy()}), ". " + READ),
    "polars arrays": (
        pl.DataFrame({"t": pl.Series([[1, 2]] * 3, dtype=pl.Array(pl.Int64, 2))}),
        "column 't' must hold",
    ),
    "polars lists": (pl.DataFrame({"t": [[1], [2], [3]]}), NOTHING),
    "arrow times": (pa.table({"t": pa.array([1, 2, 3], pa.timestamp("s"))}), f"{NO_COLUMN} datetime64[s]. {READ}"),
    "arrow structs": (pa.table({"t": [{"x": 1}] * 3}), "feature 't' must be a number, bool or string, got {'x': 1}"),
    "arrow twice": (pa.table([pa.array([1, 2, 3])] * 2, names=["a", "a"]), TWICE),
}


@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"hashing": dl.Hashing(4)}], ids=str)
@pytest.mark.parametrize("name", BAD_FRAMES)
def test_a_bad_frame(name: str, options: dict[str, Any]) -> None:
    frame, words = BAD_FRAMES[name]
    if name == "long" and "scale" in options:
        return
    for make in (lambda: dl.PA1(**options), lambda: learner_of_names(**options)):
        learner, twin = twins(make, None)
        with refused(learner, words):
            learner.learn_many(frame, Y[: len(frame)])
        with refused(learner, words):
            learner.score_many(frame)
        goes_on(learner, twin, lambda q: q.learn_many(ROWS, Y))


def test_a_column_that_cannot_be_read() -> None:
    class Frame(pd.DataFrame):  # type: ignore[misc]
        def __getitem__(self, name: Any) -> Any:
            raise NotImplementedError("no such type")

    with refused(learner := dl.PA1(), "column 'a' must hold numbers, bools or strings, got no such type. Turn"):
        learner.learn_many(Frame({"a": [1.0]}), [1])


FRAMES: dict[str, Any] = {
    "numbers": F,
    "read-only": pd.DataFrame(F.to_numpy(dtype=float), columns=list("abc")),
    "nullable": F.astype({"b": "Int64", "c": "boolean", "a": "Float64"}),
    "sparse": F.astype(pd.SparseDtype("float64")),
    "text": F.assign(t=["x", "y", "x"]),
    "categories": F.assign(t=pd.Categorical(["x", "y", "x"])),
    "no columns": F[[]],
    "no rows": F[:0],
    "no rows of text": F.assign(t=["x", "y", "x"])[:0],
    "whole-number names": pd.DataFrame(np.eye(3)),
    "polars": pl.DataFrame({"a": [1.0, 2.0, 3.0], "t": ["x", "y", "x"]}),
    "polars decimals": pl.DataFrame({"a": [Decimal("1.5"), Decimal("2.5"), Decimal("0")]}),
    "arrow": pa.table({"a": [1.0, 2.0, 3.0], "c": [True, False, True]}),
    "arrow dictionary": pa.table({"t": pa.array(["x", "y", "x"]).dictionary_encode()}),
    "arrow batch": pa.record_batch({"a": [1.0, 2.0, 3.0]}),
}


@pytest.mark.parametrize("options", [{}, {"scale": "standard"}, {"hashing": dl.Hashing(1)}], ids=str)
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_its_rows(name: str, options: dict[str, Any]) -> None:
    frame = FRAMES[name]
    as_pandas = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    rows = as_pandas.to_dict("records") if len(as_pandas.columns) else [{}] * len(as_pandas)
    block, loop = learner_of_names(**options), learner_of_names(**options)
    scores = block.learn_many(frame, Y[: len(rows)])
    assert scores.tolist() == [loop.learn_one(x, y) for x, y in zip(rows, Y, strict=False)]
    assert np.array_equal(block.score_many(frame), [loop.score_one(x) for x in rows])
    assert_same(snapshot(block), snapshot(loop))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_may_have_any_name(frame: Any) -> None:
    names = ["format", "tocsr", "column_names", "columns", "shape", "data", "index", "to_dict", "__array__", ""]
    values = np.arange(1.0, 31.0).reshape(3, 10)
    learner, expected = dl.PA1(), dl.PA1()
    learner.learn_many(frame({name: values[:, k] for k, name in enumerate(names)}), Y)
    expected.learn_many([dict(zip(names, row, strict=True)) for row in values.tolist()], Y)
    assert_same(snapshot(learner), snapshot(expected))


def test_unknown_columns_may_stand_anywhere() -> None:
    learner = dl.PA1()
    learner.learn_many(F, Y)
    alone = learner.score_many(F)
    for names in (["new", "a", "b", "c"], ["b", "new", "a", "c"], ["c", "b", "a", "new"]):
        assert np.allclose(learner.score_many(F.assign(new=[5.0, 6.0, 7.0])[names]), alone, rtol=1e-14)
        both = F.assign(new=[5.0, 6.0, 7.0], newer=1.0)[["newer", *names]]
        assert np.allclose(learner.score_many(both), alone, rtol=1e-14)
