"""TrackingWinnow, on disjunctions that shift and against an adversary that knows the weights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.observation import Broken, Seen, breaks, shows

NEAR = 1e-6
KINDS = ((40, 1, 3, 200, 0.3), (40, 3, 3, 300, 0.1), (100, 1, 10, 300, 0.1), (16, 1, 30, 99, 0.2))


def shifting(
    seed: int, n: int, k: int, shifts: int, rounds: int, density: float
) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Rows of 0 and 1, the labels of disjunctions of k features that shift, and what is known of them."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rounds * (shifts + 1), n)) < density).astype(float)
    y = np.zeros(len(X), int)
    targets = [set(rng.choice(n, k, replace=False).tolist()) for _ in range(shifts + 1)]
    for s, target in enumerate(targets):
        part = slice(s * rounds, (s + 1) * rounds)
        y[part] = X[part][:, sorted(target)].any(axis=1)
    moved = float(sum(len(b - a) for a, b in pairwise(targets)))
    known = {"n": n, "N": float(X.sum(axis=1).max()), "delta": 1.0, "U": float(k), "H": math.log(k)}
    return X, y, known | {"up": moved, "down": moved}


def adversary(n: int, beta: float, theta: float, floor: float, shifts: int) -> tuple[int, dict[str, float]]:
    """Updates forced on Winnow by rows of 0 and 1 with the label "feature s is 1", for s = 0, 1, ... in turn.

    Every row is a mistake: a negative one with a sum just above theta, or a positive one just below.
    """
    learner = dl.TrackingWinnow(theta, beta, floor, bias=False, labels=(0, 1))
    w, N = np.ones(n), 1.0
    for s in range(shifts + 1):
        target = s % n
        while True:
            x = np.ones(n)
            x[target] = 0.0
            others = sorted(np.flatnonzero(x).tolist(), key=lambda i: -w[i])
            if w @ x > theta * (1.0 + NEAR):
                y = 0
                for i in others:
                    x[i] = 0.0
                    if w @ x <= theta * (1.0 + NEAR):
                        x[i] = 1.0
            elif w[target] < theta * (1.0 - NEAR):
                y, x = 1, np.zeros(n)
                x[target] = 1.0
                for i in others:
                    x[i] = 1.0
                    if w @ x >= theta * (1.0 - NEAR):
                        x[i] = 0.0
            else:
                break
            learner.learn_one(x, y)
            w, N = np.maximum(w * beta ** (x if y else -x), floor), max(N, float(x.sum()))
    known = {"n": n, "N": N, "delta": 1.0, "U": 1.0, "up": float(shifts), "down": float(shifts)}
    return learner.updates, known | {"beta": beta, "theta": theta, "floor": floor}


def threshold_targets(seed: int) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Fractions in place of 1, and "two of three features" before and after a shift of one feature; a tenth of the
    labels are wrong. The loss is summed over all rounds.
    """
    rng = np.random.default_rng(seed)
    X = (rng.random((600, 12)) < 0.3) * rng.uniform(0.9, 1.0, (600, 12))
    mu = np.zeros((600, 12))
    mu[:, :2] = 1.0 / 1.8
    mu[:300, 2] = mu[300:, 3] = 1.0 / 1.8
    sums = np.sum(mu * X, axis=1)
    y = np.where(rng.random(600) < 0.1, sums < 1.0, sums >= 1.0).astype(int)
    gap = 0.4
    A = float(np.where(y == 1, np.maximum(0.0, 1.0 - sums), np.maximum(0.0, sums - 1.0 + gap)).sum())
    known = {"n": 12, "N": float(X.sum(axis=1).max()), "delta": gap, "U": 3 / 1.8, "H": math.log(3.0), "least": 0.9}
    return X, y, known | {"up": 1 / 1.8, "down": 1 / 1.8, "A": A}


@shows("trackingwinnow")
def tracking_winnow() -> Iterator[Seen]:
    for n, beta, theta, floor, shifts in ((64, 1.5, 1.0, 1e-6, 0), (8, 1.2, 4.0, 0.1, 20), (16, 2.0, 4.0, 0.01, 7)):
        updates, known = adversary(n, beta, theta, floor, shifts)
        yield Seen(updates, bounds.TrackingWinnowUpdates(**known))
    for seed, kind in enumerate(
        ((40, 1, 3, 200, 0.3), (40, 3, 3, 300, 0.1), (100, 1, 10, 300, 0.1), (16, 1, 30, 99, 0.2))
    ):
        X, y, known = shifting(seed, *kind)
        for beta in (None, 2.0, 3.59):
            bound = bounds.TrackingWinnowUpdates(**known, beta=beta)
            learner = dl.TrackingWinnow(**bound.tuning(), bias=False)
            learner.learn_many(X, y)
            yield Seen(learner.updates, bound)
    for seed in range(3):
        X, y, known = threshold_targets(seed)
        bound = bounds.TrackingWinnowUpdates(**known)
        learner = dl.TrackingWinnow(**bound.tuning(), bias=False)
        learner.learn_many(X, y)
        yield Seen(learner.updates, bound)


@breaks("trackingwinnow")
def a_path_that_is_not_told() -> Broken:
    """The target shifts twenty times; the theorem is told of a target that stands still."""
    updates, known = adversary(8, 1.2, 4.0, 0.1, 20)
    return Broken(updates, bounds.TrackingWinnowUpdates(**(known | {"up": 0.0, "down": 0.0})).value)
