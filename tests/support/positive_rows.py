"""Examples for learners that take no negative features."""

from __future__ import annotations

import numpy as np


def positive_rows(seed: int, rounds: int = 600, n: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features from 0 to 1, a third of them 0, labels 0 and 1 that are partly random, and sample weights."""
    rng = np.random.default_rng(seed)
    X = rng.random((rounds, n)) * (rng.random((rounds, n)) < 0.67)
    y = (X[:, 0] + X[:, 1] >= 0.7).astype(int)
    return X, np.where(rng.random(rounds) < 0.1, 1 - y, y), rng.choice([0.0, 0.5, 1.0, 2.0], rounds)
