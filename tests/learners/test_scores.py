"""Scores have one type for every learner, whatever labels came.

``score_one`` is a float, and ``scores_one`` a dict of label to score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.engines.state import FIRST
from driftline.learners import SeveralClasses
from driftline.learners.several_classes import leads
from tests.support.bitwise import LINEAR, refused
from tests.support.learner_cases import OTHERS, ROWS, Other, dicts, examples

CASES = {case.name: case for case in [*map(Other, LINEAR), *reversed(OTHERS)]}
every_learner = pytest.mark.parametrize("case", [case for case in CASES.values() if not case.regresses], ids=str)
every_regressor = pytest.mark.parametrize("case", [case for case in OTHERS if case.regresses], ids=str)
MANY = [case for case in CASES.values() if issubclass(dl.REGISTRY[case.name], SeveralClasses)]
every_learner_of_many = pytest.mark.parametrize("case", MANY, ids=str)
always_several = pytest.mark.parametrize("case", [case for case in MANY if case.name != "tracker"], ids=str)
every_kind = pytest.mark.parametrize("kind", ["dense", "dicts"])


def rows_of(case: Other, kind: str) -> Any:
    X, _ = examples(case.feed)
    return X if kind == "dense" else dicts(X)


def check_types(learner: dl.Learner, X: Any) -> tuple[list[float], np.ndarray]:
    """Scores of the rows, all types checked, as one number each and as a matrix."""
    one, many = [learner.score_one(x) for x in X], learner.score_many(X)
    assert {type(score) for score in one} == {float} and many.dtype == np.float64 and many.shape == (ROWS,)
    assert many.tolist() == one
    each, matrix = [learner.scores_one(x) for x in X], learner.scores_many(X)
    assert all(type(scores) is dict and tuple(scores) == learner.labels for scores in each)
    assert {type(score) for scores in each for score in scores.values()} <= {float}
    assert matrix.dtype == np.float64 and matrix.shape == (ROWS, len(learner.labels))
    assert matrix.tolist() == [list(scores.values()) for scores in each]
    proba = learner.predict_proba_many(X)
    assert proba.dtype == np.float64 and proba.shape == (ROWS, len(learner.labels))
    due = [[shares[label] for label in learner.labels] for shares in map(learner.predict_proba_one, X)]
    assert np.allclose(proba, np.reshape(due, proba.shape), rtol=0.0, atol=1e-15)
    return one, matrix


@every_learner
@every_kind
@pytest.mark.parametrize("declared", [False, True], ids=["met", "declared"])
def test_types_and_meaning_with_two_labels(case: Other, kind: str, declared: bool) -> None:
    X, y = rows_of(case, kind), np.where(np.arange(ROWS) % 3 == 0, "no", "yes")
    learner = case.learner(labels=("no", "yes")) if declared else case.learner()
    for stop in (0, 30):
        learner.learn_many(X[:stop], y[:stop])
        one, matrix = check_types(learner, X)
        if not learner.labels:
            continue
        assert learner.labels == ("no", "yes")
        if learner.rule.several:
            assert one == (matrix[:, 1] - matrix[:, 0]).tolist()
            shown = ["yes" if score > 0.0 else "no" for score in one]
        else:
            assert matrix[:, 1].tolist() == one and matrix[:, 0].tolist() == [-score for score in one]
            shown = ["yes" if score >= 0.0 else "no" for score in one]
        assert [learner.predict_one(x) for x in X] == shown == learner.predict_many(X).tolist()


@every_learner
@pytest.mark.parametrize("label", ["no", True])
def test_types_and_meaning_with_one_label(case: Other, label: Any) -> None:
    """The other label is left out. True is positive, except to learners of several classes."""
    X, _ = examples(case.feed)
    learner = case.learner()
    learner.learn_many(X[:5], [label] * 5)
    one, matrix = check_types(learner, X)
    assert learner.labels == (label,) and {learner.predict_one(x) for x in X} == {label}
    sign = 1.0 if label is True and not learner.rule.several else -1.0
    assert matrix[:, 0].tolist() == [sign * score for score in one]


@every_learner_of_many
@every_kind
def test_types_and_meaning_before_and_after_a_third_label(case: Other, kind: str) -> None:
    X, late = rows_of(case, kind), 20
    names = np.array(["a", "b", "c", "d"])[examples("classes")[1].astype(int)]
    names[:late] = np.where(np.arange(late) % 2 == 0, "a", "b")
    learner = case.learner()
    for i in range(ROWS):
        learner.learn_one(X[i], names[i])
        assert type(learner.score_one(X[i])) is float and type(learner) is dl.REGISTRY[case.name]
    one, matrix = check_types(learner, X)
    assert set(learner.labels) == {"a", "b", "c", "d"} and learner.labels[:2] == ("a", "b")
    ranked = np.sort(matrix, axis=1)
    assert one == (ranked[:, -1] - ranked[:, -2]).tolist() and min(one) >= 0.0 and max(one) > 0.0
    shown = [learner.labels[k] for k in np.argmax(matrix, axis=1)]
    assert [learner.predict_one(x) for x in X] == shown == learner.predict_many(X).tolist()
    assert [max(scores, key=scores.__getitem__) for scores in map(learner.scores_one, X)] == shown
    assert len(set(shown)) > 1


@always_several
def test_a_label_that_is_not_known_counts_as_0(case: Other) -> None:
    X, _ = examples(case.feed)
    learner = case.learner()
    assert learner.score_one(X[0]) == 0.0 and learner.score_many(X).tolist() == [0.0] * ROWS
    learner.learn_many(X[:20], ["a"] * 20)
    assert learner.score_many(X).tolist() == (-learner.scores_many(X)[:, 0]).tolist()
    for i in range(20, 40):
        learner.learn_one(X[i], "ab"[i % 2])
    assert np.sign(learner.score_many(X)).tolist() == [1.0 if y == "b" else -1.0 for y in learner.predict_many(X)]


def test_a_tracker_of_two_labels_scores_by_its_vote_and_of_three_by_the_lead() -> None:
    X, y = examples("classes")
    tracker = dl.Tracker()
    tracker.learn_many(X[:20], y[:20] % 2)
    vote = tracker.score_one(X[0])
    assert tracker.scores_one(X[0]) == {0.0: -vote, 1.0: vote} and -1.0 <= vote <= 1.0
    tracker.learn_one(X[20], 2.0)
    first, second, *_ = sorted(tracker.scores_one(X[0]).values(), reverse=True)
    assert tracker.score_one(X[0]) == first - second


def test_leads_of_equal_scores_are_0_and_of_a_single_row_the_same_as_of_many() -> None:
    scores = np.random.default_rng(0).normal(size=(50, 5)).round(1)
    scores[0] = 3.0
    found = leads(scores)
    assert found[0] == 0.0 and found.tolist() == [leads(row[None]).item() for row in scores]
    assert leads(np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0] and leads(np.zeros((0, 4))).shape == (0,)


def test_a_lead_that_overflows_is_refused() -> None:
    learner = dl.MulticlassPerceptron(labels=("a", "b", "c"), bias=False)
    learner.learn_one([1.0], "a")
    learner._engine.weights_of(0)[FIRST], learner._engine.weights_of(1)[FIRST] = 1e308, -1e308
    learner._engine.weights_of(2)[FIRST] = -1e308
    assert learner.scores_one([1.0]) == {"a": 1e308, "b": -1e308, "c": -1e308} and learner.predict_one([1.0]) == "a"
    with refused(learner, "a score must be finite, got weights that have overflowed"):
        learner.score_one([1.0])
    with refused(learner, "a score must be finite, got weights that have overflowed"):
        learner.score_many([[0.0], [1.0]])


@every_regressor
@every_kind
def test_the_score_of_a_regressor_is_its_prediction(case: Other, kind: str) -> None:
    X, y = rows_of(case, kind), examples(case.feed)[1]
    learner = case.learner()
    for stop in (0, 30):
        learner.learn_many(X[:stop], y[:stop])
        one, many = [learner.predict_one(x) for x in X], learner.predict_many(X)
        assert {type(score) for score in one} == {float} and many.dtype == np.float64 and many.shape == (ROWS,)
        assert [learner.score_one(x) for x in X] == one == many.tolist() == learner.score_many(X).tolist()
    for method in ("scores_many", "predict_proba_many"):
        with refused(learner, method, "got a regressor"):
            getattr(learner, method)(X)
