"""Standardised streams with curved boundaries, as the families of nonlinear experts get them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats


class Curved(NamedTuple):
    Z: Floats
    known: np.ndarray
    y: np.ndarray
    w: Floats

    def rows(self, places: slice | np.ndarray) -> Curved:
        return Curved(*(np.ascontiguousarray(array[places]) for array in self))


def rings(n: int, d: int = 2, classes: int = 2, noise: float = 0.0, seed: int = 0) -> Curved:
    """The class is the ring around the origin that the first two features are in."""
    rng = np.random.default_rng(seed)
    Z = np.clip(rng.normal(size=(n, d)), -5.0, 5.0)
    radius = np.hypot(Z[:, 0], Z[:, 1])
    y = np.digitize(radius, np.sqrt(-2.0 * np.log(1.0 - np.arange(1, classes) / classes)))
    y = np.where(rng.random(n) < noise, rng.integers(0, classes, n), y)
    return Curved(Z, np.full(n, d), y.astype(np.int64), np.ones(n))


def in_runs(n: int, stays: float, seed: int = 0) -> Curved:
    """Two rings whose labels come in runs: a label stays with probability ``stays``."""
    rng = np.random.default_rng(seed)
    y = np.cumsum(rng.random(n) > stays) % 2
    radius, angle = np.where(y == 1, 1.6, 0.8) + 0.45 * rng.normal(size=n), rng.uniform(0.0, 2.0 * np.pi, n)
    Z = np.clip(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), -5.0, 5.0)
    return Curved(Z, np.full(n, 2), y.astype(np.int64), np.ones(n))


def shuffled_within_blocks(stream: Curved, size: int, seed: int = 0) -> Curved:
    """The same rows, in random order within each block of ``size``."""
    rng = np.random.default_rng(seed)
    starts = range(0, len(stream.y), size)
    return stream.rows(np.concatenate([start + rng.permutation(min(size, len(stream.y) - start)) for start in starts]))


def growing(n: int, d: int, classes: int, seed: int = 0) -> Curved:
    """Rings whose features become known one after another, with late classes, and weights from 0 to 2."""
    rng = np.random.default_rng(seed)
    Z, _, y, _ = rings(n, d, classes, 0.1, seed)
    y = np.minimum(y, np.arange(n) * 2 * classes // n + 1)
    known = np.minimum(d, np.arange(n) * 2 * d // n)
    Z[np.arange(d) >= known[:, None]] = 0.0
    return Curved(Z, known, y, rng.choice([0.0, 0.5, 1.0, 2.0], n))
