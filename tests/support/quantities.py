"""Quantities that theorems are stated in."""

from __future__ import annotations

import numpy as np


def hinge_sum(y: np.ndarray, scores: np.ndarray, gamma: float) -> float:
    """Sum of max(0, 1 - y s / gamma) over the scores s."""
    return float(np.maximum(0.0, 1.0 - y * scores / gamma).sum())


def entropy(p: np.ndarray) -> float:
    """The entropy, in nats, of parts that are not negative and need not sum to 1."""
    p = p[p > 0.0] / p.sum()
    return float(-np.sum(p * np.log(p)))
