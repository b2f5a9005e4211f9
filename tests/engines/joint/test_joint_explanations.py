"""Explanations of the strong bank: contributions that add up to the smooth counterpart of the vote."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random

import driftline as dl
from driftline.engines.joint import attribution
from driftline.engines.joint.combination import CLASSES, LOG_FLOOR, LOG_SCALE, Combination
from driftline.engines.joint.families import EXPERTS, FAMILIES, FIRST
from driftline.engines.joint.feature_weights import family_weights
from driftline.engines.joint.joint_bank import JointBank
from driftline.engines.joint.smooth_vote import best_of_others, log_odds, through_margins, through_odds
from driftline.engines.tracker.state import SLOTS
from tests.support.bitwise import assert_same, snapshot


def dense(features: int, classes: int = 2, rows: int = 90, missing: float = 0.0) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(features)
    X = rng.normal(loc=rng.normal(size=features), size=(rows, features))
    y = (np.abs(X[:, 0] + X[:, -1]) * 1.2).astype(int) % classes
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def sparse(features: int, classes: int = 2, rows: int = 90) -> tuple[Any, np.ndarray]:
    X = csr_matrix(random(rows, features, 0.05, random_state=1))
    return X, np.asarray(X[:, : features // 2].sum(axis=1)).ravel().astype(int) % classes


CASES: dict[str, tuple[Any, np.ndarray]] = {
    "full": dense(4),
    "missing values": dense(5, missing=0.3),
    "dense": dense(14),
    "only neighbours": dense(140, rows=40),
    "without families": dense(310, rows=40),
    "words": sparse(400),
    "few columns of a sparse matrix": sparse(60),
    "three classes": dense(4, 3),
    "three classes, missing values": dense(14, 3, missing=0.3),
    "three classes of words": sparse(400, 3),
}


def bank_of(learner: dl.Learner) -> JointBank:
    bank = getattr(learner._engine, "bank", None)
    assert isinstance(bank, JointBank)
    return bank


def softmax(logits: np.ndarray) -> np.ndarray:
    p: np.ndarray = np.exp(logits - logits.max())
    return np.asarray(p / p.sum())


def smooth(own: Combination, scores: np.ndarray, c: int) -> float:
    """The smooth counterpart of the vote on class c, from its definition, after the row was scored."""
    classes, shares = int(own.counts[CLASSES]), own.sums
    scores = np.vstack([-scores, scores]) if len(scores) == 1 else scores[:classes]
    rms, heard = np.sqrt(own.new_squares), (own.active == 1) & (own.new_squares > 1e-18)
    before = np.zeros(classes)
    for r in range(classes):
        for i in (0, 1):
            before[r] += shares[i] * (1.0 if own.votes[i] == r else -1.0)
        for k in (0, 1):
            before[r] += shares[2 + k] * (2.0 * own.guesses[k, r] - 1.0)
        for j in np.flatnonzero(heard):
            rival = max(scores[other, j] for other in range(classes) if other != r)
            before[r] += shares[5 + j] * math.tanh((scores[r, j] - rival) / 2.0 / rms[j])
    features = np.array([before / (1.0 - shares[4]), *(np.log(own.guesses[:2, :classes] + LOG_FLOOR) / LOG_SCALE)])
    second = [softmax(w[:3] @ features + w[3 : 3 + classes])[c] for w in own.again.weights.reshape(2, -1)]
    parts = [*own.guesses[:2, c], *second, *own.guesses[4 : len(own.weights), c]]
    return float(before[c] + shares[4] * (2.0 * (own.weights @ parts) - 1.0))


@cache
def trained(case: str) -> dl.Tracker:
    X, y = CASES[case]
    learner = dl.Tracker()
    learner.learn_many(X[:-4], y[:-4])
    return learner


@pytest.mark.parametrize("case", CASES)
def test_contributions_add_up_to_the_smooth_vote(case: str) -> None:
    X, _ = CASES[case]
    learner = trained(case)
    before = snapshot(learner)
    for k in range(1, 5):
        row = X[len(CASES[case][1]) - k]
        votes = learner.scores_one(row)
        for at, label in enumerate(learner.labels):
            found, bank = learner.explain_one(row, label), bank_of(learner)
            c = (1 - at if bank.turned and at < 2 else at) if bank.several else at
            due = smooth(bank.combination, bank.buffers.scores[0], c)
            assert found.score == pytest.approx(due, abs=1e-9)
            assert found.score == math.fsum(found.contributions.values())
            assert found.vote == votes[label]
        curved = case not in ("without families", "words", "three classes of words")
        assert ("(neighbours)" in found.contributions) == curved
        learner.feature_weights()
    assert_same(before, snapshot(learner))


def test_explaining_between_rounds_changes_no_bit() -> None:
    X, y = CASES["three classes"]
    one, other = dl.Tracker(), dl.Tracker()
    for k in range(0, 90, 15):
        if k:
            one.explain_one(X[k])
            one.feature_weights()
        part = slice(k, k + 15)
        assert np.array_equal(one.learn_many(X[part], y[part]), other.learn_many(X[part], y[part]))


def test_a_row_with_more_features_than_the_families_take() -> None:
    learner = dl.Tracker()
    rng = np.random.default_rng(1)
    for _ in range(30):
        x = {f"f{k}": rng.normal() for k in range(5)}
        learner.learn_one(x, x["f0"] > 0.0)
    wide = {"f0": 1.0} | {f"new{k}": 1.0 for k in range(400)}
    found, bank = learner.explain_one(wide), bank_of(learner)
    assert found.score == pytest.approx(smooth(bank.combination, bank.buffers.scores[0], 1), abs=1e-9)
    assert found.vote == learner.score_one(wide) and not {"(waves)", "(neighbours)"} & set(found.contributions)


@pytest.mark.parametrize("case", ["linear", "tree", "three classes"])
def test_a_feature_that_decides_alone_gets_most_of_the_score(case: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 5))
    y = {"linear": X[:, 2] > 0.0, "tree": np.abs(X[:, 2]) < 0.7, "three classes": np.digitize(X[:, 2], [-0.5, 0.5])}
    learner = dl.Tracker()
    learner.learn_many(X, y[case].astype(int))
    mine, others = [], []
    for value in (-1.5, 0.0, 1.5) if case != "linear" else (-1.5, 1.5):
        for row in rng.normal(size=(4, 5)):
            row[2] = value
            found = learner.explain_one(row).contributions
            mine.append(abs(found[2]))
            others.append([abs(found.get(k, 0.0)) for k in (0, 1, 3, 4)])
    assert np.mean(mine) > 4.0 * np.mean(others) and np.mean(mine) > np.mean(np.sum(others, axis=1))


@pytest.mark.parametrize("case", ["full", "three classes"])
def test_trees_count_by_their_own_contributions(case: str) -> None:
    """A share p counts as 2 p - 1: its contributions are doubled, and 1 is subtracted from the constant."""
    learner = trained(case)
    learner.explain_one(CASES[case][0][0])
    bank = bank_of(learner)
    slots, c = int(bank.own[SLOTS]), 1
    scores = bank.buffers.scores[0, : bank.classes]
    for word, factor, less in (("forest", 2.0, 1.0), ("paths", 1.0, 0.0)):
        for e in range(2):
            factors, by_slot = np.zeros_like(scores), np.zeros(slots)
            factors[c if bank.several else 0, FIRST[word] + e] = 0.5
            constant, named = attribution._add_families(bank, scores, factors, by_slot, 0.25)
            own = bank.curved[word].attribute(bank.buffers.Z[0], slots)[e][c]
            assert by_slot == pytest.approx(0.5 * factor * own[1:], abs=1e-12) and named == {}
            assert constant == pytest.approx(0.25 + 0.5 * (factor * own[0] - less), abs=1e-12)


def test_named_terms_are_shown() -> None:
    learner = trained("full")
    found = learner.explain_one(CASES["full"][0][0])
    assert {"(waves)", "(neighbours)"} <= set(found.contributions)
    assert "(neighbours)" in str(found) and "(waves)" in found._repr_html_()
    assert {"(waves)", "(neighbours)"} <= dict(found.to_dict()["contributions"]).keys()


def test_feature_weights_see_what_no_line_sees() -> None:
    """The label follows a step of feature 1; feature 0 is noise, feature 2 has never varied."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 3))
    X[:, 2] = 7.0
    learner = dl.Tracker()
    learner.learn_many(X, np.where(X[:, 1] > 0.4, 1, -1))
    weights = dict(learner.feature_weights())
    assert weights[1] > 3.0 * abs(weights[0])
    for word in FAMILIES:
        found = family_weights(bank_of(learner), word, np.ones((1, EXPERTS)))
        assert found[1] > abs(found[0]) and found[2] == 0.0


