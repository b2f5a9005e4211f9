"""Diagonal AROW on the paths of random trees, with dictionaries of nodes and Python's numbers."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from tests.oracles.splitmix64 import MASK, STEP, mixed

Node = tuple[int, int]


def uniform(counter: int, draw: int) -> float:
    """A number in [0, 1) of the seed 1."""
    bits = mixed((mixed((mixed((1 + STEP) & MASK) + (counter + 1) * STEP) & MASK) + (draw + 1) * STEP) & MASK)
    return (bits >> 11) / 2.0**53


class Paths:
    def __init__(self, r: float, gamma: float) -> None:
        self.r, self.gamma = r, gamma
        self.splits: dict[Node, tuple[int, float]] = {}
        self.variance: dict[Node, float] = defaultdict(lambda: 1.0)
        self.never: dict[Node, float] = defaultdict(float)
        self.weights: dict[int, dict[Node, float]] = {}

    def nodes(self, z: np.ndarray, known: int, splits: bool) -> list[Node]:
        found = []
        for tree in range(20):
            node = 1
            for _ in range(8):
                if (tree, node) not in self.splits:
                    if not splits:
                        break
                    counter = tree * 256 + node
                    length = math.sqrt(-2.0 * math.log(1.0 - uniform(counter, 1)))
                    threshold = 0.8 * length * math.cos(2.0 * math.pi * uniform(counter, 2))
                    self.splits[tree, node] = int(uniform(counter, 0) * known), threshold
                feature, threshold = self.splits[tree, node]
                node = 2 * node + int(z[feature] > threshold)
                found.append((tree, node))
        return found

    def scores(self, z: np.ndarray, known: int, classes: int) -> list[float]:
        nodes = self.nodes(z, known, False)
        lowest = min(self.dot(w, nodes) for w in (self.never, *self.weights.values()))
        return [self.dot(self.weights[c], nodes) if c in self.weights else lowest for c in range(classes)]

    def dot(self, w: dict[Node, float], nodes: list[Node]) -> float:
        return sum(w[node] for node in nodes) / math.sqrt(160.0)

    def learn(self, z: np.ndarray, known: int, label: int, weight: float) -> None:
        nodes, x = self.nodes(z, known, True), 1.0 / math.sqrt(160.0)
        if label not in self.weights:
            self.weights[label] = self.never.copy()
        b = 1.0 / (sum(self.variance[node] for node in nodes) * x * x + self.r / weight)
        moves = []
        for c, w in self.weights.items():
            sign = 1.0 if c == label else -1.0
            if sign * self.dot(w, nodes) < 1.0:
                moves.append((w, sign * (1.0 - sign * self.dot(w, nodes)) * b * x))
        if not moves:
            return
        if -self.dot(self.never, nodes) < 1.0:
            moves.append((self.never, -(1.0 + self.dot(self.never, nodes)) * b * x))
        for w, step in moves:
            for node in nodes:
                w[node] += step * self.variance[node]
        for node in nodes:
            p = self.variance[node]
            self.variance[node] = min(1e3, (p - b * p * p * x * x) / self.gamma)
