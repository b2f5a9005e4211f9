"""Label noise: each label is changed with the same probability, independently of the example."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic.stream import Vector


def flipped(rng: np.random.Generator, y: Vector, noise: float) -> Vector:
    """Return y with each label negated with probability noise.

    The count of random numbers drawn does not depend on the noise, so that streams that differ
    only in noise have the same X.
    """
    return np.where(rng.random(len(y)) < noise, -y, y)


def replaced(rng: np.random.Generator, number: NDArray[np.int64], classes: int, noise: float) -> NDArray[np.int64]:
    """Return the class numbers, each replaced by another class with probability noise.

    The other classes are equally likely. As in ``flipped``, the count of random numbers drawn does
    not depend on the noise.
    """
    other = (number + rng.integers(1, classes, size=len(number))) % classes
    return np.where(rng.random(len(number)) < noise, other, number)
