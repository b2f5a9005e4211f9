"""The compiled L1 step is the exact minimiser: KKT residual below 1e-9 on 10,000 problems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from driftline.rules.linear.l1pa import best_face, solve, threshold
from tests.oracles.projections import kkt_residual_l1, l1_step

KINDS = ("dense", "sparse", "binary", "ties", "disjoint", "zero v", "parallel", "decades", "steep decades")
TIGHT = (1.0, 1.0 + 1e-12, 1.0 + 1e-9, 1.0 + 1e-3, 1.05, 1.5, 3.0, 10.0, 1e3)
A_KIND = 900


def problem(rng: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Return v, a and a feasible beta, from just enough to plenty.

    A fifth of the v lie outside the ball, where a learner never is; not those over twelve decades, whose distance from
    the ball would swallow every digit of the answer.
    """
    n = int(rng.choice([1, 2, 3, 5, 8, 20, 60, 200]))
    a, v = rng.normal(size=n), rng.normal(size=n)
    if kind == "sparse":
        a *= rng.random(n) < 0.3
        v *= rng.random(n) < 0.5
    elif kind == "binary":
        a = (rng.random(n) < 0.4) * rng.choice([-1.0, 1.0])
        v *= rng.random(n) < 0.5
    elif kind == "ties":
        a, v = rng.integers(-2, 3, n).astype(float), rng.integers(-2, 3, n) / 2
    elif kind == "disjoint":
        here = rng.random(n) < 0.5
        a, v = a * here, v * ~here
    elif kind == "zero v":
        v = np.zeros(n)
    elif kind == "parallel":
        v = -a * rng.random() * 3
    elif kind == "decades":
        a, v = a * 10.0 ** rng.uniform(-3, 3, n), v * 10.0 ** rng.uniform(-3, 2, n)
    elif kind == "steep decades":
        a, v = a * 10.0 ** rng.uniform(-6, 6, n), v * 10.0 ** rng.uniform(-6, 6, n)
    if not a.any():
        a[rng.integers(n)] = 1.0
    beta = float(rng.choice(TIGHT)) / np.abs(a).max()
    size = np.abs(v).sum()
    if size > 0 and (kind == "steep decades" or rng.random() < 0.8):
        v = v * min(1.0, beta / size) * rng.choice([1.0, 0.7])
    return v, a, beta


def residual(v: np.ndarray, a: np.ndarray, beta: float) -> float:
    w = np.empty_like(v)
    tau, theta = solve(v, a, beta, 1.0, w)
    if np.isinf(tau):  # only the best face is feasible: entries equal to the largest but for rounding are on it
        highest = np.abs(a).max()
        a = np.where(np.abs(a) >= highest * (1.0 - 1e-15), np.sign(a) * highest, a)
    return kkt_residual_l1(w, v, a, beta, tau, theta)


@pytest.mark.parametrize("kind", KINDS)
def test_residual_on_random_problems(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    worst = max(residual(*problem(rng, kind)) for _ in range(A_KIND))
    assert worst < 1e-9


coordinates = st.floats(-3, 3).map(lambda z: 0.0 if abs(z) < 1e-3 else z)
pairs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(arrays(float, n, elements=coordinates), arrays(float, n, elements=coordinates))
)


@settings(max_examples=2000, deadline=None)
@given(pairs, st.floats(1.0, 20.0))
def test_residual_under_hypothesis(pair: tuple[np.ndarray, np.ndarray], factor: float) -> None:
    v, a = pair
    assume(a.any())
    assert residual(v, a, factor / np.abs(a).max()) < 1e-9


def test_agrees_with_the_oracle_where_the_answer_is_well_conditioned() -> None:
    rng = np.random.default_rng(5)
    for _ in range(500):
        v, a, _ = problem(rng, str(rng.choice(KINDS[:7])))
        beta = float(rng.choice([1.05, 1.5, 3.0, 10.0])) / np.abs(a).max()
        w = np.empty_like(v)
        solve(v, a, beta, 1.0, w)
        expected = l1_step(v, a, beta)[0]
        assert np.abs(w - expected).max() <= 1e-10 * max(1.0, np.abs(v).max())


def test_a_wrong_answer_has_a_large_residual() -> None:
    rng = np.random.default_rng(6)
    v, a = rng.normal(size=20), rng.normal(size=20)
    beta = 1.5 / np.abs(a).max()
    w = np.empty(20)
    tau, theta = solve(v, a, beta, 1.0, w)
    assert kkt_residual_l1(w * 1.001, v, a, beta, tau, theta) > 1e-4
    assert kkt_residual_l1(w, v, a, beta, tau * 1.01, theta) > 1e-4


def test_threshold_does_not_depend_on_the_guess() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        v, a = rng.normal(size=30), np.zeros(30)
        beta = float(rng.uniform(0.1, 10))
        cold = threshold(v, a, 0.0, beta, 0.0)
        assert abs(np.maximum(np.abs(v) - cold, 0).sum() - beta) < 1e-12 or cold == 0.0
        for guess in (0.3, 1.0, 5.0, 100.0):
            assert threshold(v, a, 0.0, beta, guess) == pytest.approx(cold, abs=1e-13)


def test_best_face_is_the_nearest_maximiser() -> None:
    v, a = np.array([0.5, -0.2, 0.3, 9.0]), np.array([2.0, -2.0, 2.0, 1.0])
    w = np.empty(4)
    best_face(v, a, 2.0, 1.0, w)
    assert w @ a == pytest.approx(2.0)
    assert w == pytest.approx([0.5, -0.2, 0.3, 0.0])
