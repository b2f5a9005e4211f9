"""Synthetic streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

import driftline as dl
from error.stored import Stream

PLANE_ROWS = 12_000
DRAWN_ROWS = 20_000
CURVED_ROWS = 10_000
CURVED: dict[str, Callable[..., Iterable[tuple[np.ndarray, np.ndarray]]]] = {
    "chessboard": dl.streams.MovingChessboard,
    "rotating-bananas": dl.streams.RotatingBananas,
    "centres": dl.streams.MovingCentres,
    "trees": dl.streams.SwitchingTrees,
    "led": dl.streams.LED,
}
"""Drifting streams without a linear target, at their defaults."""


def plane(name: str, seed: int, offset: float) -> list[Stream]:
    """Return a stream without drift.

    A label is positive with the probability of a logistic function of the features.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(PLANE_ROWS, 10))
    chance = 1.0 / (1.0 + np.exp(-(offset + X @ np.linspace(2.0, 0.0, 10))))
    return [Stream(name, 0, X, np.where(rng.random(PLANE_ROWS) < chance, 1.0, -1.0))]


def sea() -> list[Stream]:
    """Return drawn SEA concepts."""
    return [whole("drawn-sea", 0, dl.streams.SEA(n=DRAWN_ROWS))]


def hyperplane() -> list[Stream]:
    """Return a rotating hyperplane."""
    turning = dl.streams.RotatingHyperplane(n=DRAWN_ROWS, d=10, angle=0.001, noise=0.05)
    return [whole("drawn-hyperplane", 0, turning)]


def curved(name: str) -> list[Stream]:
    """Return a stream of `CURVED`."""
    return [whole(name, 0, CURVED[name](n=CURVED_ROWS))]


def whole(name: str, seed: int, stream: Iterable[tuple[np.ndarray, np.ndarray]]) -> Stream:
    """Return all blocks of a stream as one."""
    blocks = list(stream)
    return Stream(name, seed, np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks]))
