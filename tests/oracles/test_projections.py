"""The link, projections and exact steps against their definitions and exhaustive search."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.projections import Vector, drop_small, kkt_residual_l1, l1_step, l2_step, link, norm

# ------------------------------------------------------------------------------------ link and removal
finite = st.floats(-1e3, 1e3).map(lambda value: 0.0 if abs(value) < 1e-3 else value)


@given(theta=st.lists(finite, min_size=1, max_size=8), p=st.floats(2.0, 12.0), scale=st.floats(1e-3, 1e3))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_link_facts(theta: list[float], p: float, scale: float) -> None:
    dual = np.array(theta)
    q = p / (p - 1.0)
    w = link(dual, p)
    size = norm(dual, p)
    assert norm(w, q) == pytest.approx(size, rel=1e-11)
    assert float(w @ dual) == pytest.approx(size**2, rel=1e-11)
    np.testing.assert_allclose(link(scale * dual, p), scale * w, rtol=1e-11)
    np.testing.assert_array_equal(link(dual, 2.0), dual)


def test_link_is_the_gradient_of_half_the_squared_p_norm() -> None:
    theta, p, h = np.array([0.7, -1.3, 0.2, 2.0]), 3.5, 1e-6
    for i, w_i in enumerate(link(theta, p)):
        ahead, behind = theta + h * np.eye(4)[i], theta - h * np.eye(4)[i]
        assert (norm(ahead, p) ** 2 - norm(behind, p) ** 2) / (4.0 * h) == pytest.approx(w_i, rel=1e-7)


def test_norm_by_hand() -> None:
    assert norm(np.array([3.0, -4.0])) == 5.0
    assert norm(np.array([1.0, -2.0, 2.0]), 3.0) == pytest.approx(17.0 ** (1.0 / 3.0), rel=1e-15)
    assert norm(np.zeros(3), 3.0) == norm(np.zeros(3)) == 0.0
    assert norm(np.array([1e200, 0.0]), 4.0) == 1e200


@pytest.mark.parametrize(
    ("w", "sigma", "kept"),
    [
        ([3.0, 1.0, -2.0], 1.5, [3.0, 0.0, -2.0]),
        ([3.0, 1.0, -2.0], 1.0, [3.0, 1.0, -2.0]),  # strictly below sigma
        ([3.0, 1.0, -2.0], 5.5, [3.0, 0.0, 0.0]),
        ([3.0, 1.0, -2.0], 9.5, [3.0, 1.0, -2.0]),  # 9 would be kept, less than sigma: remove nothing
        ([1.0, -1.0, 1.0], 1.5, [0.0, -1.0, 1.0]),  # ties fall in the order of the index
        ([0.0, 2.0], 0.0, [0.0, 2.0]),
    ],
)
def test_drop_small_by_hand(w: list[float], sigma: float, kept: list[float]) -> None:
    np.testing.assert_array_equal(drop_small(np.array(w), sigma), kept)


# ----------------------------------------------------------------------- the L1 step, and its residual
def l1_by_exhaustion(v: Vector, a: Vector, beta: float, m: float = 1.0) -> Vector:
    """The nearest feasible point among the projections of v on every face of {a.w >= m, |w|_1 <=
    beta}.
    """
    best, distance = v, math.inf
    for signs in itertools.product((-1.0, 0.0, 1.0), repeat=v.size):
        on = np.array(signs) != 0.0
        planes = [(a[on], m), (np.array(signs)[on], beta)]
        for chosen in ([], planes[:1], planes[1:], planes):
            w = np.zeros_like(v)
            w[on] = v[on]
            if chosen:
                rows, goals = np.array([row for row, _ in chosen]), np.array([goal for _, goal in chosen])
                w[on] += np.linalg.pinv(rows, rcond=1e-10) @ (goals - rows @ v[on])
            feasible = a @ w >= m - 1e-10 and np.abs(w).sum() <= beta + 1e-10
            if feasible and float((w - v) @ (w - v)) < distance:
                best, distance = w, float((w - v) @ (w - v))
    return best


def l1_problem(seed: int, n: int) -> tuple[Vector, Vector, float]:
    """Dense, 0/1, tied, badly scaled, disjoint and zero-weight problems in turn; some have only a
    face.
    """
    rng = np.random.default_rng(seed)
    v, a = rng.normal(size=n), rng.normal(size=n)
    kind = seed % 6
    if kind == 1:
        a = (rng.random(n) < 0.6).astype(float)
    elif kind == 2:
        a, v = rng.integers(-2, 3, n).astype(float), rng.integers(-2, 3, n) / 2.0
    elif kind == 3:
        a, v = a * 10.0 ** rng.uniform(-2, 2, n), v * 10.0 ** rng.uniform(-2, 2, n)
    elif kind == 4:
        a, v = a * (np.arange(n) % 2 == 0), v * (np.arange(n) % 2)
    elif kind == 5:
        v = 0.0 * v
    a[0] = a[0] or 1.0
    steepest = float(np.abs(a).max())
    beta = float(rng.choice([1.0, 1.001, 1.2, 2.0, 5.0])) / steepest
    beta = beta if beta * steepest >= 1.0 else math.nextafter(beta, math.inf)
    size = float(np.abs(v).sum())
    return v * (min(1.0, beta * rng.choice([0.5, 1.0, 1.5]) / size) if size else 1.0), a, beta


@pytest.mark.parametrize("seed", range(60))
def test_l1_step_is_the_nearest_point_of_any_face(seed: int) -> None:
    v, a, beta = l1_problem(seed, n=3)
    w, _, _ = l1_step(v, a, beta)
    best = l1_by_exhaustion(v, a, beta)
    scale = max(beta, float(np.abs(v).max()))
    np.testing.assert_allclose(w / scale, best / scale, atol=1e-7)
    assert float((w - v) @ (w - v)) <= float((best - v) @ (best - v)) + 1e-9 * scale**2


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_l1_step_meets_the_optimality_conditions_to_rounding(n: int) -> None:
    for seed in range(60):
        v, a, beta = l1_problem(seed, n)
        w, tau, theta = l1_step(v, a, beta)
        assert kkt_residual_l1(w, v, a, beta, tau, theta) <= 1e-13
        assert float(a @ w) >= 1.0 - 1e-12
        assert float(np.abs(w).sum()) <= beta * (1.0 + 1e-12)


def test_l1_step_with_nearly_tied_slopes_and_barely_feasible() -> None:
    a = np.array([1.0, 1.0 - 1e-9, 1.0 - 1e-5, 0.3])
    v = np.array([-0.4, 0.1, 0.3, -0.2])
    for excess in (1e-12, 1e-10, 1e-7):
        w, tau, theta = l1_step(v, a, 1.0 + excess)
        assert tau > 1e3
        assert kkt_residual_l1(w, v, a, 1.0 + excess, tau, theta) <= 1e-13
        np.testing.assert_allclose([a @ w, np.abs(w).sum()], [1.0, 1.0 + excess], rtol=1e-15)


def test_l1_step_from_far_outside_the_ball() -> None:
    for seed in range(60):
        v, a, beta = l1_problem(seed, n=3)
        v *= 1e6
        w, tau, theta = l1_step(v, a, beta)
        assert kkt_residual_l1(w, v, a, beta, tau, theta) <= 1e-13
        assert float(a @ w) >= 1.0 - 1e-12
        assert float(np.abs(w).sum()) <= beta * (1.0 + 1e-12)


def test_l1_step_on_the_degenerate_face() -> None:
    v, a = np.array([0.5, -0.3, -0.2, 0.0]), np.array([1.0, 1.0, -1.0, 0.5])
    w, tau, theta = l1_step(v, a, 1.0)
    np.testing.assert_allclose(w, [0.65, 0.0, -0.35, 0.0], atol=1e-15)
    assert tau == theta == math.inf
    assert kkt_residual_l1(w, v, a, 1.0, tau, theta) <= 1e-15
    for wrong in (
        [0.7, 0.0, -0.3, 0.0],  # on the face, not nearest
        [0.6, 0.1, -0.3, 0.0],  # one weight too many
        [1.0, 0.0, 0.0, 0.0],  # one too few
        [0.75, -0.1, -0.35, 0.0],  # wrong sign
        [0.6, 0.0, -0.3, 0.1],  # off the face
        [0.7, 0.0, -0.4, 0.0],  # out of the ball
    ):
        assert kkt_residual_l1(np.array(wrong), v, a, 1.0, tau, theta) >= 0.04
    roomy = np.array([0.7, 0.0, -0.4, 0.0])  # nearest on the face of a ball with room for more margin
    assert kkt_residual_l1(roomy, v, a, 1.1, tau, theta) >= 0.04
    a[2] = math.nextafter(-1.0, 0.0)  # no longer a largest slope, if only just
    assert kkt_residual_l1(w, v, a, 1.0, tau, theta) >= 0.04


def test_l1_residual_sees_every_kind_of_fault() -> None:
    v, a, beta = np.array([0.5, -0.6, 0.1]), np.array([-1.0, 0.5, 0.8]), 1.2
    w, tau, theta = l1_step(v, a, beta)
    assert tau > 0.0
    assert theta > 0.0
    assert kkt_residual_l1(w, v, a, beta, tau, theta) <= 1e-15
    for i in range(3):
        nudged = w.copy()
        nudged[i] += 1e-6
        assert kkt_residual_l1(nudged, v, a, beta, tau, theta) >= 1e-8
    assert kkt_residual_l1(w, v, a, beta, 1.01 * tau, theta) >= 1e-4
    assert kkt_residual_l1(w, v, a, beta, tau, 1.01 * theta) >= 1e-4
    assert kkt_residual_l1(w, v, a, beta, tau, theta, m=0.9) >= 1e-3  # positive tau, margin not tight
    assert kkt_residual_l1(w, v, a, 1.1 * beta, tau, theta) >= 1e-3  # positive theta, ball not tight
    assert kkt_residual_l1(v, v, a, beta, 0.0, 0.0) >= 1e-3  # margin not reached
    assert kkt_residual_l1(v - 0.1 * a, v, a, 2.0, -0.1, 0.0, m=-9.0) >= 1e-3  # negative tau


def test_l1_step_with_at_most_one_constraint_at_work() -> None:
    v, a = np.array([0.5, 0.5]), np.array([1.0, 2.0])
    w, tau, theta = l1_step(v, a, 1.0)
    np.testing.assert_array_equal(w, v)
    assert (tau, theta) == (0.0, 0.0)
    w, tau, theta = l1_step(v, a, 0.8)  # only the ball is violated
    np.testing.assert_allclose(w, [0.4, 0.4])
    assert tau == 0.0
    assert theta == pytest.approx(0.1)
    w, tau, theta = l1_step(v, a, math.inf, m=2.0)
    np.testing.assert_allclose(w, v + 0.1 * a)
    assert tau == pytest.approx(0.1)
    assert theta == 0.0
    assert kkt_residual_l1(w, v, a, math.inf, tau, theta, m=2.0) <= 1e-15
    w, _, _ = l1_step(np.array([-3e9, 1e9, 7e9]), np.array([3.0, -1.0, -7.0]), 1e3)  # from far away
    np.testing.assert_allclose(w, np.array([3.0, -1.0, -7.0]) / 59.0, rtol=1e-5)
    assert float(w @ np.array([3.0, -1.0, -7.0])) == pytest.approx(1.0, rel=1e-14)


# ----------------------------------------------------------------------------------------- the L2 step
def test_l2_step_case_by_case() -> None:
    a = np.array([0.0, 2.0])  # the margin is 1 at height 0.5
    for v, beta, expected in [
        ([0.3, 0.6], 1.0, [0.3, 0.6]),  # feasible
        ([0.0, 2.0], 1.0, [0.0, 1.0]),  # only the ball
        ([0.3, -0.6], 1.0, [0.3, 0.5]),  # only the margin
        ([4.0, -0.6], 1.0, [math.sqrt(0.75), 0.5]),  # the rim
        ([4.0, 3.0], 0.6, [math.sqrt(0.11), 0.5]),  # the rim, from above
        ([4.0, 3.0], 0.5, [0.0, 0.5]),  # a single point
    ]:
        start = np.array(v)
        w, tau, scale = l2_step(start, a, beta)
        np.testing.assert_allclose(w, expected, atol=1e-15)
        if math.isfinite(scale):
            assert tau >= -1e-15
            assert scale >= 1.0
            np.testing.assert_allclose((start + tau * a) / scale, w, atol=1e-14)


@pytest.mark.parametrize("step", [l1_step, l2_step])
def test_steps_refuse_an_empty_set(step: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"_step: beta \* .* must be >= m"):
        step(np.zeros(2), np.array([0.5, 0.0]), 1.0)
