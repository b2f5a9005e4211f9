"""Few features by small weights: after each update those of least energy go, or are ignored while they stay.

"removed" is the rule of Theorems 3.3 and 3.4: small weights of energy below sigma become 0 and the learner goes on
from there. "ignored" is the other reading of section 4: the learner keeps all weights, and predictions are made
without those that hold less than a share of |w|^2, so that it reaches from all features to one.
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
"""Of sigma, in units of what a first update brings: 1 / |x|^2 for an example of middle length."""
SHARES = (0.0, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.3, 0.45, 0.6, 0.7, 0.8, 0.88, 0.94, 0.97)
STRIDE = 10
"""Features that a learner has are counted after so many examples each."""


class Point(NamedTuple):
    """A threshold, the mean number of features over the second half, and the error rate there."""

    threshold: float
    features: float
    error: float


def sigmas(X: Any, steps: Sequence[float]) -> list[float]:
    """So many times the energy of a first update."""
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else (X * X).sum(axis=1)
    return [step / float(np.median(squares)) for step in steps]


def removed(rule: Constrained, X: Any, y: Floats, thresholds: Sequence[float]) -> list[Point]:
    """Small weights are removed for good."""
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
    """Small weights stay, but predictions do without them."""
    half = len(y) // 2
    learner = _learner(rule, 0.0)
    learner.learn_many(X[:half], y[:half])
    kept = large(_weights(learner), shares)
    mistakes, features = np.zeros(len(shares)), np.zeros(len(shares))
    sizes = np.count_nonzero(kept, axis=1)
    for t in range(half, len(y)):
        at, x = row(X, t)
        mistakes += y[t] * (kept[:, at] @ x) <= 0.0
        features += sizes
        if learner.test_then_train(X[t : t + 1], y[t : t + 1]).updated[0]:
            kept = large(_weights(learner), shares)
            sizes = np.count_nonzero(kept, axis=1)
    rounds = len(y) - half
    return [
        Point(share, float(number) / rounds, float(wrong) / rounds)
        for share, number, wrong in zip(shares, features, mistakes, strict=True)
    ]


def large(w: Floats, shares: Sequence[float]) -> Floats:
    """A row of weights for each share: those without the longest run of smallest ones that holds less than it."""
    order = np.argsort(np.abs(w), kind="stable")
    energy = np.cumsum(w[order] ** 2)
    kept = np.tile(w, (len(shares), 1))
    for k, share in enumerate(shares):
        kept[k, order[: np.searchsorted(energy, share * energy[-1])]] = 0.0
    return kept


def _learner(rule: Constrained, sigma: float) -> Learner:
    """A new learner of this rule that removes features."""
    return Learner(replace(rule, sigma=sigma), bias=False)


def _weights(learner: Learner) -> Floats:
    return linear_weights(learner)[1].astype(float)
