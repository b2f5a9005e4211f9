"""Synthetic streams."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import driftline as dl
from error.stored import Stream

PLANE_ROWS = 12_000
DRAWN_ROWS = 20_000


def plane(name: str, seed: int, offset: float) -> list[Stream]:
    """Return a stream without drift.

    A label is positive with the probability of a logistic function of the features.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(PLANE_ROWS, 10))
    chance = 1.0 / (1.0 + np.exp(-(offset + X @ np.linspace(2.0, 0.0, 10))))
    return [Stream(name, 0, X, np.where(rng.random(PLANE_ROWS) < chance, 1.0, -1.0))]


def drifting(name: str, made: Iterable[tuple[np.ndarray, np.ndarray]]) -> list[Stream]:
    """Return a stream of `dl.streams`."""
    return [whole(name, 0, made)]


def whole(name: str, seed: int, stream: Iterable[tuple[np.ndarray, np.ndarray]]) -> Stream:
    """Return all blocks of a stream as one."""
    blocks = list(stream)
    return Stream(name, seed, np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks]))
