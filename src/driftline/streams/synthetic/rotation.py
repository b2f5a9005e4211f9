"""Rotation in the plane, about the origin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic.stream import Matrix


def rotated(X: Matrix, angle: float | NDArray[np.floating[Any]]) -> Matrix:
    """Return the points X, one per row, rotated by one angle or by one angle each, in radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([cos * X[..., 0] - sin * X[..., 1], sin * X[..., 0] + cos * X[..., 1]], axis=-1)
