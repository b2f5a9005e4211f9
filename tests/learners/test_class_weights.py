"""Class weights: they multiply sample weights, follow the classes, and are part of the state."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.encode.class_weights import KEPT, MEMORY
from driftline.saved import ModelError
from driftline.saved.container import write
from driftline.saved.model import state_of
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import OTHERS, examples, rows_of
from tests.support.linear_cases import one_of_each

CASES = {str(case): case for case in [*one_of_each(), *(case for case in OTHERS if not case.regresses)]}
rng = np.random.default_rng(5)
X = rng.normal(size=(400, 4))
Y = np.where(X[:, 0] + 0.5 * rng.normal(size=400) > 1.2, "fraud", "ok")


def balanced(labels: list[Any]) -> list[float]:
    """The weights of the module, written with one discounted sum for each example."""
    found = []
    for t, label in enumerate(labels):
        n = sum(KEPT ** (t - s) for s in range(t + 1))
        n_c = sum(KEPT ** (t - s) for s in range(t + 1) if labels[s] == label)
        seen = len(set(labels[: t + 1]))
        found.append((n + seen) / (seen * (n_c + 1.0)))
    return found


def weights_in(learner: dl.Learner, y: Any) -> list[float]:
    weights = learner.learn_block(np.ones((len(y), 2)), y).weights
    assert weights is not None
    return weights.tolist()


# every learner -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_blocks_and_single_examples_give_the_same_bits(name: str) -> None:
    case = CASES[name]
    feed = getattr(case, "feed", "signed")
    rows, y = examples(feed)
    given: list[Any] = [{y[0]: 0.25, "unseen": 3.0}]
    given += [] if name.startswith("labelefficient") else ["balanced"]
    for class_weight in given:
        block, single, kinds = (case.learner(class_weight=class_weight) for _ in range(3))
        scores = block.learn_many(rows, y)
        assert scores.tolist() == [single.learn_one(x, label) for x, label in zip(rows, y, strict=True)]
        assert_same(snapshot(block), snapshot(single))
        assert block.n_seen == single.n_seen == len(y)
        dicts = rows_of("dicts", rows)
        halves = [kinds.learn_many(dicts[:20], y[:20]), kinds.learn_many(dicts[20:], y[20:])]
        one_by_one = case.learner(class_weight=class_weight)
        assert np.concatenate(halves).tolist() == [
            one_by_one.learn_one(x, label) for x, label in zip(dicts, y, strict=True)
        ]


@pytest.mark.parametrize("make", [dl.PA1, dl.AROW, dl.Tracker, dl.MulticlassPA, dl.Winnow, dl.BatchOnline])
def test_they_multiply_sample_weights(make: Any) -> None:
    w = rng.uniform(0.0, 2.0, len(Y))
    rows = np.abs(X) / 4.0
    own = make(class_weight={"fraud": 5}).learn_many(rows, Y, w)
    assert own.tolist() == make().learn_many(rows, Y, w * np.where(Y == "fraud", 5.0, 1.0)).tolist()


def test_none_is_no_weight() -> None:
    assert dl.PA1(class_weight=None).learn_block(X, Y).weights is None
    assert "class_weight" not in repr(dl.PA1())
    assert repr(dl.PA1(class_weight={"fraud": 50})).endswith("class_weight={'fraud': 50.0})")


def test_weight_zero_is_scored_and_counted_but_not_learned() -> None:
    learner, without = dl.PA1(class_weight={"fraud": 0.0}), dl.PA1()
    learner.learn_many(X, Y)
    without.learn_many(X[Y == "ok"], Y[Y == "ok"])
    assert learner.n_seen == len(Y) and learner.weights() == without.weights()


def test_label_efficient_counts_no_labels() -> None:
    with pytest.raises(ValueError, match=r"LabelEfficient: class_weight must be None or a dict: .*, got 'balanced'"):
        dl.LabelEfficient("pa1", class_weight="balanced")


def test_options_of_a_learner_inside_are_taken_over() -> None:
    assert dl.OneVsRest(dl.PA1(class_weight="balanced")).options["class_weight"] == "balanced"


def test_columns_of_a_bank_have_the_bits_of_single_learners() -> None:
    bank, single = dl.Bank("pa1(C=0.1), pa1", class_weight="balanced"), dl.PA1(0.1, class_weight="balanced")
    bank.learn_many(X, Y)
    single.learn_many(X, Y)
    column = bank[0]
    assert column.learn_many(X, Y).tolist() == single.learn_many(X, Y).tolist()


# balanced ------------------------------------------------------------------------------------------
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=40))
def test_balanced_weights_are_those_of_the_definition(labels: list[str]) -> None:
    assert np.allclose(weights_in(dl.MulticlassPA(class_weight="balanced"), labels), balanced(labels), rtol=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_balanced_weights_of_two_labels_do_not_depend_on_which_comes_first(labels: list[bool]) -> None:
    two = weights_in(dl.PA1(class_weight="balanced"), labels)
    assert np.allclose(two, balanced(labels), rtol=1e-12)
    assert two == weights_in(dl.PA1(class_weight="balanced", labels=(True, False)), labels)


def test_balanced_weights_approach_the_shares_and_follow_them() -> None:
    y = rng.random(60_000) < np.repeat([0.1, 0.5], 30_000)
    weights = np.array(weights_in(dl.PA1(class_weight="balanced"), y))
    first, last = weights[20_000:30_000], weights[-1000:]
    assert abs(np.mean(first[y[20_000:30_000]]) / 5.0 - 1.0) < 0.1
    assert np.all(np.abs(last - 1.0) < 0.15)


def test_balanced_weights_are_bounded() -> None:
    weights = weights_in(dl.PA1(class_weight="balanced"), [False] * 100_000 + [True])
    assert 0.9 * MEMORY / 4 < max(weights) <= (MEMORY + 2) / 4
    assert weights[0] == 1.0


def test_counts_continue_after_the_third_label_of_a_tracker() -> None:
    labels = ["a", "b", "b", "a", "c", "b", "a", "c"] * 3
    rows = rng.normal(size=(len(labels), 3))
    block, single = dl.Tracker(class_weight="balanced"), dl.Tracker(class_weight="balanced")
    learned = block.learn_block(rows, labels)
    for x, label in zip(rows, labels, strict=True):
        single.learn_one(x, label)
    assert_same(snapshot(block), snapshot(single))
    assert learned.weights is not None and np.allclose(learned.weights, balanced(labels), rtol=1e-12)


# state ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("make", [dl.PA1, dl.Tracker, dl.OneVsRest])
@pytest.mark.parametrize("class_weight", ["balanced", {"fraud": 7.5}, {True: 2}])
def test_saved_copied_and_pickled_learners_continue(make: Any, class_weight: Any, tmp_path: Path) -> None:
    labels = Y if class_weight != {True: 2} else Y == "fraud"
    learner = make(class_weight=class_weight)
    learner.learn_many(X[:150], labels[:150])
    learner.save(tmp_path / "a.dl")
    others = [dl.load(tmp_path / "a.dl"), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    expected = learner.learn_many(X[150:], labels[150:]).tolist()
    for other in others:
        assert repr(other) == repr(learner)
        assert other.learn_many(X[150:], labels[150:]).tolist() == expected


def test_files_without_class_weights_do_not_mention_them() -> None:
    learner = dl.PA1()
    learner.learn_many(X, Y)
    meta, arrays = state_of(learner)
    assert "class_weight" not in meta["options"] and "class_counts" not in arrays


@pytest.mark.parametrize("bad", [np.array([[1.0, math.nan, 0.0, 0.0]]), np.array([[1.0, 0.0]])])
def test_a_call_that_raises_changes_no_count(bad: Any) -> None:
    learner, twin = dl.PA1(class_weight="balanced"), dl.PA1(class_weight="balanced")
    learner.learn_many(X[:50], Y[:50])
    twin.learn_many(X[:50], Y[:50])
    for wrong in (lambda: learner.learn_many(bad, ["fraud"]), lambda: learner.learn_one(bad[0], "fraud", 1e9)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="a sample weight must be >= 0 and at most 1e"):
        learner.learn_many(X[:9], ["fraud"] * 9, 1e9)
    with pytest.raises(ValueError, match="a label must be"):
        learner.learn_many(X[:2], ["fraud", "third"])
    assert learner.learn_many(X[50:], Y[50:]).tolist() == twin.learn_many(X[50:], Y[50:]).tolist()


def test_a_refused_row_changes_no_count() -> None:
    advice, labels = np.array([[1.0, -1.0], [1.0, 1.0], [1.0, 1.0]]), [True, True, False]
    learner = dl.Halving(empty="raise", class_weight="balanced")
    learner.learn_many(advice[:1], labels[:1])
    with refused(learner, "never wrong"):
        learner.learn_many(np.vstack([advice[1:], advice[1:2]]), [*labels[1:], False])


# hostile files -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change",
    [
        lambda meta, arrays: arrays.pop("class_counts"),
        lambda meta, arrays: arrays.update(class_counts=np.array([1.0, math.nan])),
        lambda meta, arrays: arrays.update(class_counts=np.array([1.0, -1.0])),
        lambda meta, arrays: arrays.update(class_counts=np.array([1.0, 1e300])),
        lambda meta, arrays: arrays.update(class_counts=np.array([9000.0, 9000.0])),
        lambda meta, arrays: arrays.update(class_counts=np.array([1.0, 1.0, 1.0])),
        lambda meta, arrays: arrays.update(class_counts=np.array([1, 1])),
        lambda meta, arrays: meta["options"].update(class_weight=None),
        lambda meta, arrays: meta["options"].update(class_weight="unbalanced"),
        lambda meta, arrays: meta["options"].update(class_weight=[["fraud", 5.0]]),  # with counts
        lambda meta, arrays: meta["options"].pop("class_weight"),
        lambda meta, arrays: meta["options"].update(other=1),
    ],
)
def test_wrong_counts_in_a_file_are_refused(change: Any, tmp_path: Path) -> None:
    learner = dl.PA1(class_weight="balanced")
    learner.learn_many(X, Y)
    meta, arrays = state_of(learner)
    change(meta, arrays)
    write(tmp_path / "a.dl", "model", meta, arrays)
    with pytest.raises(ModelError):
        dl.load(tmp_path / "a.dl")


@pytest.mark.parametrize(
    "given",
    [
        *([], 3, True, {"fraud": 5.0}, [["fraud"]], [["fraud", -1.0]], [["fraud", math.nan]], [["fraud", 5]]),
        *([["fraud", 5.0], ["fraud", 6.0]], [[["fraud"], 5.0]], [["fraud", "5"]], [["fraud", math.inf]], [[None, 5.0]]),
    ],
)
def test_wrong_weights_in_a_file_are_refused(given: Any, tmp_path: Path) -> None:
    learner = dl.PA1(class_weight={"fraud": 5.0})
    learner.learn_many(X, Y)
    meta, arrays = state_of(learner)
    assert meta["options"]["class_weight"] == [["fraud", 5.0]]
    meta["options"]["class_weight"] = given
    write(tmp_path / "a.dl", "model", meta, arrays)
    with pytest.raises(ModelError):
        dl.load(tmp_path / "a.dl")


# errors --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "class_weight must have the weight of a label, got {}"),
        ({"a": -1}, "class_weight of 'a' must be >= 0 and at most 1e.09, got -1"),
        ({"a": math.nan}, "class_weight of 'a' must be a number, got nan"),
        ({"a": math.inf}, "class_weight of 'a' must be >= 0"),
        ({"a": "5"}, "class_weight of 'a' must be a number, got '5'"),
        ([1, 2], r"class_weight must be None, 'balanced' or a dict from labels to weights, got \[1, 2\]"),
        ("auto", "class_weight must be None, 'balanced' or a dict"),
        (np.array([1.0]), "class_weight must be None, 'balanced' or a dict"),
    ],
)
def test_wrong_weights(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^PA1: {message}"):
        dl.PA1(class_weight=given)


def test_a_weight_of_a_label_that_is_not_declared() -> None:
    with pytest.raises(ValueError, match=r"^PA1: class_weight .* declared labels 'a', 'b' only, got 'c'. Correct it"):
        dl.PA1(labels=("a", "b"), class_weight={"c": 2.0})
    assert dl.PA1(labels=("a", "b"), class_weight={"b": 2.0}).options["class_weight"] == {"b": 2.0}
