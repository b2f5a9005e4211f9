"""Experts for real outcomes: agreement with their oracles, the contract of learners, and bad input."""

from __future__ import annotations

import copy
import math
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.rules.experts.aggregating_experts import substitution
from tests.oracles import experts as oracles
from tests.support.bitwise import assert_same, refused, snapshot

SETTINGS: list[tuple[type[Any], dict[str, Any]]] = [
    (dl.SquareLossExperts, {}),
    (dl.SquareLossExperts, {"eta": 2.0}),
    (dl.SquareLossExperts, {"B": 40.0}),
    (dl.AggregatingExperts, {}),
    (dl.AggregatingExperts, {"eta": 0.1}),
    (dl.AggregatingExperts, {"B": 40.0}),
    (dl.SquareLossFixedShare, {}),
    (dl.SquareLossFixedShare, {"alpha": 0.2, "eta": 0.1, "B": 1.0}),
    (dl.SquareLossFixedShare, {"alpha": 1.0, "B": 40.0}),
]
every_setting = pytest.mark.parametrize(("make", "parameters"), SETTINGS, ids=str)
KINDS = (dl.SquareLossExperts, dl.AggregatingExperts, dl.SquareLossFixedShare)
every_kind = pytest.mark.parametrize("make", KINDS)
ROUNDS = 60


