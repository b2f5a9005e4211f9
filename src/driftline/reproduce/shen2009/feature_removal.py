"""Reduce the number of features by dropping small weights.

There are two readings of section 4. "removed" is the rule of Theorems 3.3 and 3.4: after each
update, small weights with total energy below sigma are set to 0, and training continues from
there. "ignored" keeps all weights in training. Predictions leave out the small weights that hold
less than a given share of |w|^2, so the number of features can range from all to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners import Learner
from driftline.learners.state import extent, linear_weights
from driftline.reproduce.shen2009.data import row
from driftline.rules.linear.constrained import Constrained

REMOVED, IGNORED = "removed", "ignored"
READINGS = (REMOVED, IGNORED)
STEPS = (0.0, 5e-4, 5e-3, 0.015, 0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
"""Values of sigma, in units of the energy of a first update: 1 / |x|^2 for the median |x|^2."""
SHARES = (0.0, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.3, 0.45, 0.6, 0.7, 0.8, 0.88, 0.94, 0.97)
STRIDE = 10
"""Number of examples between two counts of the features."""


class Point(NamedTuple):
    """A threshold, the mean number of features over the second half, and the error rate there."""

    threshold: float
    features: float
    error: float


def sigmas(X: Any, steps: Sequence[float]) -> list[float]:
    """Return these multiples of the energy of a first update."""
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else (X * X).sum(axis=1)
    return [step / float(np.median(squares)) for step in steps]


def removed(rule: Constrained, X: Any, y: Floats, thresholds: Sequence[float]) -> list[Point]:
    """Return the points of learners that remove small weights permanently."""
    half = len(y) // 2
    points = []
    for sigma in thresholds:
        learner = _learner(rule, sigma)
        learner.learn_many(X[:half], y[:half])
        mistakes, features = 0, []
        for start in range(half, len(y), STRIDE):
            part = slice(start, start + STRIDE)
            mistakes += int(learner.test_then_train(X[part], y[part]).mistaken.sum())
            features.append(extent(learner)[1])
        points.append(Point(sigma, float(np.mean(features)), mistakes / (len(y) - half)))
    return points


def ignored(rule: Constrained, X: Any, y: Floats, shares: Sequence[float]) -> list[Point]:
    """Return the points of a learner that keeps small weights but ignores them in predictions."""
    half = len(y) // 2
    learner = _learner(rule, 0.0)
    learner.learn_many(X[:half], y[:half])
    kept = without_small_weights(_weights(learner), shares)
    mistakes, features = np.zeros(len(shares)), np.zeros(len(shares))
    sizes = np.count_nonzero(kept, axis=1)
    for t in range(half, len(y)):
        at, x = row(X, t)
        mistakes += y[t] * (kept[:, at] @ x) <= 0.0
        features += sizes
        if learner.test_then_train(X[t : t + 1], y[t : t + 1]).updated[0]:
            kept = without_small_weights(_weights(learner), shares)
            sizes = np.count_nonzero(kept, axis=1)
    rounds = len(y) - half
    return [
        Point(share, float(number) / rounds, float(wrong) / rounds)
        for share, number, wrong in zip(shares, features, mistakes, strict=True)
    ]


def without_small_weights(w: Floats, shares: Sequence[float]) -> Floats:
    """Return one row of weights per share, with the smallest weights set to 0.

    The weights set to 0 are the longest sequence of smallest weights with less than this share of
    the energy.
    """
    order = np.argsort(np.abs(w), kind="stable")
    energy = np.cumsum(w[order] ** 2)
    kept = np.tile(w, (len(shares), 1))
    for k, share in enumerate(shares):
        kept[k, order[: np.searchsorted(energy, share * energy[-1])]] = 0.0
    return kept


def _learner(rule: Constrained, sigma: float) -> Learner:
    """Return a new learner of this rule that removes weights with energy below sigma."""
    return Learner(replace(rule, sigma=sigma), bias=False)


def _weights(learner: Learner) -> Floats:
    return linear_weights(learner)[1].astype(float)
