"""The projection Perceptron in convex sets: targets inside that stand still or move, and one outside."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

import driftline as dl
from driftline import bounds
from driftline.regions import Box, Ellipsoid, L1Ball, Region, Simplex
from tests.bounds.observations.linear import EYE, ONES, on_basis
from tests.bounds.observations.observation import Broken, Seen, breaks, shows

CORNERS: list[tuple[Region, np.ndarray]] = [
    (Box(-0.5, 0.5), np.array([[0.5, -0.5, 0.5, 0.1], [-0.5, -0.5, 0.5, 0.1], [-0.5, 0.5, -0.5, 0.5]])),
    (Box(0.0, 1.0), np.array([[1.0, 0.0, 0.2, 0.0], [0.0, 1.0, 0.2, 0.0], [0.0, 0.0, 0.2, 1.0]])),
    (Simplex(2.0), np.array([[1.5, 0.5, 0.0, 0.0], [0.0, 0.5, 1.5, 0.0], [0.5, 0.0, 0.0, 1.5]])),
    (L1Ball(1.0), np.array([[1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, -0.5, 0.5]])),
    (Ellipsoid((2.0, 0.5), 1.0), np.array([[1.6, 0.3, 0.0, 0.0], [-1.6, 0.0, 0.6, 0.0], [0.0, 0.5, 0.0, 0.0]])),
]
"""Sets, and three targets in each, from corner to corner."""


def moving(region: Region, corners: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Rows of length 1 with a margin for a target that goes around the corners twice in 400 rounds."""
    rng = np.random.default_rng(seed)
    places = np.linspace(0.0, 6.0, 400)
    around = np.vstack([corners, corners, corners[:1]])
    targets = np.array([np.interp(places, np.arange(7), around[:, j]) for j in range(4)]).T
    rows = []
    for u in targets:
        while True:
            x = rng.normal(size=4)
            x /= np.linalg.norm(x)
            if abs(u @ x) >= 0.05:
                break
        rows.append(x)
    X = np.array(rows)
    V = sum(region.support(a - b) for a, b in pairwise(targets))
    y = np.sign(np.sum(X * targets, axis=1))
    return X, y, {"R": 1.0, "gamma": 0.05, "U": float(np.linalg.norm(targets[-1])), "V": float(V)}


@shows("projection-region")
def projection_region() -> Iterator[Seen]:
    """A basis in a box; then targets that move from corner to corner, with and without wrong labels."""
    n = EYE.shape[1]
    updates = on_basis(dl.ProjectionPerceptron(1.0, region=Box(), bias=False)).updates
    yield Seen(updates, bounds.ProjectionRegion(R=1.0, gamma=1.0, U=float(np.linalg.norm(np.ones(n)))))
    for seed, (region, corners) in enumerate(CORNERS):
        X, y, known = moving(region, corners, seed)
        for part in (0.5, 1.0, 1.5):
            bound = bounds.ProjectionRegion(**known, eta=part * known["gamma"])
            learner = dl.ProjectionPerceptron(bound.step, region=region, bias=False)
            learner.learn_many(X, y)
            yield Seen(learner.updates, bound)
        target = corners[0]
        X = np.random.default_rng(seed).normal(size=(300, 4))
        y = np.sign(X @ target) * np.where(np.random.default_rng(seed).random(300) < 0.1, -1.0, 1.0)
        R, gamma = float(np.linalg.norm(X, axis=1).max()), 0.4
        learner = dl.ProjectionPerceptron(gamma / R**2, region=region, bias=False)
        fired = learner.test_then_train(X, y).updated
        D = float(np.maximum(0.0, 1.0 - (y * (X @ target))[fired] / gamma).sum())
        yield Seen(learner.updates, bounds.ProjectionRegion(R=R, gamma=gamma, U=float(np.linalg.norm(target)), D=D))


@breaks("projection-region")
def a_target_outside() -> Broken:
    """The target is -e_1, and no weight of the simplex is negative: every round is a mistake."""
    learner = dl.ProjectionPerceptron(1.0, region=Simplex(), bias=False)
    learner.learn_many(np.tile(EYE[:1], (500, 1)), -ONES[0] * np.ones(500))
    return Broken(learner.updates, bounds.ProjectionRegion(R=1.0, gamma=1.0, U=1.0).value)
