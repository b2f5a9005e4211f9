"""Streams for the families of experts for curved boundaries, and ways to feed them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np


class Rows(NamedTuple):
    """The arguments of ``learn`` but for the scores."""

    Z: np.ndarray
    known: np.ndarray
    y: np.ndarray
    w: np.ndarray

    def part(self, start: int, stop: int) -> Rows:
        return Rows(*(np.ascontiguousarray(array[start:stop]) for array in self))

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1


def growing(n: int, seed: int = 0, classes: int = 4) -> Rows:
    """Rows whose features grow from 2 to 6 and whose classes appear one after the other; some weights are 0."""
    rng = np.random.default_rng(seed)
    known = np.minimum(6, 2 + np.arange(n) * 6 // n).astype(np.int64)
    Z = np.clip(rng.normal(size=(n, 6)), -5.0, 5.0)
    Z[rng.random((n, 6)) < 0.05] = 0.0
    Z[np.arange(6) >= known[:, None]] = 0.0
    rank = (np.abs(Z[:, 0]) + Z[:, 1] > 0.5).astype(np.int64) + 2 * (Z[:, 2] > 0.3)
    highest = np.minimum(classes, 1 + np.arange(n) * 2 * classes // n)
    w = rng.choice([0.0, 0.3, 1.0, 2.0], n, p=[0.1, 0.2, 0.5, 0.2])
    return Rows(Z, known, np.minimum(rank % classes, highest - 1), w)


def rings(n: int, seed: int = 0) -> Rows:
    """Two concentric rings: no line separates them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return Rows(curved(rng, y), np.full(n, 2), y, np.ones(n))


def runs(n: int, seed: int = 0) -> Rows:
    """The rings, whose label stays the same with probability 0.9."""
    rng = np.random.default_rng(seed)
    y = np.cumsum(rng.random(n) < 0.1) % 2
    return Rows(curved(rng, y), np.full(n, 2), y, np.ones(n))


def curved(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    """A point for each label: of radius 0.7 or 1.7, more or less."""
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, len(y)), rng.normal(0.7 + y, 0.35)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def shuffled(rows: Rows, seed: int = 0, block: int = 50) -> Rows:
    """The rows, shuffled within blocks."""
    rng = np.random.default_rng(seed)
    n = len(rows.y)
    order = np.concatenate([start + rng.permutation(min(block, n - start)) for start in range(0, n, block)])
    return Rows(*(np.ascontiguousarray(array[order]) for array in rows))


def made(kind: type[Any], rows: Rows) -> Any:
    """A family with room for the rows."""
    family = kind()
    family.make_room(rows.Z.shape[1], rows.classes)()
    return family


def learned(family: Any, rows: Rows, classes: int = 0, cuts: Iterable[int] = ()) -> np.ndarray:
    """The scores of the rows, which are learned in blocks that end at ``cuts``."""
    scores = np.full((len(rows.y), family.experts, classes or rows.classes), np.nan)
    edges = [0, *cuts, len(rows.y)]
    for start, stop in pairwise(edges):
        family.learn(*rows.part(start, stop), scores[start:stop])
    return scores


def scored(family: Any, rows: Rows, classes: int = 0) -> np.ndarray:
    """The scores of the rows, which are not learned."""
    scores = np.full((len(rows.y), family.experts, classes or rows.classes), np.nan)
    family.score(rows.Z, rows.known, scores)
    return scores


def bits(arrays: dict[str, np.ndarray]) -> dict[str, tuple[Any, ...]]:
    """Shape, type and bytes of each array."""
    return {name: (array.shape, array.dtype, array.tobytes()) for name, array in arrays.items()}


def errors(kind: type[Any], rows: Rows, skip: int = 0) -> np.ndarray:
    """The share of rows, from ``skip`` on, that each expert classified wrongly before learning them."""
    scores = learned(made(kind, rows), rows)
    return (scores[skip:].argmax(axis=2) != rows.y[skip:, None]).mean(axis=0)
