"""The smallest value of a bound over all scales of a comparator."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats

SCALES = np.geomspace(1e-4, 1e6, 161)
QUANTILES = np.concatenate([np.linspace(0.0, 0.99, 56), [0.995, 0.999, 1.0]])


def best_scale(margins: Floats, cost: float, weights: Floats | None = None) -> tuple[float, float]:
    """Return the exact minimiser s >= 0 of sum c_t max(0, 1 - s m_t) + cost s, and the sum of the
    weighted hinge losses at s. All weights c_t are 1 by default.

    >>> best_scale(np.array([2.0, 4.0, -1.0]), 0.5)
    (0.5, 1.5)
    >>> best_scale(np.array([2.0, 4.0, -1.0]), 0.5, np.array([0.5, 1.0, 1.0]))
    (0.25, 1.5)
    """
    c = np.ones(len(margins)) if weights is None else weights
    order = np.argsort(margins)[::-1]  # the largest margins are satisfied first, as s grows
    positive = order[margins[order] > 0.0]
    slopes = cost - float(np.sum(c * margins)) + np.concatenate([[0.0], np.cumsum(c[positive] * margins[positive])])
    k = int(np.argmax(slopes >= 0.0)) if slopes[-1] >= 0.0 else len(positive)
    s = 0.0 if k == 0 else 1.0 / float(margins[positive[k - 1]])
    return s, float(np.sum(c * np.maximum(0.0, 1.0 - s * margins)))


class Shortfall:
    """G(r) = sum of max(0, r - m_t): the total loss of a path at margin r."""

    def __init__(self, margins: Floats) -> None:
        self.sorted = np.sort(margins)
        self._sums = np.concatenate([[0.0], np.cumsum(self.sorted)])

    def __call__(self, r: Floats) -> Floats:
        """Return G at each r."""
        below = np.searchsorted(self.sorted, r)
        lacking: Floats = r * below - self._sums[below]
        return lacking

    def levels(self) -> Floats:
        """Return values of r to try: quantiles of the positive margins, and some values above all
        margins.
        """
        positive = self.sorted[self.sorted > 0.0]
        if not positive.size:
            return np.zeros(0)
        found = np.quantile(positive, QUANTILES)
        return np.unique(np.concatenate([found, found[-1] * np.array([1.1, 1.5, 2.0, 4.0])]))
