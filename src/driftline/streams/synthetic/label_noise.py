"""Label noise: each label is turned over with the same probability, whatever the example."""

from __future__ import annotations

import numpy as np

from driftline.streams.synthetic.stream import Vector


def flipped(rng: np.random.Generator, y: Vector, noise: float) -> Vector:
    """Return y with each label negated with probability noise.

    As many numbers are drawn for no noise as for much, so that streams that differ in noise alone have the
    same X.
    """
    return np.where(rng.random(len(y)) < noise, -y, y)
