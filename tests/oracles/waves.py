"""Full AROW on random Fourier features, with a dense matrix P and numpy's cosine."""

from __future__ import annotations

import math

import numpy as np

from tests.oracles.splitmix64 import MASK, STEP, mixed

Vector = np.ndarray


def uniform(k: int, j: int) -> float:
    """A number in [0, 1) of the seed 2."""
    bits = mixed((mixed((mixed((2 + STEP) & MASK) + (k + 1) * STEP) & MASK) + (j + 1) * STEP) & MASK)
    return (bits >> 11) / 2.0**53


def frequencies(feature: int, d: int) -> list[float]:
    """The component of a feature in each frequency: Box and Muller's pairs of normal numbers."""
    found = []
    for j in range(0, 100, 2):
        length = math.sqrt(-2.0 * math.log(1.0 - uniform(feature, j)))
        angle = 2.0 * math.pi * uniform(feature, j + 1)
        found += [length * math.cos(angle) * math.sqrt(0.4 / d), length * math.sin(angle) * math.sqrt(4.0 / d)]
    return found


class Waves:
    def __init__(self) -> None:
        self.o: list[list[float]] = []
        self.phases = np.array([2.0 * math.pi * uniform(1 << 40, j) for j in range(100)])
        self.P = np.eye(101)
        self.never = np.zeros(101)
        self.weights: dict[int, Vector] = {}

    def x(self, z: Vector) -> Vector:
        angles = self.phases + sum((z[i] * np.array(o) for i, o in enumerate(self.o)), np.zeros(100))
        return np.append(math.sqrt(0.02) * np.cos(angles), 1.0)

    def scores(self, z: Vector, classes: int) -> list[float]:
        x = self.x(z)
        lowest = min(float(w @ x) for w in (self.never, *self.weights.values()))
        return [float(self.weights[c] @ x) if c in self.weights else lowest for c in range(classes)]

    def learn(self, z: Vector, known: int, label: int, weight: float) -> None:
        self.o += [frequencies(feature, known) for feature in range(len(self.o), known)]
        x = self.x(z)
        if label not in self.weights:
            self.weights[label] = self.never.copy()
        signs = {c: 1.0 if c == label else -1.0 for c in self.weights}
        moved = [c for c, w in self.weights.items() if signs[c] * (w @ x) < 1.0]
        if not moved:
            return
        h = self.P @ x
        b = 1.0 / (x @ h + 0.1 / weight)
        for c in moved:
            w = self.weights[c]
            w += signs[c] * (1.0 - signs[c] * (w @ x)) * b * h
        if -(self.never @ x) < 1.0:
            self.never -= (1.0 + self.never @ x) * b * h
        self.P = (self.P - b * np.outer(h, h)) / 0.995
        self.P *= min(1.0, 101_000.0 / np.trace(self.P))
