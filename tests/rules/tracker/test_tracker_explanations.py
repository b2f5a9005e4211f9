"""Explanations of a Tracker with the light bank; some tests are of both banks.

The scores of all experts are sums of terms by place, and so is the smooth vote.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random

import driftline as dl
from driftline.engines.attribution import entries_of
from driftline.engines.tracker import attribution, expert_terms
from driftline.engines.tracker.tracker_engine import TrackerEngine
from driftline.internals.rows import Rows
from tests.support.bitwise import assert_same, refused, snapshot


def dense(features: int, rows: int = 120, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(features)
    X = rng.normal(loc=rng.normal(size=features), size=(rows, features))
    X[rng.random(X.shape) < missing] = np.nan
    return X, np.where(np.nan_to_num(X[:, 0] * X[:, -1] + X[:, 0]) > 0.0, 1, -1)


def sparse(features: int, rows: int = 150) -> tuple[csr_matrix, np.ndarray]:
    X = csr_matrix(random(rows, features, 0.05, random_state=1))
    return X, np.where(np.asarray(X[:, : features // 2].sum(axis=1)).ravel() > X.sum() / rows / 2.0, 1, -1)


LIGHT = {"bank": "light"}
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "full": (LIGHT, dense(4)),
    "full, recipe": ({"bank": "recipe"}, dense(4)),
    "full, missing values": (LIGHT, dense(5, missing=0.3)),
    "dense": (LIGHT, dense(14)),
    "wide": (LIGHT, dense(310, 40)),
    "words": (LIGHT, sparse(400)),
    "words, recipe": ({"bank": "recipe"}, sparse(400)),
    "few columns of a sparse matrix": (LIGHT, sparse(60)),
}


def engine_and_row(learner: dl.Learner, x: Any) -> tuple[TrackerEngine, Rows]:
    engine = learner._engine
    assert isinstance(engine, TrackerEngine)
    return engine, learner._encoder.one(x, False)


@pytest.mark.parametrize("case", CASES)
def test_every_expert_is_the_sum_of_its_terms(case: str) -> None:
    parameters, (X, y) = CASES[case]
    learner, half = dl.Tracker(**parameters), len(y) // 2
    for k in range(len(y)):
        if k in (0, 1, 3, half, len(y) - 1):
            engine, row = engine_and_row(learner, X[k])
            found = engine.attribute(row)
            workspace, indices = engine.workspace, entries_of(row)[0]
            vote, members, shares = attribution.scored(engine, row, indices)
            size = 1 + int(np.count_nonzero(expert_terms.there(engine.views, indices) & (entries_of(row)[1] != 0.0)))
            sums = np.zeros(members)
            for experts, _, terms in expert_terms.expert_terms(attribution.experts_in(engine), members, size):
                sums[experts] += terms.sum(axis=1)
            assert sums == pytest.approx(workspace.scores[:members], rel=1e-9, abs=1e-9)
            assert vote == found.vote == learner.score_one(X[k])
            # the smooth counterpart of the vote, from its definition
            F, stack = workspace.features[:members], engine.voting.stack[:, :members]
            smooth = shares[0] - shares[1] + shares[5:] @ F + shares[2:5] @ np.tanh(stack @ F)
            assert math.fsum(found.all()) == pytest.approx(smooth, abs=1e-12)
            assert learner.explain_one(X[k]).score == pytest.approx(smooth, abs=1e-12)
        learner.learn_many(X[k : k + 1], y[k : k + 1])


@pytest.mark.parametrize("case", CASES)
def test_explaining_changes_nothing(case: str) -> None:
    parameters, (X, y) = CASES[case]
    learner, twin = dl.Tracker(**parameters), dl.Tracker(**parameters)
    for k in range(0, len(y), 5):
        before = snapshot(learner)
        learner.explain_one(X[k])
        learner.feature_weights()
        assert_same(before, snapshot(learner))
        assert np.array_equal(
            learner.learn_many(X[k : k + 5], y[k : k + 5]), twin.learn_many(X[k : k + 5], y[k : k + 5])
        )


@pytest.mark.parametrize("bank", ["strong", "light"])
def test_the_sign_of_the_smooth_score_is_mostly_that_of_the_vote(bank: Any) -> None:
    learner, agree = dl.Tracker(bank), 0
    for X, y in dl.streams.SEA(2000, seed=1):
        for k in range(0, len(y), 5):
            found = learner.explain_one(X[k])
            assert found.vote is not None
            agree += (found.score >= 0.0) == (found.vote >= 0.0)
            learner.learn_many(X[k : k + 5], y[k : k + 5])
    assert agree >= 0.97 * 400


def test_products_belong_to_both_features_by_halves() -> None:
    places = expert_terms.quad_places(3)
    assert places.tolist() == [0, 1, -1, 2, -2, -3, 3, -4, -5, -6]
    i, j = expert_terms.pair_slots(-1 - places[places < 0])
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    learner = dl.Tracker("light")
    rng = np.random.default_rng(2)
    for _ in range(600):  # the label is the sign of a product
        a, b = rng.choice([-1.0, 1.0], 2)
        learner.learn_one({"a": a, "b": b, "c": rng.normal()}, a * b > 0.0)
    found = learner.explain_one({"a": 1.0, "b": 1.0, "c": 0.0})
    assert found.score > 0.3 and {name for name, _ in found.largest(2)} <= {"a", "b", "(bias)"}
    assert found.contributions["a"] == pytest.approx(found.contributions["b"], abs=0.15)


@pytest.mark.parametrize("bank", ["strong", "light"])
def test_missing_values_have_a_mark(bank: Any) -> None:
    learner = dl.Tracker(bank)
    rng = np.random.default_rng(2)
    for _ in range(200):
        x = {"a": rng.normal() + 3.0, "b": rng.normal() + 3.0, "c": 0.0}
        learner.learn_one(x, x["a"] > 3.0)
    for x in ({"a": math.nan, "b": 3.5}, {"b": 3.5}, {"a": None, "b": 3.5, "new": 1.0}):
        names = set(learner.explain_one(x).contributions)
        assert "a (missing)" in names and "a" not in names and "b" in names
        assert not names & {"new", "c (missing)"}
    columns = dl.Tracker(bank)
    columns.learn_many(*dense(3))
    assert "1 (missing)" in columns.explain_one([1.0, math.nan, 2.0]).contributions


@pytest.mark.parametrize("bank", ["strong", "light"])
def test_several_labels(bank: Any) -> None:
    learner = dl.Tracker(bank)
    rng = np.random.default_rng(5)
    for _ in range(300):
        label = "abc"[rng.integers(3)]
        learner.learn_one({"x": rng.normal() + 2.0 * "abc".index(label), "y": rng.normal()}, label)
    x = {"x": 0.1, "y": 0.3}
    votes = learner.scores_one(x)
    for label in learner.labels:
        found = learner.explain_one(x, label)
        assert found.vote == votes[label] and found.label == label
        assert (found.score > 0.0) == (found.vote > 0.0)
    assert learner.explain_one(x).label == "a" == learner.predict_one(x)
    assert learner.explain_one(x, "a").contributions["x"] > 0.0
    weights = dict(learner.feature_weights())
    assert weights["a: x"] < 0.0 < weights["c: x"]
    assert learner.feature_weights(label="c")[0] == ("x", weights["c: x"])
    with pytest.raises(ValueError, match=r"^Tracker\.feature_weights: label must be one of"):
        learner.feature_weights(label="d")


def test_a_tracker_inside_other_learners() -> None:
    X, y = dense(3)
    for learner in (dl.LabelEfficient("tracker"), dl.OneVsRest("tracker"), dl.Committee(["tracker", "pa1"])):
        learner.learn_many(X, y)
        found = learner.explain_one(X[0])
        score = found.score if found.vote is None else found.vote
        assert score == pytest.approx(learner.scores_one(X[0])[found.label], abs=1e-12)


# weights of features --------------------------------------------------------------------------
@pytest.mark.parametrize("noise", [3, 20, 310])
@pytest.mark.parametrize("bank", ["strong", "light"])
def test_feature_weights_find_the_features_that_matter(bank: Any, noise: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700 if noise < 300 else 300, noise + 2))
    y = np.where(X[:, 0] - 0.5 * X[:, 1] > 0.0, 1, -1)
    learner = dl.Tracker(bank)
    assert learner.feature_weights() == []
    learner.learn_many(X, y)
    (first, one), (second, two) = learner.feature_weights(2)
    assert (first, second) == (0, 1) and one > 0.0 > two
    assert len(learner.feature_weights()) == noise + 2
    scaled = dl.Tracker(bank)
    scaled.learn_many(X * 1024.0, y)  # a standard deviation is one of the unit of the feature
    assert dict(scaled.feature_weights()) == pytest.approx(dict(learner.feature_weights()), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("bank", ["strong", "light", "recipe"])
def test_feature_weights_of_words(bank: Any) -> None:
    rng = np.random.default_rng(3)
    learner = dl.Tracker(bank=bank)
    for _ in range(400):
        spam = rng.random() < 0.5
        words = {f"w{k}": 1.0 for k in rng.integers(500, size=12)} | ({"offer": 1.0} if spam else {"project": 1.0})
        learner.learn_one(words, spam)
    weights = dict(learner.feature_weights())
    assert {name for name, _ in learner.feature_weights(2)} == {"offer", "project"}
    assert weights["offer"] > 0.0 > weights["project"]


def test_feature_weights_refuse_bad_arguments() -> None:
    learner = dl.Tracker()
    for k in (0, 1.5, True):
        with pytest.raises(ValueError, match=r"^Tracker\.feature_weights: k must be a whole number >= 1"):
            learner.feature_weights(k)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^Tracker\.feature_weights: label must be None"):
        learner.feature_weights(label="a")
    with refused(learner, "label must be one of ()"):
        learner.explain_one({"a": 1.0}, "x")
