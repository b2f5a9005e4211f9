"""SEA: its labels follow the printed concepts, which take turns; noise changes labels alone."""

from __future__ import annotations

import numpy as np
from scipy import stats

from driftline.streams import (
    SEA,
)
from tests.support.synthetic_streams import (
    whole,
)


def test_sea_labels_follow_the_printed_concepts():
    X, y = whole(SEA(4000, noise=0.0, seed=1))
    assert X.shape == (4000, 3)
    for t in range(4000):
        theta = (8.0, 9.0, 7.0, 9.5)[t // 1000]
        assert y[t] == (1.0 if X[t, 0] + X[t, 1] <= theta else -1.0)
    assert X.min() >= 0.0 and X.max() <= 10.0
    assert stats.kstest(X.ravel(), stats.uniform(0.0, 10.0).cdf).pvalue > 0.001


def test_sea_concepts_share_the_length():
    stream = SEA(4003)
    assert len(stream) == 4003
    theta = stream.theta(np.arange(4003))
    _, sizes = np.unique(theta, return_counts=True)
    assert sizes.min() == 1000 and sizes.max() == 1001
    assert np.flatnonzero(np.diff(theta)).size == 3


def test_sea_concepts_come_round_again():
    stream = SEA(None, every=10, thetas=(1, 2, 3))
    assert [float(stream.theta(t)) for t in (0, 9, 10, 29, 30, 60_000_000_009)] == [1, 1, 2, 3, 1, 1]


def test_sea_noise_turns_labels_over_and_nothing_else():
    X, y = whole(SEA(20_000, seed=2))
    X_clean, y_clean = whole(SEA(20_000, noise=0.0, seed=2))
    assert np.array_equal(X, X_clean)
    assert stats.binomtest(int((y != y_clean).sum()), 20_000, 0.1).pvalue > 0.001
