"""The linear heads of the strong bank: agreement with their oracle row by row, and with the light bank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.rules.tracker.tracker import DENSE_BANK, FULL_BANK, VALUES_BANK
from tests.oracles.joint_tracker import JointTracker
from tests.support.joint_rounds import Example, followed

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def features(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Features of all scales; some hardly vary, and some are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.normal(size=d)
    X[rng.random(X.shape) < 0.03] = math.nan
    X[rng.random(X.shape) < 0.01] *= 1e8
    return X


def classes_of(X: np.ndarray, classes: int) -> np.ndarray:
    """Classes of the first feature; beyond two they appear one after the other."""
    n = len(X)
    rank = np.nan_to_num(X[:, 0]).argsort().argsort() * classes // n
    highest: np.ndarray = np.minimum(rank, 1 + np.arange(n) * 2 * classes // n)
    return highest


def weights_of(n: int) -> np.ndarray:
    return np.random.default_rng(5).choice([0.0, 0.01, 1.0, 30.0], n, p=[0.15, 0.15, 0.5, 0.2])


def dense(n: int, d: int, classes: int, weighted: bool) -> list[Example]:
    X = features(n, d)
    y, w = classes_of(X, classes), weights_of(n) if weighted else np.ones(n)
    w[: classes + 1] = 1.0
    return [Example(*one) for one in zip(X, [f"label {k}" for k in y], y.tolist(), w.tolist(), strict=True)]


def growing(n: int, d: int, classes: int, start: int = 0) -> list[Example]:
    """Dicts with about a third of the features known so far, some of weight 0."""
    rng = np.random.default_rng(d)
    X = features(n, d, seed=1)
    y, w = classes_of(X, classes), weights_of(n)
    w[:4] = 1.0
    known = np.maximum(2, start + np.arange(n) * (d - start) // (n // 2))
    rows: list[dict[Any, float]] = []
    had: set[int] = set()
    for x, most in zip(X.tolist(), known.tolist(), strict=True):
        some = [k for k in range(min(d, most)) if k == 0 or rng.random() < 0.4]
        had |= {k for k in some if not math.isnan(x[k])}
        rows.append({f"f{k}": x[k] for k in some if k in had})  # other missing values are left out anyway
    return [Example(*one) for one in zip(rows, [f"label {k}" for k in y], y.tolist(), w.tolist(), strict=True)]


def in_order(stream: list[Example]) -> list[Example]:
    """The classes renumbered in order of appearance."""
    order = {y: k for k, y in enumerate(dict.fromkeys(one.y for one in stream))}
    return [one._replace(y=order[one.y]) for one in stream]


STREAMS = {
    "two labels": in_order(dense(80, 4, 2, False)),
    "two labels with weights": in_order(dense(80, 3, 2, True)),
    "classes that appear late": in_order(dense(100, 5, 5, False)),
    "classes with weights": in_order(dense(80, 3, 4, True)),
    "more than ten features": in_order(dense(60, 13, 3, True)),
    "dicts of two labels": in_order(growing(80, 14, 2)),
    "dicts of classes": in_order(growing(80, 14, 4)),
    "dicts of many features": in_order(growing(70, 160, 2, 100)),
    "dicts of many features and classes": in_order(growing(70, 160, 4, 100)),
}


@pytest.mark.parametrize("name", STREAMS)
def test_every_round_is_that_by_hand(name: str) -> None:
    """Scores of the heads, standardised features, votes, shares and probabilities."""
    stream, members = STREAMS[name], []
    learner = dl.Tracker()
    oracle = JointTracker()
    for i, (found, due) in enumerate(followed(learner, stream, oracle)):
        assert found.M == due.M, i
        members.append(found.M)
        np.testing.assert_allclose(found.linear, due.linear, **CLOSE, err_msg=f"row {i}")
        if due.standardised is not None:
            size = len(found.standardised)  # new features of a row of weight 0 have no slot
            np.testing.assert_allclose(found.standardised, due.standardised[:size], **CLOSE)
            assert not due.standardised[size:].any()
        np.testing.assert_allclose(found.mass, due.mass, **CLOSE)
        np.testing.assert_allclose(found.p, due.p, **CLOSE)
        assert found.votes.tolist() == due.votes.tolist(), i
    bank = learner._engine.bank
    np.testing.assert_allclose(bank.combination.shares, oracle.combination.G.reshape(9, -1), **CLOSE)
    assert bank.combination.errors.tolist() == oracle.combination.errors.tolist()
    assert learner.n_missing == oracle.heads.views.missing
    assert members[-1] == (
        VALUES_BANK if "many" in name else DENSE_BANK if "ten" in name or "dicts" in name else FULL_BANK
    )
    assert bank.several == ("classes" in name or "ten" in name)


@pytest.mark.parametrize("first", [-1.0, 1.0])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_the_third_label_joins_whichever_of_two_came_first(first: float, weight: float) -> None:
    """Class 0 is always the label -1, class 1 the label +1; the third label may have weight 0."""
    X = features(60, 3)
    y = np.where(np.nan_to_num(X[:, 0]) > X[0, 0], -first, first)
    y[30::5] = 7.0
    w = np.ones(60)
    w[30] = weight
    class_of = {-1.0: 0, 1.0: 1, 7.0: 2}
    learner, ready = dl.Tracker(), False
    stream = [Example(x, label, class_of[label], c) for x, label, c in zip(X, y.tolist(), w.tolist(), strict=True)]
    rounds = followed(learner, stream, JointTracker())
    for i, label in enumerate(y.tolist()):
        told = learner.predict_proba_one(X[i]) if ready else {}
        found, due = next(rounds)
        np.testing.assert_allclose(found.linear, due.linear, **CLOSE, err_msg=f"row {i}")
        np.testing.assert_allclose(found.mass, due.mass, **CLOSE)
        np.testing.assert_allclose(found.p, due.p, **CLOSE)
        assert found.votes.tolist() == due.votes.tolist()
        for other, p in told.items():
            np.testing.assert_allclose(p, due.p[class_of[other]], **CLOSE)
        ready = ready or label == -first
    bank = learner._engine.bank
    assert bank.several and bank.turned == (first == 1.0) and learner.labels == (first, -first, 7.0)
    assert len(told) == 3


@pytest.mark.parametrize("d", [3, 12])
def test_one_head_has_the_scores_of_the_light_bank(d: int) -> None:
    X = features(80, d, seed=3)
    y = np.where(np.nan_to_num(X[:, 0]) > 0.0, 1.0, -1.0)
    strong, light = dl.Tracker(), dl.Tracker("light")
    for x, label, w in zip(X, y, weights_of(80).tolist(), strict=True):
        strong.learn_one(x, label, w)
        light.learn_one(x, label, w)
        size = FULL_BANK if d == 3 else DENSE_BANK
        found, due = strong._engine.bank.heads.scores[0], light._engine.workspace.scores
        assert found[:size].tobytes() == due[:size].tobytes()
