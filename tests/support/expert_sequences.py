"""Sequences of advice with known best experts, and the loss of the best sequence of experts."""

from __future__ import annotations

import numpy as np

Vector = np.ndarray


def accurate(rng: np.random.Generator, rounds: int, accuracy: Vector) -> tuple[Vector, Vector]:
    """Random labels, and experts that are right with these probabilities."""
    y = rng.choice([-1.0, 1.0], rounds)
    return np.where(rng.random((rounds, len(accuracy))) < accuracy, y[:, None], -y[:, None]), y


def switching(rng: np.random.Generator, rounds: int, n: int, k: int) -> tuple[Vector, Vector]:
    """Experts that guess, except for one that is nearly always right; it changes k times."""
    Z, y = accurate(rng, rounds, np.full(n, 0.55))
    cuts = np.sort(rng.choice(np.arange(1, rounds), k, replace=False))
    best = rng.integers(n, size=k + 1)[np.searchsorted(cuts, np.arange(rounds), side="right")]
    good = rng.random(rounds) < 0.97
    Z[good, best[good]] = y[good]
    return Z, y


def best_partition(losses: Vector, k: int) -> float:
    """The smallest loss of a sequence of experts with at most k changes."""
    best = np.full((k + 1, losses.shape[1]), np.inf)
    best[0] = losses[0]
    for loss in losses[1:]:
        best[1:] = np.minimum(best[1:], best[:-1].min(axis=1, keepdims=True))
        best = best + loss
    return float(best.min())


def halved(n: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """In each round half of the experts that were always right err, until one is left."""
    Z, right = -np.ones((rounds, n)), n
    for z in Z:
        right = max(1, right // 2)
        z[:right] = 1.0
    return Z, np.ones(rounds)
