"""A random partition of the unit cube by an axis-parallel tree, with a class in each leaf.

Every node cuts its cell across a random feature, at a point in the middle half of the cell's side.
So no leaf is larger than 0.75^depth. The leaves are sorted by volume and dealt to the classes, one
to each class in turn, in a random order each time. The volumes of two classes therefore differ by
at most that of the largest leaf.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic.stream import Matrix, Vector

MIDDLE = (0.25, 0.75)
"""A cut is in this part of the side of its cell."""


@dataclass(frozen=True)
class RandomTree:
    """A complete tree: the feature and the cut of each node, level by level, and the leaves."""

    features: tuple[NDArray[np.int64], ...]
    cuts: tuple[Vector, ...]
    classes: NDArray[np.int64]
    """The class number of each leaf."""
    volumes: Vector
    """The volume of each leaf."""

    def class_of(self, X: Matrix) -> NDArray[np.int64]:
        """Return the class number of each row of X."""
        rows, node = np.arange(len(X)), np.zeros(len(X), dtype=np.int64)
        for feature, cut in zip(self.features, self.cuts, strict=True):
            node = 2 * node + (X[rows, feature[node]] >= cut[node])
        return self.classes[node]


def random_tree(rng: np.random.Generator, d: int, classes: int, depth: int) -> RandomTree:
    """Draw a tree over [0, 1]^d with ``2**depth`` leaves."""
    low, high = np.zeros((1, d)), np.ones((1, d))
    features, cuts = [], []
    for level in range(depth):
        node = np.arange(2**level)
        feature = rng.integers(d, size=len(node))
        share = rng.uniform(*MIDDLE, len(node))
        cut = (1.0 - share) * low[node, feature] + share * high[node, feature]
        low, high = low.repeat(2, axis=0), high.repeat(2, axis=0)
        high[2 * node, feature] = cut
        low[2 * node + 1, feature] = cut
        features.append(feature)
        cuts.append(cut)
    volumes = (high - low).prod(axis=1)
    return RandomTree(tuple(features), tuple(cuts), _dealt(rng, volumes, classes), volumes)


def _dealt(rng: np.random.Generator, volumes: Vector, classes: int) -> NDArray[np.int64]:
    """Return the class of each leaf: leaves from large to small, one to each class in turn."""
    turns = -(-len(volumes) // classes)
    order = rng.permuted(np.tile(np.arange(classes), (turns, 1)), axis=1).ravel()
    dealt = np.empty(len(volumes), dtype=np.int64)
    dealt[np.argsort(-volumes, kind="stable")] = order[: len(volumes)]
    return dealt
