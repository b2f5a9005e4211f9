"""The compiled updates of the consistent learners against numbers computed by hand."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.extending import is_jitted

from driftline.rules.consistent import ellipsoid_learner, grid_halving, version_space

BOTH = np.array([0, 1], np.uint32)


@pytest.mark.parametrize(
    "module, functions",
    [
        (grid_halving, (grid_halving.votes, grid_halving.score, grid_halving.update, grid_halving.reset)),
        (ellipsoid_learner, (ellipsoid_learner.update,)),
        (version_space, (version_space.hit_and_run, version_space.round_axes)),
    ],
)
def test_the_rule_file_holds_the_compiled_update(module: ModuleType, functions: tuple[Any, ...]) -> None:
    for function in functions:
        assert is_jitted(function) and function.__doc__
        assert function.py_func.__module__ == module.__name__


# grid halving ---------------------------------------------------------------------------------------------------------
def test_the_candidates_that_predict_the_label_survive() -> None:
    """M = 1, d = 2, x = (1, 2): m.x is 0 for the candidate in the middle, which predicts +1."""
    points, x = np.arange(9, dtype=np.uint32), np.array([1.0, 2.0])
    dots = [grid_halving.grid_dot(point, 3, x) for point in points]
    assert dots == [-3.0, -2.0, -1.0, -1.0, 0.0, 1.0, 1.0, 2.0, 3.0]
    count = grid_halving.votes(points, 9, 3, x)
    assert count == 5
    assert grid_halving.score(count, 9) == 1.0 / 9.0
    assert [grid_halving.survivors(count, 9, y) for y in (1.0, -1.0)] == [5, 4]
    assert grid_halving.update(points, 9, 3, x, -1.0) == 4
    assert points[:4].tolist() == [0, 1, 2, 3]
    assert grid_halving.update(points, 4, 3, np.array([1.0, 0.0]), 1.0) == 2
    assert points[:2].tolist() == [1, 2]
    assert grid_halving.reset(points) == 9
    assert points.tolist() == list(range(9))
    assert grid_halving.update(points, 9, 3, x, 1.0) == 5
    assert points[:5].tolist() == [4, 5, 6, 7, 8]


# the ellipsoid --------------------------------------------------------------------------------------------------------
def test_a_central_cut_of_the_unit_ball() -> None:
    """d = 2, a = 0: c = x / (3 |x|) and J J' = 4/3 (I - 2/3 e e') with e = x / |x|."""
    c, J, e = np.zeros(2), np.eye(2), np.array([0.6, 0.8])
    assert ellipsoid_learner.update(c, J, BOTH, np.array([3.0, 4.0]), 0.0, 1.0)
    assert c == pytest.approx(e / 3.0, rel=1e-15)
    P = 4.0 / 3.0 * (np.eye(2) - 2.0 / 3.0 * np.outer(e, e))
    assert pytest.approx(P, rel=1e-14) == J @ J.T


def test_a_deep_cut_of_a_ball() -> None:
    """c = (1/2, 0), x = (1, 0), y = -1: a = 1/2, so c = (-1/6, 0) and J = diag(1/3, 1)."""
    c, J = np.array([0.5, 0.0]), np.eye(2)
    assert ellipsoid_learner.update(c, J, BOTH[:1], np.array([1.0]), -0.5, -1.0)
    assert c == pytest.approx([-1.0 / 6.0, 0.0], rel=1e-15)
    assert pytest.approx(np.diag([1.0 / 3.0, 1.0]), rel=1e-15) == J


def test_a_deep_cut_of_an_interval() -> None:
    """The part w <= 0 of [-1/2, 1] is [-1/2, 0]."""
    c, J = np.array([0.25]), np.array([[0.75]])
    assert ellipsoid_learner.update(c, J, BOTH[:1], np.array([2.0]), -0.5, -1.0)
    assert (c[0], J[0, 0]) == pytest.approx((-0.25, 0.25), rel=1e-15)


def test_an_infeasible_cut_changes_nothing() -> None:
    """No w of the ball of radius 1 around (2, 0) has w_1 <= 0."""
    c, J = np.array([2.0, 0.0]), np.eye(2)
    assert not ellipsoid_learner.update(c, J, BOTH[:1], np.array([1.0]), -2.0, -1.0)
    assert c.tolist() == [2.0, 0.0] and np.array_equal(J, np.eye(2))


# the version space ----------------------------------------------------------------------------------------------------
def test_the_half_space_of_a_mistake() -> None:
    a = version_space.half_space(3, np.array([0, 2], np.uint32), np.array([3.0, 4.0]), -1.0)
    assert a == pytest.approx([-0.6, 0.0, -0.8], rel=1e-15)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_moves_of_the_walk_in_a_half_disc(side: float) -> None:
    """V = {|w| <= 1, w_1 >= 0}, or its mirror image: to the middle of [0, 1], then 3/4 along w_2."""
    A, start = np.array([[side, 0.0]]), np.array([0.25 * side, 0.0])
    order, uniform = np.array([0, 1], np.uint32), np.array([0.5, 0.75])
    walk = version_space.hit_and_run(A, np.eye(2), start, order, uniform, 2)
    assert walk == pytest.approx(np.array([[0.5 * side, 0.0], [0.5 * side, 0.5 * math.sqrt(0.75)]]), rel=1e-15)


def test_the_axes_are_the_cholesky_factor_of_the_covariance() -> None:
    """Covariance ((2, 1), (1, 1)) has L = ((sqrt 2, 0), (sqrt 1/2, sqrt 1/2))."""
    samples = np.array([[2.0, 1.0], [-2.0, -1.0], [0.0, 1.0], [0.0, -1.0]])
    due = np.array([[math.sqrt(2.0), math.sqrt(0.5)], [0.0, math.sqrt(0.5)]])
    assert version_space.round_axes(samples) == pytest.approx(due, rel=1e-15)


def test_an_update_adds_the_half_space_and_centres_the_samples_in_it() -> None:
    a = np.array([0.6, 0.8])
    none = np.zeros((0, 0))
    found = version_space.update(none, none, a, 400, 0, 0)
    assert found is not None
    A, samples, c = found
    assert np.array_equal(A, a[None]) and samples.shape == (400, 2)
    assert (samples @ a >= 0.0).all() and (np.linalg.norm(samples, axis=1) <= 1.0 + 1e-12).all()
    assert np.array_equal(c, samples.mean(axis=0))
    assert c == pytest.approx(4.0 / (3.0 * math.pi) * a, abs=0.1)  # the centre of mass of a half-disc
    assert version_space.update(A, samples, -a, 400, 0, 1) is None
