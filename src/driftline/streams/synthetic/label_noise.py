"""Label noise: each label is flipped with the same probability, independently of the example."""

from __future__ import annotations

import numpy as np

from driftline.streams.synthetic.stream import Vector


def flipped(rng: np.random.Generator, y: Vector, noise: float) -> Vector:
    """Return y with each label negated with probability noise.

    The count of random numbers drawn does not depend on the noise, so that streams that differ
    only in noise have the same X.
    """
    return np.where(rng.random(len(y)) < noise, -y, y)
