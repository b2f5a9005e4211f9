"""Streams of -1/+1 features: few relevant ones in dense examples, or all in sparse examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from driftline.internals.compiled import Floats

FEATURES = 1000
RELEVANT = (3, 9, 31, 101, 301)
"""Numbers of relevant features.

They are odd, so a vote is never tied and its margin is at least 1.
"""
PRESENT = 9
"""Number of features of a sparse example."""


def sparse_target(relevant: int, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return X, y and u.

    Every feature is -1 or +1, and the label is the signed vote of a few of them.
    """
    X = _signs((rounds, FEATURES), rng)
    u = np.zeros(FEATURES)
    u[rng.choice(FEATURES, relevant, replace=False)] = _signs(relevant, rng)
    return X, np.sign(X @ u), u


def dense_target(rounds: int, rng: np.random.Generator) -> tuple[Any, Floats, Floats]:
    """Return X as CSR, y and u.

    An example has few features, and the label is their signed vote.
    """
    those = np.sort(np.argpartition(rng.random((rounds, FEATURES)), PRESENT, axis=1)[:, :PRESENT], axis=1)
    entries = _signs(rounds * PRESENT, rng), those.ravel(), np.arange(0, rounds * PRESENT + 1, PRESENT)
    X = csr_array(entries, shape=(rounds, FEATURES))
    u = _signs(FEATURES, rng)
    return X, np.sign(X @ u), u


def _signs(shape: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
    return np.where(rng.random(shape) < 0.5, -1.0, 1.0)
