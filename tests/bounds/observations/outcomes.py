"""Experts with real outcomes: predictions close to each other, random ones, and best experts that change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.support.expert_sequences import best_partition


def squares(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (Z - y[:, None]) ** 2


def random_rounds(seed: int, B: float) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and outcomes in [-B, B], of few values or of many; half the time one expert is right."""
    rng = np.random.default_rng(seed)
    T, n = int(rng.choice([2, 30, 200])), int(rng.choice([2, 3, 8, 50]))
    Z = rng.choice([-1.0, 0.0, 1.0], (T, n)) if seed % 2 else rng.uniform(-1.0, 1.0, (T, n))
    y = rng.choice([-1.0, 1.0], T) if seed % 3 else rng.uniform(-1.0, 1.0, T)
    if seed % 4 < 2:
        Z[:, 0] = np.clip(y + 0.1 * rng.normal(size=T), -1.0, 1.0)
    return B * Z, B * y


def near(d: float, B: float, T: int) -> tuple[np.ndarray, np.ndarray]:
    """Two experts who predict d and -d, where the outcome is always B."""
    return np.tile([d * B, -d * B], (T, 1)), np.full(T, B)


def seen(learner: Any, kind: type[bounds.Bound], Z: np.ndarray, y: np.ndarray, **known: Any) -> Seen:
    learner.learn_many(Z, y)
    L = float(squares(Z, y).sum(axis=0).min())
    return Seen(learner.loss, kind(n=Z.shape[1], L=L, B=learner.rule.B, **known), free=L)


@shows("squarelossexperts")
def square_loss_experts() -> Iterator[Seen]:
    yield seen(dl.SquareLossExperts(), bounds.SquareLossExpertsLoss, *near(0.01, 1.0, 10_000))
    for seed in range(40):
        B = (1.0, 0.1, 30.0)[seed % 3]
        rounds = random_rounds(seed, B)
        yield seen(dl.SquareLossExperts(B=B), bounds.SquareLossExpertsLoss, *rounds)
        eta = 0.03 / B**2
        yield seen(dl.SquareLossExperts(eta, B), bounds.SquareLossExpertsLoss, *rounds, eta=eta)


@shows("aggregatingexperts")
def aggregating_experts() -> Iterator[Seen]:
    yield seen(dl.AggregatingExperts(), bounds.AggregatingExpertsLoss, *near(0.01, 1.0, 10_000))
    for seed in range(40):
        B = (1.0, 0.1, 30.0)[seed % 3]
        rounds = random_rounds(seed, B)
        yield seen(dl.AggregatingExperts(B=B), bounds.AggregatingExpertsLoss, *rounds)
        eta = 0.2 / B**2
        yield seen(dl.AggregatingExperts(eta, B), bounds.AggregatingExpertsLoss, *rounds, eta=eta)


def shifting(seed: int, k: int, B: float, T: int = 400, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Experts who guess, except for one who is close to the outcome; it changes k times."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(-1.0, 1.0, T)
    Z = rng.uniform(-1.0, 1.0, (T, n))
    best = (np.arange(T) * (k + 1) // T) % n
    Z[np.arange(T), best] = np.clip(y + 0.1 * rng.normal(size=T), -1.0, 1.0)
    return B * Z, B * y


@shows("squarelossfixedshare")
def square_loss_fixed_share() -> Iterator[Seen]:
    """Two experts of whom one is right, in turn for many rounds; then random ones."""
    T, k = 4000, 9
    right = np.where(np.arange(T) * (k + 1) // T % 2 == 0, 1.0, -1.0)
    cases = [(np.stack([0.1 * right, -0.1 * right], axis=1), np.ones(T), k, 1.0)]
    cases += [(*shifting(seed, k, B), k, B) for seed, (k, B) in enumerate([(0, 1.0), (3, 1.0), (20, 0.1), (5, 30.0)])]
    for Z, y, k, B in cases:
        n, T = Z.shape[1], len(y)
        L = best_partition(squares(Z, y), k)
        for alpha in (max(k, 1) / (T - 1), 0.003):
            learner = dl.SquareLossFixedShare(alpha=alpha, B=B)
            learner.learn_many(Z, y)
            yield Seen(learner.loss, bounds.SquareLossFixedShareLoss(n=n, L=L, B=B, k=k, alpha=alpha, T=T), free=L)


# controls ---------------------------------------------------------------------------------------------------------
@breaks("squarelossexperts")
def a_rate_that_is_too_large() -> Broken:
    """Above 1 / (8 B^2) the mean may lose more than L + ln n / eta: experts at the end opposite to the outcome."""
    learner = dl.SquareLossExperts(eta=0.5)
    learner.learn_many(np.tile([-1.0, -0.5], (3000, 1)), np.ones(3000))
    return Broken(learner.loss, float(learner.losses().min()) + math.log(2.0) / 0.5)


@breaks("aggregatingexperts")
def rounds_that_count_more_than_once() -> Broken:
    """With sample weights of 4 the rate is four times too large."""
    learner = dl.AggregatingExperts()
    learner.learn_many(*near(0.9, 1.0, 300), np.full(300, 4.0))
    return Broken(learner.loss, bounds.AggregatingExpertsLoss(n=2, L=float(learner.losses().min())).value)


@breaks("squarelossfixedshare")
def shifts_that_are_not_told() -> Broken:
    """The comparator changes twenty times, and the theorem is told of none."""
    Z, y = shifting(1, 20, 1.0)
    learner = dl.SquareLossFixedShare(alpha=0.003)
    learner.learn_many(Z, y)
    L = best_partition(squares(Z, y), 20)
    return Broken(learner.loss, bounds.SquareLossFixedShareLoss(n=6, L=L, k=0, alpha=0.003, T=len(y)).value)
