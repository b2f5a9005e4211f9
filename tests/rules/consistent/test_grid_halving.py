"""GridHalving: agreement with its oracle, its bound, an adversary, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.consistent import grid_halving
from driftline.engines.state import FIRST
from tests.oracles.consistent import GridHalving
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import separable, stream, with_constant

every_seed = pytest.mark.parametrize("seed", range(3))


@every_seed
@pytest.mark.parametrize("grid", ["sqrt", "lecture"])
@pytest.mark.parametrize("n, gamma, bias", [(2, 0.3, False), (2, 0.9, True), (3, 0.9, False), (1, 0.01, False)])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_grid_halving_is_as_its_formula_says(
    n: int, gamma: float, bias: bool, grid: Any, noise: float, seed: int
) -> None:
    data = stream(seed, rounds=80, n=n, drift=0.0, noise=noise)
    oracle = GridHalving(n + bias, gamma, 1.5, 0.8, grid)
    inside = with_constant(data.X) if bias else data.X
    votes = [oracle.learn(x, y) for x, y in zip(inside, data.y, strict=True)]
    empty = oracle.emptied
    for rows in (data.X, data.csr):
        learner = dl.GridHalving(gamma, 1.5, 0.8, grid, features=n, bias=bias)
        trials = learner.test_then_train(rows, data.y)
        assert trials.scores == pytest.approx(votes, abs=1e-12)
        assert np.flatnonzero(trials.infeasible).tolist() == empty
        assert learner.infeasible == len(empty)
        w = learner._engine.weights()
        assert np.concatenate([w[: int(bias)], w[FIRST:]]) == pytest.approx(oracle.w, abs=1e-9)
        assert learner._engine.extent()[1] == len(oracle.alive)
    assert noise == 0.0 or empty


@every_seed
@pytest.mark.parametrize("grid", ["sqrt", "lecture"])
@pytest.mark.parametrize("n, margin", [(2, 0.1), (3, 0.35)])
def test_grid_halving_within_its_bound(n: int, margin: float, grid: Any, seed: int) -> None:
    data, u = separable(seed, 80, n, margin)
    gamma = float(np.min(data.y * (data.X @ u)))
    learner = dl.GridHalving(gamma * (1.0 - 1e-9), grid=grid, bias=False)
    learner.learn_many(data.X, data.y)
    oracle = GridHalving(n, gamma, grid=grid)
    points = oracle.points
    assert learner.label_errors <= oracle.bound
    assert learner.updates > 0 and learner.infeasible == 0
    near = points[np.argmin(np.abs(points - u).max(axis=1))]
    assert (data.y * (data.X @ near) > 0.0).all()


@pytest.mark.parametrize("n, gamma", [(2, 0.05), (2, 0.002), (3, 0.5)])
def test_an_adversary_makes_halving_err_until_one_candidate_is_left(n: int, gamma: float) -> None:
    """The label is always the minority's, so that each round halves; lg(points) rounds are the most there can be."""
    rng = np.random.default_rng(0)
    learner = dl.GridHalving(gamma, bias=False, features=n)
    for _ in range(300):
        before = learner._engine.extent()[1]
        x, mean = rng.normal(size=n), learner._engine.weights()[FIRST:]
        if mean.any():  # across the mean of those that are left
            x -= (x @ mean) / (mean @ mean) * mean
        score = learner.score_one(x)
        if abs(score) == 1.0:
            continue
        learner.learn_one(x, -1 if score >= 0.0 else 1)
        assert before == 0 or learner._engine.extent()[1] <= before / 2
    bound = GridHalving(n, gamma).bound
    assert 0.5 * bound < learner.label_errors <= bound
    assert learner.infeasible == 0


def test_an_axis_has_one_point_more_than_the_lecture_says() -> None:
    """2 ceil(N) + 1 where it counts ceil(2 N) + 1: N = 2 R W d / gamma = 2.4 gives 7, not 6."""
    learner = dl.GridHalving(gamma=2.0 / 2.4, grid="lecture", bias=False)
    learner.learn_one([1.0], 1, 0.0)
    assert learner._engine.extent()[1] == 0  # a weight of 0 makes no grid
    learner.learn_one([1.0], 1)
    assert learner._engine.points.size == 7
    assert learner._engine.extent()[1] == 4


