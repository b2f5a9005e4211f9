"""LabelEfficient: the expected mistakes stay within the bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import driftline as dl
from tests.support.linear_cases import mislabelled

SEEDS = range(40)


def quadratic(c: float, D: float) -> float:
    """The largest x with x <= c sqrt(x) + D."""
    return ((c + math.sqrt(c * c + 4.0 * D)) / 2.0) ** 2


def constant_bounds(b: float, R: float, gamma: float, D: float) -> tuple[float, float]:
    first = (2.0 * b + R * R) ** 2 / (8.0 * b * gamma**2) + (1.0 + R * R / (2.0 * b)) * D
    return first, quadratic(R / gamma, R**4 / (8.0 * b * gamma**2) + (1.0 + R * R / (2.0 * b)) * D)


def adaptive_bound(b: float, R: float, gamma: float, D: float) -> float:
    """All rows are of length R, so that R_1 = R."""
    hinge = (1.0 + 1.0 / (2.0 * b)) * D
    x = 1e12
    for _ in range(300):
        x = R / gamma * (math.sqrt(x) + (1.0 + math.log1p(x)) / (2.0 * b)) + hinge
    return min(x, quadratic(R / gamma, R * R / (8.0 * b * gamma**2) + hinge))


def expected(
    X: np.ndarray, y: np.ndarray, u: np.ndarray, gamma: float, make: Callable[[int], dl.LabelEfficient]
) -> tuple[float, float, list[dl.LabelEfficient]]:
    """Mistakes and hinge loss over updates, both as means over the seeds; and the learners."""
    hinge = np.maximum(0.0, 1.0 - y * (X @ u) / gamma)
    learners = [make(seed) for seed in SEEDS]
    losses = [float(hinge[learner.test_then_train(X, y).updated].sum()) for learner in learners]
    return float(np.mean([learner.mistakes for learner in learners])), float(np.mean(losses)), learners


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("b", [0.1, 0.5, 2.0, 10.0])
def test_expected_mistakes_stay_within_the_bounds(noise: float, b: float) -> None:
    for seed in (0, 1):
        X, y, u, gamma = mislabelled(seed, noise)
        M, D, _ = expected(X, y, u, gamma, lambda s: dl.LabelEfficient(b=b, seed=s, bias=False))
        for bound in constant_bounds(b, 1.0, gamma, D):
            assert 3.0 < M <= bound
        M, D, _ = expected(X, y, u, gamma, lambda s: dl.LabelEfficient(b=b, variant="adaptive", seed=s, bias=False))
        assert 3.0 < M <= adaptive_bound(b, 1.0, gamma, D)


def test_the_bound_is_nearly_reached_on_orthonormal_rows() -> None:
    """Each row costs a mistake; once learned its score is 1, and it is right for ever: M = n = (R / gamma)^2."""
    n = 30
    X, y = np.tile(np.eye(n), (10, 1)), np.ones(10 * n)
    M, _, learners = expected(
        X, y, np.full(n, n**-0.5), n**-0.5, lambda s: dl.LabelEfficient(b=0.5, seed=s, bias=False)
    )
    assert n == M <= constant_bounds(0.5, 1.0, n**-0.5, 0.0)[0] + 1e-9 == pytest.approx(n)
    assert np.mean([learner.asked for learner in learners]) == pytest.approx(n + 9 * n / 3, rel=0.05)


def test_more_noise_than_the_bound_allows_for_breaks_it() -> None:
    X, y, *_ = mislabelled(0, 0.0)
    wrong = np.where(np.random.default_rng(1).random(300) < 0.3, -y, y)
    M = np.mean([dl.run(dl.LabelEfficient(b=0.5, seed=s, bias=False), (X, wrong)).mistakes for s in SEEDS])
    assert quadratic(1.0 / 0.3, 1.0 / 4.0 / 0.09) < M
