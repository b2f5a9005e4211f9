"""Signs as features: a vote of few of many dense ones, and a vote of all where examples have few."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from driftline.internals.compiled import Floats

FEATURES = 1000
RELEVANT = (3, 9, 31, 101, 301)
"""Odd, so that a vote is never tied: its margin is at least 1."""
PRESENT = 9
"""Features that a sparse example has."""


def sparse_target(relevant: int, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return X, y and u: every feature of x is -1 or +1, and the vote of a few of them, signed, is the label."""
    X = _signs((rounds, FEATURES), rng)
    u = np.zeros(FEATURES)
    u[rng.choice(FEATURES, relevant, replace=False)] = _signs(relevant, rng)
    return X, np.sign(X @ u), u


def dense_target(rounds: int, rng: np.random.Generator) -> tuple[Any, Floats, Floats]:
    """Return X as CSR, y and u: an example has a few features, -1 or +1, and all features vote, each with its sign."""
    those = np.sort(np.argpartition(rng.random((rounds, FEATURES)), PRESENT, axis=1)[:, :PRESENT], axis=1)
    entries = _signs(rounds * PRESENT, rng), those.ravel(), np.arange(0, rounds * PRESENT + 1, PRESENT)
    X = csr_array(entries, shape=(rounds, FEATURES))
    u = _signs(FEATURES, rng)
    return X, np.sign(X @ u), u


def _signs(shape: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
    return np.where(rng.random(shape) < 0.5, -1.0, 1.0)
