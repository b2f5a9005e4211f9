"""Any two values can be labels, in any container; invalid labels are refused with their row."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from tests.support.bitwise import goes_on, refused, twins

X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0], [-1.0, 0.5, 0.0], [0.0, 0.0, 1.0]])
Y = np.array([-1.0, 1.0, -1.0, -1.0, 1.0])
TEXT = ["no", "yes", "no", "no", "yes"]

CONTAINERS: dict[str, Any] = {
    "list": [-1, 1, -1, -1, 1],
    "tuple": (-1, 1, -1, -1, 1),
    "float64": Y,
    "float32": Y.astype("f4"),
    "float16": Y.astype("f2"),
    "big-endian": Y.astype(">f8"),
    "int8": Y.astype("i1"),
    "backwards": Y[::-1].copy()[::-1],
    "read-only": np.frombuffer(Y.tobytes()),
    "uint8 0/1": (Y > 0).astype("u1"),
    "bools": Y > 0,
    "list of bools": (Y > 0).tolist(),
    "numpy scalars": list(Y.astype("i4")),
    "0-d arrays": [np.array(v) for v in Y],
    "unmasked": np.ma.array(Y),
    "text": TEXT,
    "text array": np.array(TEXT),
    "bytes array": np.array(TEXT, "S"),
    "object array": np.array(TEXT, object),
    "pandas": pd.Series(Y),
    "pandas index": pd.Series(Y, index=list("edcba")),
    "pandas nullable": pd.Series([0, 1, 0, 0, 1], dtype="Int64"),
    "pandas text": pd.Series(TEXT),
    "pandas categories": pd.Series(TEXT, dtype="category"),
    "categorical": pd.Categorical(TEXT),
    "polars": pl.Series(Y),
    "polars text": pl.Series(TEXT),
    "polars categories": pl.Series(TEXT, dtype=pl.Categorical),
    "arrow": pa.array(Y),
    "arrow bools": pa.array(Y > 0),
    "arrow text": pa.array(TEXT),
    "arrow dictionary": pa.array(TEXT).dictionary_encode(),
    "arrow chunks": pa.chunked_array([TEXT[:2], TEXT[2:]]),
    "arrow scalars": list(pa.array(TEXT)),
    "tuples as labels": [(0, v) for v in TEXT],
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_means_the_same(name: str) -> None:
    expected = dl.PA1().learn_many(X, Y)
    learner = dl.PA1()
    assert np.array_equal(learner.learn_many(X, CONTAINERS[name]), expected)
    one = dl.PA1()
    assert [one.learn_one(x, y) for x, y in zip(X, list(CONTAINERS[name]), strict=True)] == expected.tolist()
    assert learner.labels == one.labels
    negative, positive = learner.labels
    assert learner.predict_many(X).tolist() == [positive if s >= 0 else negative for s in learner.score_many(X)]
    assert [learner.predict_one(x) for x in X] == learner.predict_many(X).tolist()


VALUE, KIND = "row 3, a label must be a value, got", "y must be a list, array or Series of labels, got"
BAD: dict[str, tuple[Any, str]] = {
    "third number": (
        np.array([0, 1, 0, 2, 1]),
        "row 3, a label must be 0 or 1, got 2. Correct it, declare another pair",
    ),
    "third in a list": ([0, 1, 0, 2, 1], "row 3, a label must be 0 or 1, got 2. Correct it, declare another pair"),
    "number and text": ([0, 1, 0, "0", 1], "row 3, a label must be 0 or 1, got '0'. Correct it, declare"),
    "nan": (np.array([0, 1, 0, np.nan, 1]), f"{VALUE} nan. Drop the examples without a label"),
    "nan first": (np.array([np.nan, 1, 0, 0, 1]), "row 0, a label must be a value, got nan"),
    "only nan": (np.full(5, np.nan), "row 0, a label must be a value, got nan"),
    "nan in a list": ([0, 1, 0, math.nan, 1], f"{VALUE} nan"),
    "decimal nan": ([0, 1, 0, Decimal("nan"), 1], f"{VALUE} Decimal('NaN')"),
    "None in a list": ([0, 1, 0, None, 1], f"{VALUE} None. Drop the examples"),
    "None in an array": (np.array([0, 1, 0, None, 1], object), f"{VALUE} None"),
    "pandas bool NA": (pd.Series([False, True, False, None, True], dtype="boolean"), VALUE),
    "pandas int NA": (pd.Series([0, 1, 0, None, 1], dtype="Int64"), VALUE),
    "NaT": ([0, 1, 0, pd.NaT, 1], f"{VALUE} NaT"),
    "polars null": (pl.Series([0, 1, 0, None, 1]), VALUE),
    "arrow null": (pa.array([0, 1, 0, None, 1]), VALUE),
    "list as label": ([0, 1, 0, [1], 1], "row 3, a label must be a single value, got [1]. Pass one label"),
    "array as label": ([0, 1, 0, np.ones(2), 1], "row 3, a label must be a single value, got an array of shape (2,)"),
    "signalling nan": ([0, 1, 0, Decimal("sNaN"), 1], "row 3, a label must be a single value, got Decimal('sNaN')"),
    "column": (np.zeros((5, 1)), "y must be 1-d, one label per row, got shape (5, 1). Pass y.ravel()"),
    "frame": (pd.DataFrame({"y": [0, 1, 0, 0, 1]}), "y must be 1-d, one label per row, got shape (5, 1)"),
    "0-d": (np.array(1), "y must be 1-d, one label per row, got shape ()"),
    "number": (1, f"{KIND} int. Pass a list"),
    "None": (None, f"{KIND} NoneType"),
    "string": ("ababa", f"{KIND} str"),
    "bytes": (b"ababa", f"{KIND} bytes"),
    "set": ({0, 1}, f"{KIND} set"),
    "dict": (dict.fromkeys(range(5)), f"{KIND} dict"),
    "generator": ((v for v in Y), f"{KIND} generator"),
    "masked": (np.ma.array(Y, mask=[0, 0, 0, 1, 0]), "y must not have masked labels, got 1. Drop those rows"),
    "short": ([0, 1], "X and y must have the same length, got 5 and 2. Give each row one label"),
    "empty": ([], "X and y must have the same length, got 5 and 0"),
    "long": (np.zeros(6), "X and y must have the same length, got 5 and 6"),
}
BAD_TEXT: dict[str, tuple[Any, str]] = {
    "third text": (
        np.array(["a", "b", "a", "c", "b"]),
        "row 3, a label must be 'a' or 'b', got 'c'. Correct it, declare",
    ),
    "pandas text NA": (pd.Series(["a", "b", "a", None, "b"]), VALUE),
    "categories NA": (pd.Categorical(["a", "b", "a", None, "b"]), f"{VALUE} nan"),
    "polars text null": (pl.Series(["a", "b", "a", None, "b"]), f"{VALUE} None"),
    "arrow text null": (pa.array(["a", "b", "a", None, "b"]), f"{VALUE} None"),
}


@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
@pytest.mark.parametrize("name", [*BAD, *BAD_TEXT])
def test_bad_labels_are_refused(name: str, used: bool) -> None:
    y, words = (BAD | BAD_TEXT)[name]
    pair = ["a", "b"] if name in BAD_TEXT else [0, 1]
    learner, twin = twins(dl.PA1, (lambda q: q.learn_many(X[:2], pair)) if used else None)
    with refused(learner, words):
        learner.learn_many(X, y)
    goes_on(learner, twin, lambda q: q.learn_many(X[:2], pair))


@pytest.mark.parametrize("label", [None, math.nan, np.nan, pd.NA, pd.NaT, Decimal("nan"), [1], {}, np.ones(2), "2", 2])
@pytest.mark.parametrize("x", [X[0], {"a": 1.0}], ids=["array", "dict"])
def test_a_bad_label_of_one_example(x: Any, label: Any) -> None:
    learner, twin = twins(dl.PA1, lambda q: [q.learn_one(x, y) for y in (0, 1)])
    with refused(learner, "a label must be"):
        learner.learn_one(x, label)
    goes_on(learner, twin, lambda q: [q.learn_one(x, y) for y in (1, 0, True, 1.0, np.int8(0), Fraction(1))])
    fresh = dl.PA1()
    if not isinstance(label, str | int):
        with refused(fresh, "a label must be"):
            fresh.learn_one(x, label)


def test_a_label_met_in_a_refused_block_is_forgotten() -> None:
    for y in (["spam", "ham", None], ["spam", "ham", "eggs"], ["spam"] * 2):
        learner = dl.PA1()
        with refused(learner):
            learner.learn_many(X[:3], y)
        assert learner.labels == ()
        assert learner.predict_one(X[0]) is None
        learner.learn_many(X[:2], ["ham", "spam"])
        assert learner.labels == ("ham", "spam")


def test_one_label_is_predicted_until_there_are_two() -> None:
    learner = dl.PA1()
    with refused(learner, "predict_many must know the labels, got no example yet. Learn first"):
        learner.predict_many(X)
    learner.learn_one(X[0], "spam")
    assert learner.predict_many(X).tolist() == ["spam"] * 5
    learner.learn_one(X[1], "ham")
    assert set(learner.predict_many(X)) == {"spam", "ham"}


@pytest.mark.parametrize(
    "pair",
    [(0, 1), ("a", "bb"), (False, True), (1.5, 2.5), (2**63, -1), ("a", 1), ((1, 2), (3,)), (b"a", b"b"), [3, 4]],
)
def test_predictions_are_the_labels_themselves(pair: Any) -> None:
    learner = dl.PA1(labels=pair)
    learner.learn_many(X, [pair[0], pair[1], pair[0], pair[0], pair[1]])
    predicted = learner.predict_many(X).tolist()
    assert predicted == [learner.predict_one(x) for x in X]
    assert {type(label) for label in predicted} <= {type(label) for label in pair}
    assert learner.labels == tuple(pair)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([0, 1, -1, 2.5, True, "a", np.nan]), max_size=6), st.booleans())
def test_blocks_read_labels_as_a_loop_does(y: list[Any], as_array: bool) -> None:
    """At once where they are numbers in an array, one by one in a list: same signs, same refusals."""
    numbers = all(isinstance(v, int | float) for v in y)
    block, loop = dl.PA1(), dl.PA1()
    rows = np.ones((len(y), 2))
    labels: Any = np.array(y, float) if as_array and numbers else y
    try:
        for x, label in zip(rows, labels, strict=True):
            loop.learn_one(x, label)
    except ValueError:
        with refused(block):
            block.learn_many(rows, labels)
    else:
        block.learn_many(rows, labels)
        assert block._labels.signs == loop._labels.signs


@pytest.mark.parametrize("make", [dl.PA1, dl.OneVsRest, dl.MulticlassPA, dl.Tracker])
@pytest.mark.parametrize(
    "y",
    [
        [2**53, 2**53 + 1],
        np.array([2**53, 2**53 + 1]),
        np.array([2**64 - 2, 2**64 - 1], np.uint64),
        np.array([-1, 2**64 - 1], object),
        [2**70, 2**70 + 1],
        pd.Series([2**53, 2**53 + 1]),
        pd.Series([2**53, 2**53 + 1], dtype="Int64"),
        pl.Series([2**53, 2**53 + 1]),
        pa.array([2**53, 2**53 + 1]),
    ],
)
def test_whole_labels_beyond_2_to_the_53_stay_two(make: Any, y: Any, tmp_path: Path) -> None:
    due = [int(label.as_py() if hasattr(label, "as_py") else label) for label in y]
    learner = make()
    for _ in range(3):
        learner.learn_many([{"a": 1.0}, {"b": 1.0}], y)
    for label in due:
        learner.learn_one({"a" if label == due[0] else "b": 1.0}, label)
    assert learner.labels == tuple(due)
    learner.save(tmp_path / "model.dl")
    for one in (learner, dl.load(tmp_path / "model.dl")):
        assert one.labels == tuple(due)
        assert one.predict_many([{"a": 1.0}, {"b": 1.0}]).tolist() == due
        assert one.predict_one({"b": 1.0}) == due[1]


def test_equal_labels_of_different_types_are_one() -> None:
    learner = dl.PA1()
    learner.learn_many([[1.0]] * 8, [1, 1.0, True, 0, 0.0, False, np.int8(1), np.float32(0)])
    assert learner.labels == (0, 1)
    learner = dl.PA1()
    learner.learn_many([[1.0]] * 4, [2**53, 2.0**53, 2**53 + 1, np.uint64(2**53)])
    assert learner.labels == (2**53, 2**53 + 1)


def test_the_error_for_a_fraction_names_a_regressor() -> None:
    with pytest.raises(ValueError, match=r"got 2\.5\. .*OneVsRest, or predict numbers with AROWRegressor"):
        dl.PA1().learn_many([[1.0], [2.0], [3.0]], [0.5, 1.5, 2.5])
    with pytest.raises(ValueError, match=r"got 3\. .*OneVsRest$"):
        dl.PA1().learn_many([[1.0], [2.0], [3.0]], [1, 2, 3])
