"""Learners that keep what is consistent with all labels so far: for clean labels, few features and small margins."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner, Options
from driftline.rules.consistent.ellipsoid_learner import Inconsistent
from driftline.rules.consistent.grid_halving import Empty, Grid


class GridHalving(Learner):
    """The majority of all consistent weights on a grid. See ``driftline.rules.consistent.grid_halving``.

    The first example fixes the features, unless ``features`` says how many there will be (the constant one not
    counted). Of arrays that is all columns; of dicts and sparse rows it is what the first of them has.

    >>> learner = GridHalving(gamma=0.2, bias=False)
    >>> for x, y in [([1.0, 0.0], 1), ([0.0, 1.0], -1), ([1.0, 0.5], 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one([0.5, 1.0]), learner.label_errors
    (-1, 1)
    """

    def __init__(
        self,
        gamma: float = 0.5,
        radius: float = 1.0,
        W: float = 1.0,
        grid: Grid = "sqrt",
        features: int | None = None,
        empty: Empty = "reset",
        most: int = 20_000_000,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.GridHalving(gamma, radius, W, grid, features, empty, most), **options)


class EllipsoidLearner(Learner):
    """The centre of an ellipsoid around all consistent weights. See ``driftline.rules.consistent.ellipsoid_learner``.

    >>> learner = EllipsoidLearner(bias=False)
    >>> for x, y in [([1.0, 0.0], 1), ([0.0, 1.0], -1), ([1.0, 0.5], 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one([0.5, 1.0]), learner.updates
    (-1, 2)
    """

    def __init__(self, inconsistent: Inconsistent = "ignore", most: int = 2000, **options: Unpack[Options]) -> None:
        super().__init__(rules.EllipsoidLearner(inconsistent, most), **options)


class VersionSpace(Learner):
    """The sampled centre of mass of all consistent weights. See ``driftline.rules.consistent.version_space``.

    >>> learner = VersionSpace(seed=1, bias=False)
    >>> for x, y in [([1.0, 0.0], 1), ([0.0, 1.0], -1), ([1.0, 0.5], 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one([1.0, 0.5]), learner.updates
    (1, 2)
    """

    def __init__(
        self,
        samples: int | None = None,
        seed: int = 0,
        inconsistent: Inconsistent = "ignore",
        most: int = 200,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.VersionSpace(samples, seed, inconsistent, most), **options)
