"""Paths: the family of experts on random trees, whose rule and loops are in ``path_trees.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from driftline.engines.array_checks import Arrays, finite, of_shape, only, within
from driftline.engines.nonlinear.nearest import Integers
from driftline.engines.nonlinear.path_trees import (
    EXPERTS,
    FIRST,
    INNER,
    MOST_VARIANCE,
    NODES,
    TILE,
    TREES,
    Trees,
    X,
    columns_of,
    learn_rows,
    new_workspace,
    score_rows,
    walk,
)
from driftline.internals.compiled import Floats


def width_of(classes: int) -> int:
    """The length of a line for this many classes: whole tiles of eight numbers."""
    return -(-(FIRST + EXPERTS * classes) // TILE) * TILE


def new_trees(classes: int) -> Trees:
    """Trees without splits, with room for this many classes."""
    trees = Trees(
        features=np.full((TREES, INNER), -1, np.int32),
        thresholds=np.zeros((TREES, INNER)),
        lines=np.zeros((TREES * NODES, width_of(classes))),
        seen=np.zeros(classes, np.int64),
    )
    trees.lines[:, :EXPERTS] = 1.0
    return trees


class Paths:
    """Two experts that write a score per class: diagonal AROW on the paths of 20 random trees.

    Memory: 20 trees of 512 nodes with 4 + 2 classes numbers each, 0.7 MB for two classes, for any
    number of rows and features. Features beyond the first 128 are ignored.

    Examples
    --------
    >>> family = Paths()
    >>> family.make_room(features=1, classes=2)()
    >>> Z, known, y = np.array([[1.0], [-1.0], [0.9]]), np.ones(3, np.int64), np.array([1, 0, 1])
    >>> scores = np.empty((3, 2, 2))
    >>> family.learn(Z, known, y, np.ones(3), scores)
    >>> bool(scores[2, 0, 1] > 0.0), bool(scores[2, 0, 0] == -scores[2, 0, 1])
    (True, True)
    """

    experts: ClassVar[int] = EXPERTS
    names: ClassVar[tuple[str, ...]] = ("paths(r=0.1)", "paths(r=1)")
    limit: ClassVar[int] = 128

    def __init__(self) -> None:
        self.trees = new_trees(0)

    def make_room(self, features: int, classes: int) -> Callable[[], None]:
        """Allocate lines for these classes; the returned function puts them in place."""
        trees, room = self.trees, self.trees.seen.size
        if classes > room:
            made = new_trees(classes)
            columns = min(trees.lines.shape[1], made.lines.shape[1])
            made.lines[:, :columns] = trees.lines[:, :columns]
            made.seen[:room] = trees.seen
            trees = trees._replace(lines=made.lines, seen=made.seen)

        def put() -> None:
            self.trees = trees

        return put

    def learn(self, Z: Floats, known: Integers, y: Integers, w: Floats, scores: Floats) -> None:
        """Write the scores of each row before the row is learned."""
        learn_rows(self.trees, self.limit, Z, known, y, w, scores)

    def score(self, Z: Floats, known: Integers, scores: Floats) -> None:
        """Write the scores of each row."""
        score_rows(self.trees, self.limit, Z, known, scores)

    def attribute(self, z: Floats, known: int) -> tuple[np.ndarray, ...]:
        """Contributions of the features to the scores of one row, which add up to the scores.

        The weight of a node counts for the feature that its parent splits on.

        Parameters
        ----------
        z : array
            One row.
        known : int
            Number of features.

        Returns
        -------
        tuple of two arrays of shape (classes, 1 + known)
            For each expert: the contribution of the constant, which is 0, and of each feature.
        """
        trees, work = self.trees, new_workspace(self.trees.lines.shape[1])
        path = work.path[: walk(trees, z, min(known, self.limit), False, work)].astype(np.int64)
        parents = trees.features[path // NODES, path % NODES // 2]
        sums = np.zeros((1 + known, trees.lines.shape[1]))
        np.add.at(sums, 1 + parents, X * trees.lines[path])
        return tuple(self._by_class(sums[:, expert::EXPERTS]) for expert in range(EXPERTS))

    def _by_class(self, sums: Floats) -> Floats:
        """The contributions to each class of an expert, also of a class never seen."""
        seen = self.trees.seen != 0
        never, classes = sums[:, 1], sums[:, 2 : 2 + seen.size].T.copy()
        totals = classes.sum(axis=1)
        lowest = never
        if seen.any() and totals[seen].min() < never.sum():
            lowest = classes[np.flatnonzero(seen)[totals[seen].argmin()]].copy()
        classes[~seen] = lowest
        return classes

    def arrays(self) -> Arrays:
        """Splits, lines and the classes seen, with spare room."""
        return dict(self.trees._asdict())

    def saved(self) -> Arrays:
        """Splits, lines and the classes seen, without spare room."""
        trees, columns = self.trees, int(columns_of(self.trees.seen))
        return {
            "features": trees.features.copy(),
            "thresholds": trees.thresholds.copy(),
            "lines": trees.lines[:, :columns].copy(),
            "seen": trees.seen[: (columns - FIRST) // EXPERTS].copy(),
        }

    def restore(self, features: int, classes: int, arrays: Arrays) -> None:
        """Take over arrays from ``saved``; ValueError if no learner can have them."""
        only(arrays, *Trees._fields)
        splits = of_shape(arrays, "features", "int32", (TREES, INNER))
        within("features", splits, -1, min(features, self.limit) - 1)
        parents = splits[:, np.arange(INNER) // 2]
        if (splits[:, 0] >= 0).any() or ((splits >= 0) & (parents < 0))[:, 2:].any():
            raise ValueError("a split below a node without one")
        thresholds = finite("thresholds", of_shape(arrays, "thresholds", "float64", (TREES, INNER)))
        top = arrays["seen"].size
        seen = within("seen", of_shape(arrays, "seen", "int64", (top,)), 0, 1)
        if top > classes or (top > 0 and seen[-1] == 0):
            raise ValueError(f"{top} of {classes} classes")
        columns = FIRST + EXPERTS * top
        lines = finite("lines", of_shape(arrays, "lines", "float64", (TREES * NODES, columns)))
        within("variances", lines[:, :EXPERTS], 0.0, MOST_VARIANCE)
        trees = new_trees(classes)
        trees.features[:], trees.thresholds[:] = splits, thresholds
        trees.lines[:, :columns], trees.seen[:top] = lines, seen
        self.trees = trees
