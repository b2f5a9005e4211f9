"""Regressors on rows with real targets and a known comparator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.observation import Broken, Seen, breaks, shows

EPSILON = 0.1


def noisy(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, targets and the plane that the targets are near."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=4)
    X = rng.normal(size=(200, 4)) * rng.uniform(0.2, 2.0, (200, 1))
    return X, X @ u + rng.choice([0.0, 0.05, 0.3]) * rng.normal(size=200), u


def beyond(errors: np.ndarray, epsilon: float = EPSILON) -> np.ndarray:
    """The losses: what errors are larger than epsilon by."""
    return np.maximum(0.0, np.abs(errors) - epsilon)


def orthonormal(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal rows with the target 1."""
    return np.eye(n), np.ones(n)


def lengths(X: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.linalg.norm(X, axis=1)
    return found


def wrongly_weighted(learner: dl.Learner) -> np.ndarray:
    """The errors on one row with a target of 1, learned with tiny sample weights."""
    return np.asarray(1.0 - learner.learn_many(np.ones((1000, 1)), np.ones(1000), 1e-6))


@shows("pa-regression")
def pa() -> Iterator[Seen]:
    X, y = orthonormal(9)
    errors = y - dl.PARegressor(0.0, bias=False).learn_many(X, y)
    yield Seen(float(np.sum(errors**2)), bounds.PARegressionLoss(R=1.0, D=3.0))
    for seed in range(20):
        X, y, u = noisy(seed)
        losses = beyond(y - dl.PARegressor(EPSILON, bias=False).learn_many(X, y))
        S = float(np.sum((beyond(y - X @ u) / lengths(X)) ** 2))
        bound = bounds.PARegressionLoss(R=lengths(X).max(), D=float(np.linalg.norm(u)), S=S)
        yield Seen(float(np.sum(losses**2)), bound)


@breaks("pa-regression")
def pa_with_sample_weights() -> Broken:
    errors = wrongly_weighted(dl.PARegressor(0.0, bias=False))
    return Broken(float(np.sum(errors**2)), bounds.PARegressionLoss(R=1.0, D=1.0).value)


@shows("pa1-regression")
def pa1() -> Iterator[Seen]:
    X, y = orthonormal(9)
    errors = y - dl.PA1Regressor(2.0, 0.0, bias=False).learn_many(X, y)
    yield Seen(
        float(np.sum(np.minimum(errors**2, 2.0 * np.abs(errors)))), bounds.PA1RegressionLoss(R=1.0, D=3.0, C=2.0)
    )
    for seed in range(20):
        X, y, u = noisy(seed)
        C, R = 0.1 * (1 + seed % 4), float(lengths(X).max())
        losses = beyond(y - dl.PA1Regressor(C, EPSILON, bias=False).learn_many(X, y))
        L = float(np.sum(beyond(y - X @ u)))
        bound = bounds.PA1RegressionLoss(R=R, D=float(np.linalg.norm(u)), C=C, L=L)
        yield Seen(float(np.sum(np.minimum(losses**2, C * R * R * losses))), bound)


@breaks("pa1-regression")
def pa1_with_sample_weights() -> Broken:
    errors = wrongly_weighted(dl.PA1Regressor(2.0, 0.0, bias=False))
    seen = float(np.sum(np.minimum(errors**2, 2.0 * np.abs(errors))))
    return Broken(seen, bounds.PA1RegressionLoss(R=1.0, D=1.0, C=2.0).value)


@shows("pa2-regression")
def pa2() -> Iterator[Seen]:
    X, y = orthonormal(9)
    errors = y - dl.PA2Regressor(0.5, 0.0, bias=False).learn_many(X, y)
    best = bounds.PA2RegressionLoss(R=1.0, D=1.5, C=0.5, S=9 * 0.25)  # u = 1/2 in every coordinate
    yield Seen(float(np.sum(errors**2)), best)
    for seed in range(20):
        X, y, u = noisy(seed)
        C = 0.1 * (1 + seed % 4)
        losses = beyond(y - dl.PA2Regressor(C, EPSILON, bias=False).learn_many(X, y))
        S = float(np.sum(beyond(y - X @ u) ** 2))
        bound = bounds.PA2RegressionLoss(R=lengths(X).max(), D=float(np.linalg.norm(u)), C=C, S=S)
        yield Seen(float(np.sum(losses**2)), bound)


@breaks("pa2-regression")
def pa2_with_sample_weights() -> Broken:
    errors = wrongly_weighted(dl.PA2Regressor(0.5, 0.0, bias=False))
    return Broken(float(np.sum(errors**2)), bounds.PA2RegressionLoss(R=1.0, D=1.0, C=0.5).value)


def descent(X: np.ndarray, y: np.ndarray, u: np.ndarray, **parameters: Any) -> tuple[float, bounds.GradientDescentLoss]:
    """The loss of gradient descent, and its bound for the comparator u."""
    learner = dl.GradientDescent(**parameters, bias=False)
    epsilon = learner.rule.tube  # type: ignore[attr-defined]
    block = learner.learn_block(X, y)
    L = float(np.sum(beyond(y - X @ u, epsilon)[block.updated]))
    bound = bounds.GradientDescentLoss(
        R=float(lengths(X).max()), B=parameters["radius"], eta=parameters["eta"], T=learner.updates, L=L
    )
    return float(np.sum(beyond(y - block.scores, epsilon))), bound


@shows("gradient-descent")
def gradient_descent() -> Iterator[Seen]:
    """One feature and a target that the ball cannot reach; then random planes."""
    for rounds in (1, 4, 100):
        y = np.full(rounds, 9.0)
        loss, bound = descent(np.ones((rounds, 1)), y, np.ones(1), eta=2.0, radius=1.0, loss="absolute")
        yield Seen(loss, bound, free=bound.L)
    for seed in range(20):
        X, y, u = noisy(seed)
        norm = "l1" if seed % 2 else "l2"
        radius = float(np.linalg.norm(u, 1 if seed % 2 else 2))
        given = {"eta": radius, "radius": radius, "epsilon": EPSILON, "loss": "epsilon", "constraint": norm}
        loss, bound = descent(X, y, u, **given)
        yield Seen(loss, bound, free=min(loss, bound.L))


@breaks("gradient-descent")
def a_comparator_outside_the_ball() -> Broken:
    given = {"eta": 1.0, "radius": 1.0, "loss": "absolute"}
    loss, bound = descent(np.ones((1000, 1)), np.full(1000, 50.0), np.full(1, 50.0), **given)
    return Broken(loss, bound.value)


@shows("least-squares")
def least_squares() -> Iterator[Seen]:
    def seen(learner: dl.Learner, X: np.ndarray, y: np.ndarray, a: float) -> Seen:
        errors = y - learner.learn_many(X, y)
        gram = X.T @ X
        u = np.linalg.solve(gram + a * np.eye(len(gram)), X.T @ y)
        logdet = float(np.linalg.slogdet(gram / a + np.eye(len(gram)))[1])
        assert logdet == math.inf or abs(logdet - learner.logdet) < 1e-6  # type: ignore[attr-defined]
        L, M = float(np.sum((y - X @ u) ** 2)), float(np.abs(errors).max())
        bound = bounds.LeastSquaresLoss(a=a, D=float(np.linalg.norm(u)), L=L, M=M, logdet=logdet)
        return Seen(float(np.sum(errors**2)), bound)

    yield seen(dl.RecursiveLeastSquares(1.0, 100.0, bias=False), *orthonormal(9), 100.0)
    for seed in range(20):
        X, y, _ = noisy(seed)
        yield seen(dl.RecursiveLeastSquares(1.0, 0.5, bias=False), X, y, 0.5)
        yield seen(dl.AROWRegressor(2.0, 0.0, bias=False), X, y, 2.0)


@breaks("least-squares")
def least_squares_with_sample_weights() -> Broken:
    errors = wrongly_weighted(dl.RecursiveLeastSquares(1.0, 1.0, bias=False))
    bound = bounds.LeastSquaresLoss(a=1.0, D=1.0, L=0.0, M=1.0, logdet=math.log(1001.0))
    return Broken(float(np.sum(errors**2)), bound.value)
