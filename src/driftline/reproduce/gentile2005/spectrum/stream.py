"""Separable unit-length examples with a known spread of variances and a target along one axis."""

from __future__ import annotations

import math

import numpy as np

from driftline.internals.compiled import Floats

DIMENSIONS, ROUNDS = 30, 3000
SPREADS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Ratios of the largest to the smallest variance. 1 is the flat spectrum."""
AXES = {"small": -1, "large": 0}
"""Directions of the target: along the axis of the smallest or of the largest variance."""
GAP = 0.5
UNIT = math.sqrt(1.0 + 2.0 * GAP * math.sqrt(2.0 / math.pi) + GAP**2)
"""Standard deviation of sign(z) (GAP + |z|) for normal z.

Dividing by it keeps the variance along the target's axis at 1 despite the gap.
"""


def draw(spread: float, axis: str, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return X, y and the unit vector u with y = sign(X u).

    Coordinate i is normal with variance spread^(-i / (d - 1)). Along u, a gap of GAP / UNIT
    standard deviations on either side of zero is left empty. The examples are then rotated at
    random and scaled to length 1.
    """
    variances = np.geomspace(1.0, 1.0 / spread, DIMENSIONS)
    Z = rng.normal(size=(rounds, DIMENSIONS))
    k = AXES[axis]
    Z[:, k] = np.copysign(GAP + np.abs(Z[:, k]), Z[:, k]) / UNIT
    rotation = np.linalg.qr(rng.normal(size=(DIMENSIONS, DIMENSIONS)))[0]
    X = (Z * np.sqrt(variances)) @ rotation
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.sign(Z[:, k]), rotation[k]
