"""VersionSpace: a uniform walk, agreement with its oracle, and the expected number of updates."""

from __future__ import annotations

import math

import numpy as np
import pytest

import driftline as dl
from driftline.engines.consistent.version_space import VersionSpaceEngine
from driftline.engines.state import UPDATES
from driftline.rules.consistent.version_space import hit_and_run, inner_point, round_axes
from tests.oracles.consistent import VersionSpace
from tests.support.bitwise import assert_same, snapshot
from tests.support.hidden_targets import centre, hidden, unit
from tests.support.linear_cases import separable

every_seed = pytest.mark.parametrize("seed", range(3))


@every_seed
def test_the_walk_is_uniform(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = 3
    u = unit(rng, d)
    cuts = rng.normal(size=(4, d))
    cuts *= np.sign(cuts @ u)[:, None] / np.linalg.norm(cuts, axis=1, keepdims=True)
    oracle = VersionSpace(d, seed=seed)
    for cut in cuts:
        oracle.update(cut, 1.0)
    due = oracle.points
    size = 20_000
    axes, start = np.eye(d), 0.5 * u
    for _ in range(2):
        order = rng.integers(0, d, 6 * d * size, np.uint32)
        found = hit_and_run(cuts, axes, start, order, rng.random(order.size), size)
        start, axes = found[-1], round_axes(found)
    assert (found @ cuts.T >= -1e-12).all() and (np.linalg.norm(found, axis=1) <= 1.0 + 1e-12).all()
    assert found.mean(axis=0) == pytest.approx(due.mean(axis=0), abs=0.02)
    assert np.cov(found.T) == pytest.approx(np.cov(due.T), abs=0.01)
    assert np.mean(found @ u > 0.6) == pytest.approx(np.mean(due @ u > 0.6), abs=0.03)
    assert axes.T @ axes == pytest.approx(np.cov(found.T, ddof=0), abs=1e-9)


@every_seed
def test_the_version_space_is_right_on_all_its_mistakes(seed: int) -> None:
    data, _ = separable(seed, 100, 4, 0.05)
    learner = dl.VersionSpace(seed=seed, bias=False)
    trials = learner.test_then_train(data.X, data.y)
    wrong = (trials.y * trials.scores <= 0.0) & trials.updated
    engine = learner._engine
    assert isinstance(engine, VersionSpaceEngine)
    oracle = VersionSpace(4)
    for x, y in zip(data.X[wrong], data.y[wrong], strict=True):
        oracle.update(x, y)
    assert engine.cuts == pytest.approx(oracle.cuts, abs=1e-12)
    assert engine.samples.shape == (90, 4)
    assert (engine.samples @ engine.cuts.T >= -1e-12).all()
    assert centre(learner, 4) == pytest.approx(engine.samples.mean(axis=0))
    if len(oracle.points) > 500:
        spread = np.sqrt(oracle.variance / 25.0)
        assert (np.abs(centre(learner, 4) - oracle.centre) < 5.0 * spread).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_version_space_needs_no_more_than_the_exact_centre_would(seed: int) -> None:
    """2.18 d ln(1 + R / gamma) updates; sampling makes that a figure to expect, not a theorem."""
    d, gamma = 4, 0.05
    rng = np.random.default_rng(100 + seed)
    u, learner = unit(rng, d), dl.VersionSpace(seed=seed, bias=False)
    for x, y in hidden(rng, u, gamma, 500, learner):
        learner.learn_one(x, y)
    assert learner.infeasible == 0
    assert d <= learner.updates <= d * math.log(1.0 + 1.0 / gamma) / -math.log(1.0 - 1.0 / math.e)


def test_the_walk_depends_on_the_seed_and_the_updates_alone() -> None:
    data, _ = separable(0, 60, 3, 0.05)
    one, same, other = (dl.VersionSpace(seed=seed, bias=False) for seed in (7, 7, 8))
    one.learn_many(data.X, data.y)
    np.random.default_rng(0).random(5)
    for x, y in zip(data.X, data.y, strict=True):
        same.score_many(data.X[:3])
        same.learn_one(x, y)
    other.learn_many(data.X, data.y)
    assert_same(snapshot(one), snapshot(same))
    assert one.weights() != other.weights()
    first, later = dl.VersionSpace(bias=False), dl.VersionSpace(bias=False)
    later._engine.state[UPDATES] = 1.0
    for learner in (first, later):
        learner.learn_one([0.6, 0.8], 1)
    assert first.weights() != later.weights()


def test_a_programme_finds_a_start_where_no_sample_is_right() -> None:
    """A cut so near the border that none of the samples survives it."""
    learner = dl.VersionSpace(seed=1, bias=False)
    first, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    learner.learn_one(first, 1)
    samples = learner._engine.samples
    angles = np.arctan2(samples @ across, samples @ first)
    low = (angles.min() - np.pi / 2.0) / 2.0  # between the half-plane's border and the lowest sample
    x = math.sin(low) * first - math.cos(low) * across
    assert (samples @ x < 0.0).all()
    learner.learn_one(x, 1)
    assert (learner.updates, learner.infeasible) == (2, 0)
    assert (learner._engine.samples @ x > 0.0).all() and (learner._engine.samples @ first > 0.0).all()
    assert learner.score_one(x) > 0.0


def test_inner_points() -> None:
    for d in (1, 3, 10):
        rng = np.random.default_rng(d)
        u = unit(rng, d)
        cuts = rng.normal(size=(4 * d, d))
        cuts *= np.sign(cuts @ u)[:, None] / np.linalg.norm(cuts, axis=1, keepdims=True)
        w = inner_point(cuts)
        assert w is not None and (cuts @ w > 0.0).all() and np.linalg.norm(w) < 1.0
        assert inner_point(np.vstack([cuts, -cuts[:1]])) is None
