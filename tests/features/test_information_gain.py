"""Information gain: compared with scikit-learn, with counts by hand, and across kinds of input."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.metrics import mutual_info_score

import driftline as dl
from driftline.features import agreement, information_gain, pair_gain
from tests.support.slow_gain import slow_gain

TABLES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=n, max_size=n),
        st.lists(st.sampled_from("abc"), min_size=n, max_size=n),
    )
)


@given(TABLES)
def test_gains_are_what_a_slow_count_finds(table: tuple[list[tuple[int, ...]], list[str]]) -> None:
    rows, labels = table
    X = np.array(rows)
    found, pairs = information_gain(X, labels), pair_gain(X, labels)
    np.testing.assert_allclose(found, information_gain(csr_array(X), labels), atol=1e-12)
    np.testing.assert_allclose(pairs, pair_gain(csr_array(X), labels), atol=1e-12)
    for i in range(3):
        assert found[i] == pytest.approx(slow_gain(X[:, i].tolist(), labels), abs=1e-12)
        assert pairs[i, i] == pytest.approx(found[i], abs=1e-12)
    for i, j in product(range(3), repeat=2):
        cells = list(zip(X[:, i].tolist(), X[:, j].tolist(), strict=True))
        assert pairs[i, j] == pytest.approx(slow_gain(cells, labels), abs=1e-12)
        assert pairs[i, j] >= max(found[i], found[j]) - 1e-12


@given(TABLES)
def test_agreement_is_the_mean_over_all_examples(table: tuple[list[tuple[int, ...]], list[str]]) -> None:
    rows, labels = table
    X = np.array(rows)
    found = agreement(X, labels)
    for i, j in product(range(3), repeat=2):
        total = 0.0
        for a, b in zip(X[:, i], X[:, j], strict=True):
            of_a = [label for value, label in zip(X[:, i], labels, strict=True) if value == a]
            of_b = [label for value, label in zip(X[:, j], labels, strict=True) if value == b]
            total += sum(of_a.count(c) / len(of_a) * of_b.count(c) / len(of_b) for c in "abc")
        assert found[i, j] == pytest.approx(total / len(labels), abs=1e-12)


def data(classes: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(classes)
    y = rng.integers(classes, size=400)
    X = rng.integers(0, 5, size=(400, 6)) * (rng.random((400, 6)) < 0.6)
    X[:, 1] = (y + rng.integers(3, size=400)) % 5
    X[:, 3] = y % 2
    return X, y


@pytest.mark.parametrize("classes", [2, 7, 50])
def test_discrete_features_have_the_mutual_information_of_scikit_learn(classes: int) -> None:
    X, y = data(classes)
    expected = [mutual_info_score(y, column) / math.log(2) for column in X.T]
    for some in (X, csr_array(X), csc_array(X.astype(np.float32)), pd.DataFrame(X), pl.DataFrame(X)):
        np.testing.assert_allclose(information_gain(some, y), expected, atol=1e-12)
    joint = [[mutual_info_score(y, 5 * a + b) / math.log(2) for b in X.T] for a in X.T]
    np.testing.assert_allclose(pair_gain(X, y), joint, atol=1e-12)


def test_many_values_are_cut_at_quantiles() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=1000)
    X = np.round(rng.normal(y[:, None], [1.0, 4.0, 100.0]), 3)
    X[:, 2] *= rng.random(1000) < 0.9
    for bins in (2, 3, 16):
        cut = [np.searchsorted(np.sort(c)[np.arange(1, bins) * 999 // bins], c, "right") for c in X.T]
        expected = [mutual_info_score(y, column) / math.log(2) for column in cut]
        found = information_gain(X, y, bins=bins)
        # the k-th quantile may be one of two neighbouring values: one example in a thousand moves
        np.testing.assert_allclose(found, expected, atol=0.01)
        np.testing.assert_allclose(information_gain(csr_array(X), y, bins=bins), found, atol=1e-12)
        assert found[0] > found[1] > found[2] - 0.05
    every = information_gain(X, y, bins=None)
    np.testing.assert_allclose(
        every, [mutual_info_score(y, np.unique(c, return_inverse=True)[1]) / math.log(2) for c in X.T], atol=1e-12
    )
    assert (information_gain(X, y, bins=16) < every).all()


def test_equal_frequencies() -> None:
    column = np.arange(160.0)[:, None]
    y = np.arange(160) // 10  # 16 classes of ten neighbouring values: 16 quantile bins tell them apart
    assert information_gain(column, y)[0] == pytest.approx(4.0)
    assert information_gain(column, y, bins=2)[0] == pytest.approx(1.0)


def test_missing_values_are_a_value_by_themselves() -> None:
    X, y = data(3)
    table = X.astype(float)
    table[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    table[y == 1, 5] = np.nan
    expected = information_gain(np.where(np.isnan(table), 99.0, table), y)
    np.testing.assert_allclose(information_gain(table, y), expected, atol=1e-12)
    np.testing.assert_allclose(information_gain(csr_array(table), y), expected, atol=1e-12)
    np.testing.assert_allclose(information_gain(pd.DataFrame(table), y), expected, atol=1e-12)
    assert information_gain(table, y)[5] > 0.5
    np.testing.assert_allclose(pair_gain(table, y), pair_gain(np.where(np.isnan(table), 99.0, table), y), atol=1e-12)
    wide = np.r_[np.full(50, np.nan), np.arange(100.0)][:, None]
    assert information_gain(wide, np.isnan(wide[:, 0]), bins=4)[0] == pytest.approx(
        slow_gain([1] * 50 + [0] * 100, [1] * 50 + [0] * 100)
    )


def test_strings_and_mixed_columns_of_frames() -> None:
    y = ["x", "y", "x", "z", "y", "x"]
    frame = {
        "colour": ["red", "blue", None, "red", "blue", "red"],
        "size": [1.0, 2.0, math.nan, 1.0, 2.0, 3.0],
        "new": [True, False, True, True, False, True],
    }
    expected = [slow_gain([str(v) for v in column], y) for column in frame.values()]
    for made in (pd.DataFrame(frame), pl.DataFrame(frame), pd.DataFrame(frame, dtype=object).to_numpy()):
        np.testing.assert_allclose(information_gain(made, y), expected, atol=1e-12)


def test_groups_measure_some_classes_only() -> None:
    X, y = data(5)
    names = np.array(list("pqrst"))[y]
    groups: list[Any] = [("p", "q"), (("p", "q"), ("r", "s"), "t"), ["s", "r"]]
    found = information_gain(X, names, groups)
    first = np.isin(names, ["p", "q"])
    np.testing.assert_allclose(found[0], information_gain(X[first], names[first]), atol=1e-12)
    merged = np.array([{"p": 0, "q": 0, "r": 1, "s": 1, "t": 2}[name] for name in names])
    np.testing.assert_allclose(found[1], information_gain(X, merged), atol=1e-12)
    np.testing.assert_allclose(information_gain(csr_array(X), names, groups), found, atol=1e-12)
    pairs = information_gain(X, names, "pairs")
    for k, (a, b) in enumerate(combinations("pqrst", 2)):
        some = np.isin(names, [a, b])
        np.testing.assert_allclose(pairs[k], information_gain(X[some], names[some]), atol=1e-12)


def test_edges() -> None:
    assert information_gain(np.zeros((0, 3)), []).tolist() == [0.0] * 3
    assert pair_gain(np.zeros((0, 2)), []).tolist() == [[0.0, 0.0]] * 2
    assert information_gain(np.eye(4), ["a"] * 4).tolist() == [0.0] * 4
    assert information_gain(np.full((4, 1), np.nan), [0, 0, 1, 1]).tolist() == [0.0]
    assert information_gain(np.array([[np.inf], [-np.inf]]), [0, 1]).tolist() == [1.0]
    assert information_gain(csr_array((3, 2)), [0, 1, 1]).tolist() == [0.0, 0.0]
    assert information_gain(np.eye(2), ["a", 1]).tolist() == [1.0, 1.0]  # labels that cannot be sorted
    assert dl.features.information_gain is information_gain


def test_stored_zeros_are_zeros() -> None:
    X = csc_array((np.array([0.0, 1.0, 0.0]), (np.array([0, 1, 2]), np.zeros(3, int))), shape=(4, 1))
    assert information_gain(X, [0, 1, 0, 0]) == pytest.approx(information_gain(X.toarray(), [0, 1, 0, 0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: information_gain(np.zeros(3), [0, 1, 1]), "information_gain: X must be a 2-d array, sparse matrix or"),
        (lambda: information_gain(np.eye(3), [0, 1]), "information_gain: y must have one label for each of the 3 rows"),
        (
            lambda: information_gain(np.eye(3), [0, None, 1]),
            "information_gain: row 1, a label must be a value, got None",
        ),
        (
            lambda: information_gain(np.eye(2), [0.0, np.nan]),
            "information_gain: row 1, a label must be a value, got nan",
        ),
        (
            lambda: information_gain(np.eye(2), [0, 1], bins=1),
            "information_gain: bins must be a whole number >= 2, got",
        ),
        (lambda: pair_gain(np.eye(2), [0, 1], bins=2.5), "pair_gain: bins must be a whole number >= 2, got 2.5"),
        (
            lambda: information_gain(np.eye(2), [0, 1], "all"),
            "information_gain: groups must be a sequence of groups or",
        ),
        (lambda: information_gain(np.eye(2), [0, 1], [0, 1]), "information_gain: a group must be a tuple of two or"),
        (lambda: information_gain(np.eye(2), [0, 1], [(0, 2)]), "information_gain: a label in groups must occur in y"),
        (lambda: information_gain(np.eye(2), [0, 1], [(0, 0)]), "information_gain: the labels of a group must differ"),
        (
            lambda: information_gain(np.eye(2), [0, 1], [(0, 1, ())]),
            "information_gain: the labels of a group must diff",
        ),
        (
            lambda: information_gain(np.array([[{}], ["a"]], object), [0, 1]),
            "information_gain: row 0, a value must be a number or a string, got {}",
        ),
    ],
)
def test_what_is_refused_says_why(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message), str(caught.value)


def test_a_continuous_target_is_refused() -> None:
    with pytest.raises(ValueError, match="row 1, a label must be a class, got the fraction"):
        information_gain(np.eye(3), [1.0, 0.5, 2.0])
    assert information_gain(np.eye(3), [1.0, 0.0, 1.0]).tolist() == information_gain(np.eye(3), [1, 0, 1]).tolist()
