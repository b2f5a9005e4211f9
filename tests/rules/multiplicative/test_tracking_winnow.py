"""TrackingWinnow: agreement with its oracle, the floor, targets that shift, and bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds
from driftline.internals.weight_layout import FIRST
from driftline.rules.multiplicative.tracking_winnow import raise_to_floor
from tests.bounds.observations.tracking_winnow import adversary, shifting
from tests.oracles.multiplicative import TrackingWinnow
from tests.support.bitwise import refused
from tests.support.positive_rows import positive_rows

every_seed = pytest.mark.parametrize("seed", range(3))


@every_seed
@pytest.mark.parametrize("theta, beta, floor", [(1.0, 1.5, 0.01), (2.5, 1.1, 0.7), (0.3, 4.0, 0.1)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_as_its_formula_says(
    theta: float, beta: float, floor: float, bias: bool, sparse: bool, seed: int
) -> None:
    X, y, weights = positive_rows(seed)
    oracle = TrackingWinnow(7 + bias, theta, beta, floor)
    rows = np.hstack([np.ones((len(X), int(bias))), X])
    scores = [oracle.learn(*one) for one in zip(rows, y, weights, strict=True)]
    learner = dl.TrackingWinnow(theta, beta, floor, bias=bias)
    found = learner.learn_many(csr_matrix(X) if sparse else X, y, weights)
    assert found == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert learner.updates == oracle.updates > 50
    known = learner._engine.weights()
    assert known[FIRST:] == pytest.approx(oracle.w[int(bias) :], rel=1e-9)
    assert known[0] == (pytest.approx(oracle.w[0], rel=1e-9) if bias else 0.0)


def test_the_floor_is_under_the_weights_of_the_row_alone() -> None:
    """ln w = (-3, -2, -1) with the constant first; the row has feature 1, the floor is e^-1.5."""
    log_w = np.zeros(FIRST + 2)
    log_w[[0, FIRST, FIRST + 1]] = -3.0, -2.0, -1.0
    raise_to_floor(log_w, np.array([1], np.uint32), 0.0, -1.5)
    assert log_w[[0, FIRST, FIRST + 1]].tolist() == [-3.0, -2.0, -1.0]
    raise_to_floor(log_w, np.array([0, 1], np.uint32), 1.0, -1.5)
    assert log_w[[0, FIRST, FIRST + 1]].tolist() == [-1.5, -1.5, -1.0]


@every_seed
def test_no_weight_is_below_the_floor(seed: int) -> None:
    X, y, weights = positive_rows(seed)
    learner, plain = dl.TrackingWinnow(0.5, 3.0, 0.2), dl.Winnow(0.5, 3.0)
    lowest = []
    for one in zip(X, y, weights, strict=True):
        learner.learn_one(*one)
        plain.learn_one(*one)
        lowest.append(min(learner.weights().values()))
    assert min(lowest) == pytest.approx(0.2) and min(plain.weights().values()) < 0.1


def test_a_floor_that_is_never_reached_changes_nothing() -> None:
    X, y, weights = positive_rows(4)
    learner, plain = dl.TrackingWinnow(2.0, 1.5, 1e-300), dl.Winnow(2.0, 1.5)
    assert learner.learn_many(X, y, weights).tolist() == plain.learn_many(X, y, weights).tolist()
    assert learner._engine.v.tolist() == plain._engine.v.tolist()


def test_a_weight_returns_from_the_floor_in_time() -> None:
    """A feature that was demoted for long matters again: ln(theta / floor) / ln(beta) promotions are enough."""
    counts = {}
    for make in (dl.Winnow(2.0, 1.5, bias=False), dl.TrackingWinnow(2.0, 1.5, 0.05, bias=False)):
        for _ in range(60):  # "b" makes the sum large, and "a" is demoted with it
            make.learn_one({"a": 1.0, "b": 1.0}, 0)
            while make.score_one({"b": 1.0}) < 0.0:
                make.learn_one({"b": 1.0}, 1)
        before = make.updates
        while make.score_one({"a": 1.0}) < 0.0:
            make.learn_one({"a": 1.0}, 1)
        counts[type(make)] = make.updates - before
    assert counts[dl.TrackingWinnow] == math.ceil(math.log(2.0 / 0.05) / math.log(1.5)) == 10
    assert counts[dl.Winnow] > 50


@every_seed
@pytest.mark.parametrize("beta", [1.2, 2.0, 3.59])
@pytest.mark.parametrize("kind", [(30, 1, 5, 150, 0.2), (60, 2, 8, 200, 0.1), (20, 3, 3, 150, 0.1)])
def test_shifting_disjunctions(kind: tuple[int, int, int, int, float], beta: float, seed: int) -> None:
    """Tuned by the theorem, and at other settings; no weight is above beta theta."""
    X, y, known = shifting(seed, *kind)
    best = bounds.TrackingWinnowUpdates(**known, beta=beta)
    for theta, floor in (tuple(best.used), (kind[0] / 2.0, 0.01), (3.0, 0.002)):
        bound = bounds.TrackingWinnowUpdates(**known, beta=beta, theta=theta, floor=floor)
        learner = dl.TrackingWinnow(theta, beta, floor, bias=False)
        learner.learn_many(X, y)
        assert 0 < learner.updates <= bound.value and bound.value >= best.value * (1.0 - 1e-9)
        assert max(learner.weights().values()) <= max(1.0, beta * theta) * (1.0 + 1e-9)


def test_what_is_tuned_is_the_best_pair_of_threshold_and_floor() -> None:
    known = {"n": 100, "N": 20.0, "delta": 1.0, "U": 3.0, "H": math.log(3.0), "up": 9.0, "down": 9.0}
    best = bounds.TrackingWinnowUpdates(**known)
    learner = dl.TrackingWinnow().tune(**known)
    assert (learner.rule.theta, learner.rule.floor) == pytest.approx(best.used) and learner.rule.beta == 1.5
    for theta in best.used[0] * np.geomspace(0.5, 2.0, 9):
        for floor in best.used[1] * np.geomspace(0.3, 1.5, 9):
            other = bounds.TrackingWinnowUpdates(**known, theta=theta, floor=floor)
            assert other.value >= best.value * (1.0 - 1e-4)
    for one in ({"theta": 20.0}, {"floor": 0.02}):
        assert bounds.TrackingWinnowUpdates(**known, **one).value >= best.value * (1.0 - 1e-4)


def test_a_target_that_stands_still_and_no_floor_is_winnows_own_theorem() -> None:
    for beta, theta in ((1.3, 4.0), (1.5, 12.0)):
        known: dict[str, Any] = {"n": 30, "delta": 0.6, "U": 2.5, "H": 0.7, "beta": beta, "theta": theta}
        tracked = bounds.TrackingWinnowUpdates(**known, N=10.0, floor=1e-12)
        assert tracked.value == pytest.approx(bounds.WinnowReal(**known).value, rel=1e-9)


def test_a_floor_that_is_too_high_makes_every_round_a_mistake() -> None:
    """floor |x|_1 >= theta: the all-ones row stays positive whatever is learned, and the theorem refuses."""
    learner = dl.TrackingWinnow(1.0, 1.5, 0.1, bias=False, labels=(0, 1))
    learner.learn_many(np.ones((2000, 10)), np.zeros(2000, int))
    assert learner.updates == 2000
    with pytest.raises(ValueError, match=r"beta \(1 - delta\) < 1 - floor N / theta must hold, got 1\.0"):
        bounds.TrackingWinnowUpdates(n=10, N=10.0, delta=1.0, U=1.0, beta=1.5, theta=1.0, floor=0.1)
    lower = dl.TrackingWinnow(1.0, 1.5, 0.05, bias=False, labels=(0, 1))
    lower.learn_many(np.ones((2000, 10)), np.zeros(2000, int))
    bound = bounds.TrackingWinnowUpdates(n=10, N=10.0, delta=1.0, U=0.0, beta=1.5, theta=1.0, floor=0.05)
    assert 0 < lower.updates <= bound.value < 2000


def test_rises_that_are_told_as_falls_break_the_bound() -> None:
    """For a small threshold falls cost little: the bound holds only if rises are told as rises."""
    updates, known = adversary(8, 1.2, 4.0, 1e-6, 20)
    right = bounds.TrackingWinnowUpdates(**known)
    assert updates <= right.value
    assert updates > bounds.TrackingWinnowUpdates(**(known | {"up": 0.0, "down": 0.0})).value


@pytest.mark.parametrize(
    "given, words",
    [
        ({"theta": 0.0}, "TrackingWinnow: theta must be > 0, got 0.0"),
        ({"beta": 1.0}, "TrackingWinnow: beta must be > 1 and finite, got 1.0"),
        ({"floor": 0.0}, r"TrackingWinnow: floor must be in \(0, 1\), got 0.0"),
        ({"floor": 1.0}, r"TrackingWinnow: floor must be in \(0, 1\), got 1.0"),
        ({"floor": "low"}, "TrackingWinnow: floor must be a number, got 'low'"),
        ({"scale": "standard"}, "TrackingWinnow: scale must be None or 'unit': .*, got 'standard'"),
        ({"dtype": "float32"}, "TrackingWinnow: dtype must be 'float64', got 'float32'. .*"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        dl.TrackingWinnow(**given)


def test_negative_features_are_refused() -> None:
    learner = dl.TrackingWinnow()
    learner.learn_one({"a": 1.0}, 1)
    with refused(learner, "-1.0", "BalancedWinnow"):
        learner.learn_one({"a": -1.0}, 1)
