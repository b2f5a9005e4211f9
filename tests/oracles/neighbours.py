"""Nearest neighbours from the definition: a list of all rows, sorted by distance for each row."""

from __future__ import annotations

import numpy as np

Vector = np.ndarray
SINGLE = np.float32


class Neighbours:
    def __init__(self, features: int) -> None:
        self.stored: list[tuple[Vector, int, float]] = []
        self.factors = np.full(features, 0.05, SINGLE)

    def distance(self, a: Vector, b: Vector) -> float:
        square = SINGLE(0.0)
        for factor, x, z in zip(self.factors, a.astype(SINGLE), b.astype(SINGLE), strict=True):
            square = square + factor * ((x - z) * (x - z))
        return float(np.sqrt(np.float64(square)))

    def shares(self, z: Vector, window: int, classes: int) -> Vector:
        newest_first = self.stored[-window:][::-1]
        if not newest_first:
            return np.full(classes, 1.0 / classes)
        distances = [self.distance(z, row) for row, _, _ in newest_first]
        shares = np.zeros(classes)
        for k in sorted(range(len(distances)), key=distances.__getitem__)[:5]:
            _, label, weight = newest_first[k]
            shares[label] += weight / (distances[k] + 0.001)
        return shares / shares.sum()

    def learn(self, z: Vector, label: int, weight: float) -> None:
        self.stored.append((z.copy(), label, weight))
        if len(self.stored) % 200 == 0:
            rows = np.array([row for row, _, _ in self.stored[-2000:]])
            labels = np.array([label for _, label, _ in self.stored[-2000:]])
            self.factors = (0.05 + separation(rows, labels)).astype(SINGLE)


def separation(rows: Vector, labels: Vector) -> Vector:
    """The part of each variance that lies between the classes, less its value by chance."""
    classes = np.unique(labels)
    between = sum(np.mean(labels == c) * (rows[labels == c].mean(axis=0) - rows.mean(axis=0)) ** 2 for c in classes)
    spread = rows.var(axis=0)
    part = np.where(spread > 1e-9, between / np.maximum(spread, 1e-9), 0.0)
    return np.maximum(0.0, part - np.where(spread > 1e-9, (len(classes) - 1) / len(rows), 0.0))
