"""Random rows of several classes, and the weights of a learner as a table."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from driftline.engines.state import FIRST

LATE = 5
"""The class that comes late."""


@cache
def rows(seed: int, rounds: int = 400, n: int = 6, classes: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sparse rows, classes as whole numbers of which LATE comes late, some wrong, and sample weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, n)) * (rng.random((rounds, n)) < 0.7)
    y = np.argmax(X @ rng.normal(size=(n, classes)), axis=1)
    y = np.where(rng.random(rounds) < 0.1, rng.integers(0, classes, rounds), y)
    y[: rounds // 2][y[: rounds // 2] == LATE] = 0
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], rounds)


def separable(seed: int, rounds: int, n: int, classes: int, margin: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Unit rows and their classes by weights u of sum |u_r|^2 = 1, and the margin that u keeps on them."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(classes, n))
    u /= np.linalg.norm(u)
    X = rng.normal(size=(100 * rounds, n))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    scores = X @ u.T
    top = np.sort(scores, axis=1)
    good = np.flatnonzero(top[:, -1] - top[:, -2] >= margin)[:rounds]
    assert len(good) == rounds
    return X[good], np.argmax(scores[good], axis=1), float(np.min((top[:, -1] - top[:, -2])[good]))


def weights_of(learner: Any, n: int) -> np.ndarray:
    """One row a class: the bias feature's weight, then those of n columns."""
    engine = learner._engine
    each = [engine.weights_of(k) for k in range(engine.classes)]
    return np.array([np.append(w[:1], w[FIRST : FIRST + n]) for w in each])


def in_order(y: np.ndarray) -> np.ndarray:
    """Classes by their order of appearance."""
    seen: dict[int, int] = {}
    return np.array([seen.setdefault(int(label), len(seen)) for label in y])
