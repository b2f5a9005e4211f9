"""Moving centres: paths, the Bayes rule and its error, balance of the classes, noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from driftline.streams import MovingCentres
from tests.support.synthetic_streams import errors_at_start_and_end, whole


def test_centres_move_at_the_given_speed_and_stay_in_the_cube():
    stream = MovingCentres(d=4, speed=0.01, seed=2)
    path = stream.centres(np.arange(3000))
    assert path.shape == (3000, 5, 2, 4)
    assert np.abs(path).max() <= 1.0
    steps = np.linalg.norm(np.diff(path, axis=0), axis=-1)
    assert steps.max() <= 0.01 + 1e-12
    assert np.isclose(steps, 0.01).mean() > 0.95  # a step is shorter only at a side of the cube
    assert np.array_equal(path[70], stream.centres(70))


def test_examples_are_gaussian_around_the_centres_of_their_round():
    stream = MovingCentres(6000, 3, classes=4, components=1, speed=0.005, sd=0.2, seed=3)
    X, y = whole(stream)
    offset = X - stream.centres(np.arange(6000))[np.arange(6000), y, 0]
    assert stats.kstest(offset.ravel() / 0.2, "norm").pvalue > 0.001


@pytest.mark.parametrize("classes", [2, 3])
def test_the_target_is_the_class_with_the_largest_density(classes):
    stream = MovingCentres(100, 2, classes=classes, components=3, speed=0.01, seed=4)
    X, _ = whole(stream)
    found = stream.target(X, np.arange(100))
    for t, x in enumerate(X):
        centres = stream.centres(t)
        log_p = [logsumexp([stats.norm.logpdf(x, c, stream.sd).sum() for c in side]) for side in centres]
        best = int(np.argmax(log_p))
        assert found[t] == (best if classes > 2 else 2.0 * best - 1.0)


def test_the_bayes_error_of_two_gaussians():
    stream = MovingCentres(20_000, 3, classes=2, components=1, speed=0.0, sd=0.5, seed=5)
    one, other = stream.centres(0)[:, 0]
    bayes = stats.norm.cdf(-0.5 * np.linalg.norm(one - other) / 0.5)
    assert 0.02 < bayes < 0.4
    X, y = whole(stream)
    assert stats.binomtest(int((stream.target(X, 0) != y).sum()), 20_000, bayes).pvalue > 0.001


def test_classes_and_components_are_equally_likely():
    stream = MovingCentres(10_000, 10, classes=3, components=3, speed=0.0, sd=0.01, seed=6)
    X, y = whole(stream)
    assert stats.chisquare(np.bincount(y)).pvalue > 0.001
    for number in range(3):
        squares = np.square(X[y == number][:, None] - stream.centres(0)[number]).sum(axis=2)
        assert stats.chisquare(np.bincount(squares.argmin(axis=1))).pvalue > 0.001


def test_a_classifier_of_the_start_fails_at_the_end():
    start, end = errors_at_start_and_end(MovingCentres(10_000, speed=0.0005, seed=1))
    assert start < 0.1
    assert end > 0.5


def test_noise_replaces_labels_by_any_other_class_and_nothing_else():
    X, y = whole(MovingCentres(20_000, 2, classes=4, noise=0.3, seed=1))
    X_clean, y_clean = whole(MovingCentres(20_000, 2, classes=4, seed=1))
    assert np.array_equal(X, X_clean)
    step = (y - y_clean) % 4
    assert stats.binomtest(int((step > 0).sum()), 20_000, 0.3).pvalue > 0.001
    assert stats.chisquare(np.bincount(step)[1:]).pvalue > 0.001
