"""Missing values: learners made of Trackers use them; for all others, the feature is absent."""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import ADVISED, OTHERS, Other, examples
from tests.support.linear_cases import one_of_each
from tests.support.missing_rows import FORMS, NAMES, dicts, file_rows, known_only, left_out, with_holes

SHARE = 0.2
HOLES = (math.nan, math.inf, -1e80)


def holed(kind: str) -> tuple[Any, np.ndarray]:
    """A hundred examples of four features, a fifth of whose values is missing."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100, 4))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.0, 1.0, -1.0)
    X = np.where(rng.random(X.shape) < SHARE, rng.choice(HOLES, X.shape), X)
    named = [{f"f{j}": None if math.isnan(v) else v for j, v in enumerate(row)} for row in X.tolist()]
    return (X if kind == "dense" else named), y


def wrappers() -> dict[str, dl.Learner]:
    labels = (-1.0, 1.0)
    return {
        "one against the rest": dl.OneVsRest(dl.Tracker(), labels=labels),
        "committee": dl.Committee([dl.Tracker()], labels=labels),
        "asking": dl.LabelEfficient(dl.Tracker(), b=math.inf, labels=labels),
        "asking a committee": dl.LabelEfficient(dl.Committee([dl.Tracker()]), b=math.inf, labels=labels),
        "committees": dl.OneVsRest(dl.Committee(["tracker", "tracker"]), labels=labels),
    }


def shown(learner: Any, x: Any) -> float:
    """The label that a learner shows; of several classes the one that the learner of the second alone would show."""
    return 1.0 if learner.scores_one(x)[1.0] >= 0.0 else -1.0


@pytest.mark.parametrize("kind", ["dense", "dicts"])
@pytest.mark.parametrize("name", wrappers())
def test_what_is_missing_is_missing_inside(name: str, kind: str, tmp_path: Path) -> None:
    X, y = holed(kind)
    alone, learner = dl.Tracker(labels=(-1.0, 1.0)), wrappers()[name]
    assert learner.rule.takes_missing
    due = alone.learn_many(X, y)
    assert 0.0 < np.mean(due * y <= 0.0) < 0.4
    learner.learn_many(X[:60], y[:60])
    learner.save(tmp_path / "m.dl")
    learner = dl.load(tmp_path / "m.dl")
    for x, label in zip(X[60:], y[60:], strict=True):
        learner.learn_one(x, label)
    assert [shown(learner, x) for x in X] == [alone.predict_one(x) for x in X]
    if not learner.rule.several:
        assert learner.label_errors == alone.label_errors


@pytest.mark.parametrize("variant", ["constant", "adaptive"])
def test_what_is_missing_has_no_length(variant: Any) -> None:
    X, y = holed("dense")
    known = np.where(np.abs(X) < 1e60, X, 0.0)
    asking, twin = (dl.LabelEfficient(dl.Tracker("light"), b=0.1, variant=variant, seed=3) for _ in range(2))
    asking.learn_many(X, y)
    assert 0 < asking.asked < 100
    longest = asking._engine.arrays()["asking"][2]
    assert longest == pytest.approx(np.max(np.sum(known**2, axis=1)))
    for x, label in zip(X, y, strict=True):
        if twin.asks(x):
            twin.learn_one(x, label)
        else:
            twin.skip(x)
    del (before := snapshot(asking))["state"], (after := snapshot(twin))["state"]  # mistakes without a label are unseen
    assert_same(before, after)


def test_one_part_that_cannot_take_them_is_enough_to_refuse_them_in_arrays() -> None:
    X, y = holed("dense")
    for learner in (dl.Committee([dl.Tracker(), dl.PA1()]), dl.OneVsRest("pa1"), dl.LabelEfficient("perceptron")):
        assert not learner.rule.takes_missing
        with refused(learner, "finite", "Fill in missing values, or pass dicts or a frame"):
            learner.learn_many(X, y)
    scaled = dl.OneVsRest(dl.Tracker(), scale="unit")
    with refused(scaled, "finite"):
        scaled.learn_many(X, y)


# every learner, every form --------------------------------------------------------------------------------------------
SPLITS = ((1, 2, 9, 30), (13,))
CASES = [
    *one_of_each(),
    *(case for case in OTHERS if case.name != "halving"),  # its experts must all give advice
    Other("committee", {"learners": "kernelized(perceptron, rbf), pa1"}),
    Other("labelefficient", {"learner": "kernelized(perceptron, rbf)", "b": 2.0}),
    Other("labelefficient", {"learner": "tracker", "b": 0.5}),
    Other("committee", {"learners": "tracker, pa1"}),
]
OPTIONS = [
    {"hashing": dl.Hashing(8)},
    {"scale": "unit"},
    {"scale": "standard"},
    {"scale": dl.RandomFourier(8)},
    {"dtype": "float32"},
]


def expected(learner: dl.Learner, X: np.ndarray, y: np.ndarray) -> list[float]:
    """The scores of a learner that gets, one by one, dicts without the values that it has no use for."""
    uses = learner.rule.takes_missing and learner.options["scale"] is None
    hashed = learner.options["hashing"] is not None
    rows = (dicts(X, math.nan) if hashed else known_only(X)) if uses else left_out(X)
    return [learner.learn_one(x, label) for x, label in zip(rows, y, strict=True)]


def check_forms(make: Callable[[], dl.Learner], X: np.ndarray, y: np.ndarray, path: Path) -> None:
    """A learner learns the same from missing values in any form, in blocks and one by one."""
    plain = make()
    scores = expected(plain, X, y)
    state = snapshot(plain)
    values = plain.score_many(left_out(X)) if not plain._encoder.missing else plain.score_many(dicts(X, math.nan))
    for name, form in FORMS.items():
        if name == "pandas with text" and plain._encoder.missing and plain._encoder.hashed:
            continue  # a column without any value is a feature if names are hashed
        rows = form(X)
        for k, split in enumerate(SPLITS):
            block = make()
            found: list[float] = []
            for i, j in itertools.pairwise((0, *split, len(X))):
                found += block.learn_many(form(X[i:j]), y[i:j]).tolist()
                if k == 1:  # go on from a file
                    block.save(path)
                    block = dl.load(path)
            assert found == scores, name
            assert_same(state, snapshot(block))
        assert np.array_equal(block.score_many(rows), values), name
        if not isinstance(rows, list):
            continue
        loop = make()
        assert [loop.learn_one(x, label) for x, label in zip(rows, y, strict=True)] == scores, name
        assert_same(state, snapshot(loop))
        assert np.array_equal([loop.score_one(x) for x in rows], values), name
        assert_same(state, snapshot(loop))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_missing_value_is_the_same_in_every_form(case: Any, tmp_path: Path) -> None:
    feed = getattr(case, "feed", "signed")
    X, y = examples(feed)
    check_forms(case.learner, with_holes(X[:40], feed not in ADVISED), y[:40], tmp_path / "m.dl")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", [dl.PA1, dl.AROW, dl.Tracker], ids=lambda kind: kind.__name__)
def test_a_missing_value_is_the_same_with_every_option(kind: Any, options: dict[str, Any], tmp_path: Path) -> None:
    if kind is not dl.PA1 and "dtype" in options:
        return
    X, y = examples("signed")
    check_forms(lambda: kind(**options), with_holes(X[:40]), y[:40], tmp_path / "m.dl")


@pytest.mark.parametrize("kind", [dl.PA1, dl.Tracker, lambda: dl.PA1(hashing=dl.Hashing(5))])
def test_columns_of_a_file_may_be_missing(kind: Any) -> None:
    X, y = examples("signed")
    X = with_holes(X[:40])
    block, one_by_one = kind(), kind()
    scores = block.learn_many(file_rows(X, None), y[:40])
    for i in range(40):
        assert one_by_one.learn_many(file_rows(X[i : i + 1], None), y[i : i + 1]).item() == scores[i]
    assert_same(snapshot(block), snapshot(one_by_one))
    if kind is not dl.Tracker:
        there = ~np.isnan(X)
        indptr = np.append(0, np.cumsum(there.sum(axis=1)))
        sparse = csr_matrix((X[there], np.nonzero(there)[1], indptr), shape=X.shape)
        assert np.array_equal(kind().learn_many(sparse, y[:40]), scores)


# one rule, its edges --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [dl.PA1, dl.AROW, dl.Tracker], ids=lambda kind: kind.__name__)
def test_a_feature_without_a_value_is_no_feature(kind: Any) -> None:
    learner = kind()
    learner.learn_many([{"a": 1.0, "colour": None}, {"b": math.nan}], [1, 0])
    learner.learn_one({"a": 2.0, "colour": math.nan, "b": None}, 1)
    learner.learn_many(pd.DataFrame({"b": [math.nan], "a": [0.5]}), [0])
    learner.learn_many(file_rows(np.array([[1.0, math.nan]]), ["a", "b"]), [1])
    assert learner.score_one({"a": 1.0, "new": math.nan}) == learner.score_one({"a": 1.0})
    assert list(learner._encoder.names.index) == ["a"]
    learner.learn_one({"colour": "red"}, 1)
    assert list(learner._encoder.names.index) == ["a", "colour=red"]


def test_names_are_numbered_by_their_first_values() -> None:
    X = np.array([[math.nan, 1.0, math.nan], [math.nan, 2.0, 3.0], [4.0, math.nan, math.nan]])
    for name, form in FORMS.items():
        learner = dl.PA1()
        learner.learn_many(form(X), [1, 0, 1])
        assert list(learner._encoder.names.index) == ["b", "c", "a"], name


def test_the_tracker_counts_missing_values_of_known_features() -> None:
    for name, form in FORMS.items():
        tracker = dl.Tracker()
        tracker.learn_many(form(np.array([[math.nan, 1.0], [2.0, math.nan], [math.nan, math.nan]])), [1, 0, 1])
        assert tracker.n_missing == 3, name


@pytest.mark.parametrize(
    "missing",
    [None, math.nan, np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT, np.ma.masked, np.ma.array(1.0, mask=True),
     np.array(math.nan), np.datetime64("NaT"), pa.scalar(None, pa.int64())],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.parametrize("mapping", [dict, OrderedDict, pd.Series])
@pytest.mark.parametrize("kind", [dl.PA1, dl.AROW])
def test_every_missing_value(kind: Any, mapping: Any, missing: Any) -> None:
    if mapping is pd.Series and isinstance(missing, np.ndarray):
        return  # a Series does not hold arrays
    learner, twin = kind(), kind()
    for known in ({"a": 1.0, "b": 2.0}, {"a": -1.0, "b": 1.0}, {"a": 0.5, "b": 1.0, "c": 2.0}):
        for one in (learner, twin):
            one.learn_one(known, known["a"] > 0.0)
        for x in ({**known, "b": missing}, {**known, "new": missing}, {"newer": 1.0, "b": missing, "a": 3.0}):
            there = {name: value for name, value in x.items() if value is not missing}
            x = mapping(x) if mapping is not pd.Series else pd.Series(x, dtype=object)
            assert learner.score_one(x) == twin.score_one(there)
            assert learner.learn_one(x, False) == twin.learn_one(there, False)
            assert learner.predict_one(x) == twin.predict_one(there)
            assert_same(snapshot(learner), snapshot(twin))
        del known["b"]


def test_missing_advice_is_absent_advice() -> None:
    learner = dl.Halving()
    learner.learn_one({"a": 1.0, "b": -1.0}, 1)
    for missing in ({"a": 1.0}, {"a": 1.0, "b": None}, {"a": 1.0, "b": math.nan}):
        with refused(learner, "x must be advice of -1 or +1, got 0.0 from expert 1"):
            learner.learn_one(missing, 1)


def test_a_row_without_its_missing_values_counts_once() -> None:
    for learner in (dl.PA1(), dl.LabelEfficient("pa1", b=math.inf), dl.Bank(), dl.AROW()):
        learner.learn_one({"a": 1.0, "b": 1.0}, 1)
        learner.learn_one({"a": math.nan, "b": 1.0}, 0)
        learner.learn_one({"a": math.nan, "new": 1.0, "c": math.nan}, 0)
        assert learner.n_seen == 3 and learner.n_features == 3


def test_infinite_values_stay_refused_next_to_missing_ones() -> None:
    bad = {"a": math.nan, "c": math.inf, "d": 1.0, "e": math.nan}
    for kind in (dl.PA1, dl.AROW, dl.LabelEfficient):
        learner = kind()
        learner.learn_one({"a": 1.0, "b": 1.0}, 1)
        for call in (
            lambda learner=learner: learner.learn_one(bad, 0),
            lambda learner=learner: learner.score_one(bad),
            lambda learner=learner: learner.learn_many([{"f": math.nan, "g": 1.0}, bad], [1, 0]),
            lambda learner=learner: learner.learn_many(pd.DataFrame([bad]), [1]),
            lambda learner=learner: learner.learn_many(file_rows(np.array([list(bad.values())]), list(bad)), [0]),
        ):
            with refused(learner, "'c' must be finite, got inf. Clip it, or pass None in a dict if it is missing"):
                call()
    tracker, twin = dl.Tracker(), dl.Tracker()
    for x in ({"a": 1.0, "b": 2.0}, {"a": -1.0, "b": 1.0}):
        for one in (tracker, twin):
            one.learn_one(x, x["a"] > 0.0)
    assert tracker.learn_one({"a": math.inf, "b": 1.0}, True) == twin.learn_one({"a": None, "b": 1.0}, True)


def test_asking_for_a_label_leaves_missing_values_out() -> None:
    learner, twin = (dl.LabelEfficient("pa1", b=0.5, seed=1) for _ in range(2))
    X, _ = examples("signed")
    X = with_holes(X)
    answers = []
    for x, there in zip(dicts(X, math.nan), left_out(X), strict=True):
        answers.append(learner.asks(x))
        assert answers[-1] == twin.asks(there)
        if answers[-1]:
            assert learner.learn_one(x, X[0, 0] > 0.0) == twin.learn_one(there, X[0, 0] > 0.0)
        else:
            assert learner.skip(x) == twin.skip(there)
        assert_same(snapshot(learner), snapshot(twin))
    assert 0 < sum(answers) < len(answers)


def test_a_large_file_is_a_large_block_without_its_missing_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 5))
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    X = np.where(rng.random(X.shape) < 0.1, math.nan, X)
    learner, twin = dl.PA1(), dl.PA1()
    one_by_one = [twin.learn_one(x, label) for x, label in zip(left_out(X), y, strict=True)]
    monkeypatch.setattr(learner, "_learn", None)  # only large blocks are learned
    assert learner.learn_many(file_rows(X, NAMES), y).tolist() == one_by_one
    assert_same(snapshot(learner), snapshot(twin))


@pytest.mark.parametrize(
    "options", [{}, {"scale": "unit"}, {"hashing": dl.Hashing(4)}], ids=["plain", "unit", "hashed"]
)
@pytest.mark.parametrize("kind", [dl.PA1, dl.Tracker])
def test_dicts_of_any_names_and_missing_values_are_learned_one_by_one_or_at_once(kind: Any, options: Any) -> None:
    """A dict that takes the slow path alone may take the fast path in a list: its missing values stay missing."""
    short = [{"b": 1.0, "c": math.nan, "a": 1.0}, {"b": 1.0, "c": math.nan}, {"a": math.nan}]
    rng = np.random.default_rng(0)
    every = [short]
    for _ in range(30):
        names = [rng.permutation(list("abcd"))[: rng.integers(1, 5)].tolist() for _ in range(6)]
        every.append([{name: float(rng.choice([1.0, -2.0, math.nan])) for name in some} for some in names])
    for X in every:
        y = [k % 2 for k in range(len(X))]
        one, many = kind(**options), kind(**options)
        scores = [one.learn_one(x, label) for x, label in zip(X, y, strict=True)]
        assert many.learn_many(X, y).tolist() == scores
        assert_same(snapshot(many), snapshot(one))
