"""Learners that keep the hypotheses consistent with all labels: for clean labels, few features
and small margins.
"""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules.consistent.ellipsoid_learner import Inconsistent
from driftline.rules.consistent.grid_halving import Empty, Grid


class GridHalving(Learner):
    """The majority vote of all weight vectors of a grid that have never been wrong.

    Use it for two or three features, clean labels and a known margin. The first example fixes the
    features, unless ``features`` says how many there will be: all columns of an array, or the
    names in the first dict or sparse row. The rule and its paper are in
    ``driftline.rules.consistent.grid_halving``.

    Parameters
    ----------
    gamma : float, default=0.5
        Margin of the target, > 0.
    radius : float, default=1.0
        Length of the longest example, > 0.
    W : float, default=1.0
        Length of the target's weights, > 0.
    grid : {"sqrt", "lecture"}, default="sqrt"
        Distance of the points. "sqrt" is the coarser grid, with the same bound; "lecture" is the
        grid of the lecture notes.
    features : int or None, default=None
        Number of features, >= 1, without the constant one. None takes the number from the first
        example.
    empty : {"reset", "raise"}, default="reset"
        What to do with an example after which no point is left: "reset" starts again with all
        points, "raise" refuses the example with a ValueError.
    most : int, default=20_000_000
        Largest number of points times dimensions. A larger grid is refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
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
    """The centre of an ellipsoid around all consistent weights; each mistake cuts the ellipsoid.

    Use it for clean labels and tiny margins: its bound grows only with the logarithm of 1 /
    margin. An update takes O(d^2) time and memory for d features. The rule and its paper are in
    ``driftline.rules.consistent.ellipsoid_learner``.

    Parameters
    ----------
    inconsistent : {"ignore", "restart"}, default="ignore"
        What to do with an example that contradicts the earlier ones: "ignore" skips it, "restart"
        starts from nothing with the next example.
    most : int, default=2000
        Largest number of dimensions, >= 1. An example with more is refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = EllipsoidLearner(bias=False)
    >>> for x, y in [([1.0, 0.0], 1), ([0.0, 1.0], -1), ([1.0, 0.5], 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one([0.5, 1.0]), learner.updates
    (-1, 2)
    """

    def __init__(self, inconsistent: Inconsistent = "ignore", most: int = 2000, **options: Unpack[Options]) -> None:
        super().__init__(rules.EllipsoidLearner(inconsistent, most), **options)


class VersionSpace(Learner):
    """The centre of mass of all consistent weights, estimated by sampling.

    Use it for clean labels and few features. The rule and its paper are in
    ``driftline.rules.consistent.version_space``.

    Parameters
    ----------
    samples : int or None, default=None
        Number of samples, >= 2. None is 10 d + 50 for d dimensions.
    seed : int, default=0
        Seed of the samples, >= 0.
    inconsistent : {"ignore", "restart"}, default="ignore"
        What to do with an example that contradicts the earlier ones: "ignore" skips it, "restart"
        starts from nothing with the next example.
    most : int, default=200
        Largest number of dimensions, >= 1. An example with more is refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
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
