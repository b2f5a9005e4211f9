"""The property of each regressor that its paper states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from driftline.engines.state import TUBE
from tests.support.linear_cases import weights_of, with_constant
from tests.support.regression_cases import targets

numbers = st.floats(-100.0, 100.0)
rows = st.lists(st.floats(-3.0, 3.0), min_size=4, max_size=4).filter(lambda x: sum(v * v for v in x) > 1e-3)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(rows, numbers), min_size=1, max_size=20), st.floats(0.0, 5.0))
def test_pa_leaves_every_example_within_epsilon(examples: list[tuple[list[float], float]], epsilon: float) -> None:
    learner = dl.PARegressor(epsilon)
    for x, y in examples:
        learner.learn_one(np.array(x), y)
        assert abs(y - learner.predict_one(np.array(x))) <= epsilon + 1e-9 * (1.0 + abs(y))


def test_pa_moves_no_further_than_needed() -> None:
    """The error after a step is exactly epsilon, and the step is along x."""
    learner = dl.PARegressor(0.5, bias=False)
    data = targets(5, rounds=200)
    for x, y in zip(data.X, data.y, strict=True):
        before = weights_of(learner, 8)[1:] if learner.n_seen else np.zeros(8)
        predicted = learner.learn_one(x, y)
        moved = weights_of(learner, 8)[1:] - before
        if abs(y - predicted) > 0.5:
            assert abs(y - learner.predict_one(x)) == pytest.approx(0.5)
            assert np.linalg.norm(moved - (moved @ x) / (x @ x) * x) < 1e-9
        else:
            assert not moved.any()


def test_pa1_never_steps_further_than_C() -> None:
    learner = dl.PA1Regressor(0.05, 0.0, bias=False)
    data = targets(6, rounds=300)
    before = np.zeros(9)
    for x, y in zip(data.X, data.y, strict=True):
        learner.learn_one(x, y)
        after = weights_of(learner, 8)
        assert np.linalg.norm(after - before) <= 0.05 * np.linalg.norm(x) * (1.0 + 1e-12)
        before = after


def test_pa_is_the_limit_of_pa1_and_pa2() -> None:
    data = targets(7, rounds=300)
    scores = dl.PARegressor(0.1).learn_many(data.X, data.y)
    assert dl.PA1Regressor(math.inf, 0.1).learn_many(data.X, data.y).tolist() == scores.tolist()
    assert dl.PA2Regressor(math.inf, 0.1).learn_many(data.X, data.y).tolist() == scores.tolist()


@pytest.mark.parametrize("nu", [0.1, 0.4, 0.8])
def test_the_adapted_tube_leaves_a_share_nu_outside(nu: float) -> None:
    data = targets(8, rounds=20_000, drift=0.0)
    learner = dl.NORMARegressor(alpha=0.02, lam=0.0, epsilon=0.0, nu=nu)
    learner.learn_many(data.X[:5000], data.y[:5000])
    before = learner.margin_errors
    learner.learn_many(data.X[5000:], data.y[5000:])
    assert (learner.margin_errors - before) / 15_000 == pytest.approx(nu, abs=0.02)
    assert learner._engine.state[TUBE] > 0.0


def test_norma_with_a_fixed_tube_keeps_it_and_forgets() -> None:
    learner = dl.NORMARegressor(alpha=0.5, lam=0.2, epsilon=0.3, bias=False)
    learner.learn_one(np.array([1.0]), 5.0)
    for _ in range(3):
        learner.learn_one(np.array([0.0]), 0.0)
    assert learner.predict_one(np.array([1.0])) == pytest.approx(0.5 * 0.9**3)
    assert learner._engine.state[TUBE] == 0.3


@pytest.mark.parametrize("constraint", ["l2", "l1"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gradient_descent_stays_in_its_ball(constraint: str, dtype: str) -> None:
    data = targets(9, rounds=500)
    learner = dl.GradientDescent(1.0, 0.7, loss="absolute", constraint=constraint, dtype=dtype)
    order = 1 if constraint == "l1" else 2
    for start in range(0, 500, 50):
        learner.learn_many(data.X[start : start + 50], data.y[start : start + 50])
        assert np.linalg.norm(weights_of(learner, 8), order) <= 0.7 * (1.0 + 1e-5)
    if constraint == "l1":
        assert (weights_of(learner, 8) == 0.0).any()


def test_a_squared_step_never_overshoots() -> None:
    learner = dl.GradientDescent(10.0, bias=False)
    for length in (1e-3, 1.0, 1e6):
        learner.learn_one(np.array([length]), 5.0)
        assert learner.predict_one(np.array([length])) <= 5.0 * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ("learner", "a"),
    [(dl.RecursiveLeastSquares(1.0, 0.5), 0.5), (dl.AROWRegressor(2.0, 0.0), 2.0)],
    ids=["rls", "arow"],
)
def test_without_forgetting_it_is_ridge_regression(learner: dl.Learner, a: float) -> None:
    data = targets(10, rounds=200, weights=(0.3, 1.0, 2.0))
    learner.learn_many(data.X, data.y, data.w)
    X = with_constant(data.X)
    ridge = np.linalg.solve((X.T * data.w) @ X + a * np.eye(9), (X.T * data.w) @ data.y)
    assert weights_of(learner, 8) == pytest.approx(ridge, rel=1e-9)


def test_forgetting_is_weighted_least_squares() -> None:
    """Long after the start the regulariser has no effect, and neither does the limit on P."""
    data = targets(11, rounds=2000)
    learner = dl.RecursiveLeastSquares(0.98, 1e-6)
    learner.learn_many(data.X, data.y)
    X, decay = with_constant(data.X), 0.98 ** np.arange(1999, -1, -1)
    fitted = np.linalg.solve((X.T * decay) @ X, (X.T * decay) @ data.y)
    assert weights_of(learner, 8) == pytest.approx(fitted, rel=1e-6)


def test_a_drifting_filter_follows_a_target_that_jumps() -> None:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(4000, 5))
    y = np.where(np.arange(4000) < 2000, X[:, 0], -X[:, 0])
    errors = {drift: np.abs(dl.AROWRegressor(drift=drift).learn_many(X, y) - y)[-500:].mean() for drift in (0.0, 0.01)}
    assert errors[0.01] < 0.02 < errors[0.0]


@pytest.mark.parametrize("make", [dl.RecursiveLeastSquares, dl.AROWRegressor])
def test_directions_that_are_not_observed_do_not_wind_up(make: type[dl.Learner]) -> None:
    """One feature is constant for long, then moves: the variances stay finite and so do the weights."""
    rng = np.random.default_rng(13)
    X = rng.normal(size=(50_000, 3))
    X[:49_990, 2] = 0.0
    y = X[:, 0] + X[:, 2]
    learner = make()
    scores = learner.learn_many(X, y)
    assert np.isfinite(scores).all() and np.abs(scores - y)[-3:].max() < 5.0
    assert learner._engine.variances.max() <= 200.0  # type: ignore[attr-defined]