def test_halving_starts_anew_where_nothing_is_left() -> None:
    learner, fresh = dl.GridHalving(0.3, bias=False), dl.GridHalving(0.3, bias=False)
    learner.learn_many([[1.0, 0.0], [1.0, 0.0]], [1, -1])
    assert (learner.infeasible, learner.updates) == (1, 1)
    assert learner._engine.extent()[1] == learner._engine.points.size
    assert learner.learn_one([0.3, 1.0], 1) == fresh.learn_one([0.3, 1.0], 1)
    strict = dl.GridHalving(0.3, empty="raise", bias=False)
    strict.learn_one([1.0, 0.0], 1)
    with refused(strict, "must leave a candidate", "empty='reset'"):
        strict.learn_one([1.0, 0.0], -1)
    with refused(strict, "row 2", "must leave a candidate"):
        strict.learn_many([[1.0, 0.5], [1.0, 1.0], [1.0, 0.0]], [1, 1, -1])
    new = dl.GridHalving(0.3, empty="raise", bias=False)
    with refused(new, "row 1", "must leave a candidate"):
        new.learn_many([[1.0, 0.0], [1.0, 0.0]], [1, -1])


def test_the_first_example_fixes_the_features() -> None:
    learner = dl.GridHalving(0.9)
    learner.learn_one({}, 1)
    assert learner.updates == 0
    learner.learn_one({"a": 1.0, "b": 0.5}, 1)
    with refused(learner, "at most the 2 features", "got 3", "features=3", "EllipsoidLearner"):
        learner.learn_one({"a": 1.0, "c": 1.0}, 1)
    with refused(learner, "row 1", "at most the 2 features"):
        learner.learn_many([{"a": 1.0}, {"a": 1.0, "c": 1.0}], [1, 1])
    assert learner.score_one({"a": 1.0, "c": 1.0}) == learner.score_one({"a": 1.0})
    roomy = dl.GridHalving(0.9, features=3)
    roomy.learn_one({"a": 1.0}, 1)
    roomy.learn_one({"b": 1.0, "c": 1.0}, 1)
    with refused(roomy, "at most the 3 features that it was made for"):
        roomy.learn_one({"d": 1.0}, 1)
    narrow = dl.GridHalving(0.9, features=1)
    with refused(narrow, "at most the 1 features", "got 2"):
        narrow.learn_one([1.0, 1.0], 1)


def test_unknown_features_vote_as_if_they_were_learned() -> None:
    for options in ({"features": 4}, {"features": 4, "bias": False}):
        learner = dl.GridHalving(0.9, **options)
        for x, y in (({"a": 1.0, "b": -0.5}, 1), ({"c": 0.3, "a": 0.1, "d": -2.0}, -1), ({"b": 0.2}, 1)):
            assert learner.score_one(x) == learner.learn_one(x, y)


def test_a_grid_that_is_too_large_is_refused() -> None:
    learner = dl.GridHalving(0.01)
    for call in (lambda: learner.learn_one(np.ones(5), 1), lambda: learner.score_one(np.ones(5))):
        with refused(learner, "at most 20,000,000 numbers", "x 6 dimensions", "10^16", "EllipsoidLearner"):
            call()
    with refused(learner, "row 0", "x 6 dimensions"):
        learner.learn_many(np.ones((3, 5)), [1, 1, 1])
    small = dl.GridHalving(0.5, most=24, bias=False)
    with refused(small, "at most 24 numbers, got 49 points x 2 dimensions"):
        small.learn_one([1.0, 1.0], 1)
    with refused(learner, "10^"):
        learner.learn_one(csr_matrix(([1.0], ([0], [10**6])), (1, 10**6 + 1)), 1)


def test_a_grid_that_does_not_fit_into_memory_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise MemoryError

    learner, rows = dl.GridHalving(0.9, bias=False), [{"a": 1.0, "b": 1.0}, {"a": 1.0, "b": -1.0}]
    with monkeypatch.context() as patched:
        patched.setattr(grid_halving.np, "arange", full)
        with refused(learner, "x must have a grid that fits into memory, got 25 points x 2 dimensions. Use Ellipsoid"):
            learner.learn_one(rows[0], 1)
        with refused(learner, "row 0 must have a grid that fits into memory"):
            learner.learn_many(rows, [1, 1])
        with refused(learner, "x must have a grid that fits into memory"):
            learner.score_one(rows[0])
    twin = dl.GridHalving(0.9, bias=False)
    assert learner.learn_many(rows, [1, -1]).tolist() == twin.learn_many(rows, [1, -1]).tolist()
    assert_same(snapshot(learner), snapshot(twin))
