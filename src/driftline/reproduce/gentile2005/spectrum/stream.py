"""Separable examples of unit length whose variances spread over a known range, the target along one of their axes."""

from __future__ import annotations

import math

import numpy as np

from driftline.internals.compiled import Floats

DIMENSIONS, ROUNDS = 30, 3000
SPREADS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""The largest variance over the smallest; 1 is the flat spectrum."""
AXES = {"small": -1, "large": 0}
"""Where the target points: along the axis of the smallest, or of the largest variance."""
GAP = 0.5
UNIT = math.sqrt(1.0 + 2.0 * GAP * math.sqrt(2.0 / math.pi) + GAP**2)
"""Deviation of sign(z) (GAP + |z|) for z normal, so that the gap leaves the variance of the target's axis at 1."""


def drawn(spread: float, axis: str, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return X, y and the unit vector u with y = sign(X u).

    Coordinate i is normal with variance spread^(-i / (d - 1)); along u a gap of GAP / UNIT deviations on either side of
    zero is left empty. Then all is turned at random, and rows are scaled to length 1.
    """
    variances = np.geomspace(1.0, 1.0 / spread, DIMENSIONS)
    Z = rng.normal(size=(rounds, DIMENSIONS))
    k = AXES[axis]
    Z[:, k] = np.copysign(GAP + np.abs(Z[:, k]), Z[:, k]) / UNIT
    turn = np.linalg.qr(rng.normal(size=(DIMENSIONS, DIMENSIONS)))[0]
    X = (Z * np.sqrt(variances)) @ turn
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.sign(Z[:, k]), turn[k]