def test_feature_weights_are_the_same_after_scoring_and_in_a_copy(tmp_path: Any) -> None:
    learner = trained("three classes")
    before = learner.feature_weights()
    learner.score_one(CASES["three classes"][0][0])
    assert learner.feature_weights() == before
    learner.save(tmp_path / "m.dl")
    copy = dl.load(tmp_path / "m.dl")
    assert isinstance(copy, dl.Tracker) and copy.feature_weights() == before


def test_log_odds_and_their_factors() -> None:
    logits = np.array([0.3, -1.0, 2.0, 800.0])
    p = softmax(logits[:3])
    assert log_odds(logits[:3]) == pytest.approx(np.log(p / (1.0 - p)))
    for factors in ([1.0, 0.0, 0.0, 0.0], [0.5, -1.0, 2.0, 3.0]):
        on_logits, constant = through_odds(logits, np.array(factors))
        assert np.isfinite(on_logits).all() and on_logits.sum() == pytest.approx(0.0, abs=1e-12)
        assert constant + on_logits @ logits == pytest.approx(log_odds(logits) @ factors)


def test_classes_that_tie_for_the_best_share_the_factor() -> None:
    ratios = np.array([[0.0, 1.0, 2.0, 1.0], [0.0, 3.0, 2.0, 0.0], [0.0, 1.0, 1.0, -1.0]])
    assert best_of_others(ratios).T.tolist() == [[0, 0, 0], [3, 1, 3], [2, 2, 2], [0, 1, 1]]
    factors = np.zeros((3, 4))
    factors[1] = 1.0
    found = through_margins(ratios, factors)
    assert found.T.tolist() == [[-0.25, 0.5, -0.25], [-0.25, 0.5, -0.25], [-0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]]
    every = np.arange(12.0).reshape(3, 4)
    margins = 0.5 * (ratios - best_of_others(ratios))
    assert (through_margins(ratios, every) * ratios).sum() == pytest.approx((every * margins).sum())