def rounds(B: float, seed: int = 3, n: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions and outcomes in [-B, B], some of which are at the ends, and sample weights."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(-1.0, 1.0, ROUNDS)
    Z = np.clip(y[:, None] + rng.normal(size=(ROUNDS, n)) * rng.uniform(0.1, 1.5, n), -1.0, 1.0)
    y[::9] = np.sign(y[::9])
    Z[rng.random(Z.shape) < 0.1] = 0.0
    return B * Z, B * y, rng.choice([0.0, 0.5, 1.0], ROUNDS)


def rows_of(form: str, Z: np.ndarray) -> Any:
    """As an array, as sparse rows, or as dicts with all names."""
    if form == "dicts":
        return [dict(zip("abcde", row, strict=True)) for row in Z.tolist()]
    return csr_matrix(Z) if form == "csr" else Z


@every_setting
@pytest.mark.parametrize("form", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_as_its_formula_says(make: Any, parameters: dict[str, Any], form: str, seed: int) -> None:
    Z, y, w = rounds(parameters.get("B", 1.0), seed)
    oracle = getattr(oracles, make.__name__)(5, **parameters)
    scores = [oracle.learn(*one) for one in zip(Z, y, w, strict=True)]
    learner = make(**parameters)
    found = learner.learn_many(rows_of(form, Z), y, w)
    assert found == pytest.approx(scores, rel=1e-9, abs=1e-12)
    assert learner.losses() == pytest.approx(oracle.L, rel=1e-12) and learner.loss == pytest.approx(oracle.loss)
    assert learner.distribution() == pytest.approx(oracle.shares(), rel=1e-9)
    assert learner.updates == int((w > 0.0).sum()) and learner.n_seen == ROUNDS
    assert (learner.mistakes, learner.label_errors, learner.margin_errors) == (0, 0, int((found != y).sum()))


@pytest.mark.parametrize("seed", range(5))
def test_a_substitution_never_loses_more_than_the_mix(seed: int) -> None:
    """(p - y)^2 <= g(y) for every outcome y in [-B, B], which is what its theorem rests on."""
    rng = np.random.default_rng(seed)
    for _ in range(200):
        B = float(rng.choice([0.1, 1.0, 7.0]))
        n = int(rng.integers(1, 6))
        v, z = rng.dirichlet(np.full(n, 0.5)) + 1e-12, B * rng.uniform(-1.0, 1.0, n)
        eta = 1.0 / (2.0 * B * B) * float(rng.choice([1.0, 0.3]))
        p = substitution(v, z, eta, B)
        outcomes = B * np.linspace(-1.0, 1.0, 101)
        g = -np.log(np.exp(-eta * (z[:, None] - outcomes) ** 2).T @ (v / v.sum())) / eta
        assert np.all((p - outcomes) ** 2 <= g + 1e-9 * B * B)


@every_setting
@pytest.mark.parametrize("form", ["dense", "csr", "dicts"])
def test_blocks_are_loops(make: Any, parameters: dict[str, Any], form: str) -> None:
    Z, y, _ = rounds(parameters.get("B", 1.0))
    X = rows_of(form, Z)
    one = make(**parameters)
    scores = [one.learn_one(X[i], y[i]) for i in range(ROUNDS)]
    for cuts in ([0, ROUNDS], [0, 1, 2, 30, ROUNDS], [0, 17, 17, 18, 41, ROUNDS]):
        many = make(**parameters)
        found = [many.learn_many(X[i:j], y[i:j]) for i, j in pairwise(cuts)]
        assert np.concatenate(found).tolist() == scores
        assert_same(snapshot(one), snapshot(many))
    block = make(**parameters).test_then_train(X, y)
    assert block.scores.tolist() == scores and block.y.tolist() == y.tolist() and block.regression


@every_setting
@pytest.mark.parametrize("form", ["dense", "csr", "dicts"])
def test_scoring_changes_nothing(make: Any, parameters: dict[str, Any], form: str) -> None:
    B = parameters.get("B", 1.0)
    Z, y, _ = rounds(B)
    X, learner = rows_of(form, Z), make(**parameters)
    for part in (0, 30):  # also before anything was learned
        learner.learn_many(X[:part], y[:part])
        before = snapshot(learner)
        many = learner.score_many(X)
        assert [learner.score_one(X[i]) for i in range(ROUNDS)] == many.tolist() == learner.predict_many(X).tolist()
        assert [learner.predict_one(X[i]) for i in range(ROUNDS)] == many.tolist() and np.abs(many).max() <= B
        assert_same(before, snapshot(learner))
    explained = learner.explain_one(X[0])
    assert explained.score == pytest.approx(learner.score_one(X[0]), rel=1e-9, abs=1e-12)


@every_setting
def test_copies_and_saved_models_go_on_exactly(make: Any, parameters: dict[str, Any], tmp_path: Path) -> None:
    Z, y, _ = rounds(parameters.get("B", 1.0))
    for at in (0, 1, 30):
        learner = make(**parameters)
        learner.learn_many(Z[:at], y[:at])
        learner.save(tmp_path / "a.dl")
        others = [dl.load(tmp_path / "a.dl"), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
        scores = learner.learn_many(Z[at:], y[at:]).tolist()
        for other in others:
            assert other.rule == learner.rule
            assert other.learn_many(Z[at:], y[at:]).tolist() == scores
            assert_same(snapshot(learner), snapshot(other))


@every_kind
@pytest.mark.parametrize("form", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("taught", [False, True])
def test_a_refused_call_changes_nothing(make: Any, form: str, taught: bool) -> None:
    Z, y, _ = rounds(2.0)
    learner = make(B=2.0)
    if taught:
        learner.learn_many(rows_of(form, Z), y)
    bad = Z[:6].copy()
    bad[3, 2] = 2.5
    for call in (lambda: learner.learn_many(rows_of(form, bad), y[:6]), lambda: learner.score_many(rows_of(form, bad))):
        with refused(learner, " must be predictions from -2 to 2, got 2.5 from expert 2", "Set B"):
            call()
    wrong = y[:6].copy()
    wrong[4] = -2.5
    with refused(learner, "row 4 must have an outcome from -2 to 2, got -2.5", "Set B"):
        learner.learn_many(rows_of(form, Z[:6]), wrong)
    with refused(learner, "x must have an outcome from -2 to 2, got 3.0"):
        learner.learn_one(rows_of(form, Z)[0], 3)
    for target in (math.nan, math.inf, "1", None, True, 1j):
        with refused(learner, "a target must be"):
            learner.learn_one(rows_of(form, Z)[0], target)
    learner.learn_many(rows_of(form, Z[:6]), y[:6])


@every_kind
def test_the_number_of_experts_is_fixed(make: Any) -> None:
    learner = make()
    with refused(learner, "at least one expert"):
        learner.learn_one({}, 0.5)
    learner.learn_one({"a": 0.5, "b": -0.5}, 0.3)
    with refused(learner, "must be advice of the 2 experts of the first example, got 0.1 from expert 2"):
        learner.learn_one({"a": 0.5, "b": -0.5, "c": 0.1}, 0.3)
    assert learner.learn_one({"a": 0.4}, 0.1) == pytest.approx(learner_with_zero(make), rel=1e-12)


def learner_with_zero(make: Any) -> float:
    learner = make()
    learner.learn_one({"a": 0.5, "b": -0.5}, 0.3)
    return float(learner.learn_one({"a": 0.4, "b": 0.0}, 0.1))


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (dl.SquareLossExperts, {"eta": 0.0}, "SquareLossExperts: eta must be > 0, got 0.0"),
        (dl.SquareLossExperts, {"B": 0.0}, "SquareLossExperts: B must be > 0, got 0.0"),
        (dl.SquareLossExperts, {"B": math.inf}, "SquareLossExperts: B must be finite, got inf"),
        (dl.SquareLossExperts, {"B": 1e101}, "SquareLossExperts: B must be from 1e-100 to 1e\\+100, got 1e\\+101"),
        (dl.AggregatingExperts, {"eta": 0.6}, r"AggregatingExperts: eta must be at most 1 / \(2 B\^2\) = 0.5, got 0.6"),
        (dl.SquareLossFixedShare, {"alpha": 0.0}, "SquareLossFixedShare: alpha must be >= 1e-100 and <= 1, got 0.0"),
        (dl.AggregatingExperts, {"scale": "unit"}, "AggregatingExperts: scale must be None: .*"),
        (dl.AggregatingExperts, {"labels": (0, 1)}, "AggregatingExperts: labels must be None: targets are real .*"),
        (dl.AggregatingExperts, {"class_weight": "balanced"}, "AggregatingExperts: class_weight must be None: .*"),
        (dl.AggregatingExperts, {"bias": True}, "AggregatingExperts: bias must be False: .*"),
        (
            dl.Committee,
            {"combine": "aggregatingexperts"},
            "Committee: combine must be a rule of experts for labels, .*",
        ),
        (dl.OneVsRest, {"learner": "aggregatingexperts"}, "OneVsRest: .*"),
        (dl.LabelEfficient, {"learner": "aggregatingexperts"}, "LabelEfficient: .*"),
    ],
)
def test_wrong_parameters(make: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        make(**given)


def test_the_scale_of_outcomes_is_the_scale_of_predictions() -> None:
    for make in KINDS:
        Z, y, _ = rounds(1.0)
        small, large = make(), make(B=64.0)
        assert (64.0 * small.learn_many(Z, y)).tolist() == pytest.approx(large.learn_many(64.0 * Z, 64.0 * y), rel=1e-9)


def test_a_theorem_prescribes_alpha() -> None:
    learner = dl.SquareLossFixedShare().tune(n=10, L=5.0, k=4, T=1001)
    assert learner.rule.alpha == 0.004 and learner.rule.eta == 0.5
