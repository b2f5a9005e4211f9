"""Rotating bananas: the shapes, their turn, balance, the Bayes error, noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from driftline.streams import RotatingBananas
from tests.support.synthetic_streams import errors_at_start_and_end, whole


def log_densities(X, arcs, sd):
    """log p(x | +1) and log p(x | -1), up to a constant, by a mean over points of the arcs."""
    squares = np.square(X[:, None, None, :] - arcs).sum(axis=3)
    return logsumexp(-0.5 * squares / sd**2, axis=2).T - math.log(arcs.shape[1])


def test_without_spread_the_examples_are_on_the_half_circles():
    stream = RotatingBananas(2000, angle=0.01, sd=0.0, seed=1)
    X, y = whole(stream)
    turn = 0.01 * np.arange(2000)
    back = np.stack([np.cos(turn) * X[:, 0] + np.sin(turn) * X[:, 1], np.cos(turn) * X[:, 1] - np.sin(turn) * X[:, 0]])
    across, up = y * back + np.array([[0.5], [0.25]])
    np.testing.assert_allclose(np.hypot(across, up), 1.0, atol=1e-12)
    assert up.min() > -1e-12
    assert stats.kstest(np.arctan2(up, across), stats.uniform(0.0, math.pi).cdf).pvalue > 0.001


def test_the_spread_is_gaussian():
    stream = {sd: whole(RotatingBananas(5000, sd=sd, seed=2)) for sd in (0.0, 0.2)}
    offset = (stream[0.2][0] - stream[0.0][0]).ravel() / 0.2
    assert stats.kstest(offset, "norm").pvalue > 0.001
    assert np.array_equal(stream[0.2][1], stream[0.0][1])


def test_half_a_turn_exchanges_the_arcs():
    stream = RotatingBananas(angle=math.pi / 700)
    np.testing.assert_allclose(stream.arcs(700), stream.arcs(0)[::-1], atol=1e-12)
    np.testing.assert_allclose(stream.arcs(1400), stream.arcs(0), atol=1e-12)


def test_both_labels_are_equally_likely():
    _, y = whole(RotatingBananas(10_000, seed=6))
    assert stats.binomtest(int((y > 0).sum()), 10_000).pvalue > 0.001


@pytest.mark.parametrize("t", [0, 40])
def test_the_bayes_error_is_that_of_the_arcs(t):
    """The error of the rule by densities on examples, and the integral of the smaller density on a grid."""
    stream = RotatingBananas(6000, angle=0.0 if t == 0 else math.pi / t, sd=0.3, seed=3)
    arcs = stream.arcs(t, points=60)
    axis = np.arange(-3.0, 3.0, 0.1)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    smaller = np.exp(log_densities(grid, arcs, 0.3).min(axis=0)) / (2.0 * math.pi * 0.3**2)
    bayes = 0.5 * smaller.sum() * 0.1**2
    assert 0.05 < bayes < 0.15
    X, y = whole(stream)
    rows = slice(None) if t == 0 else slice(t, None, 2 * t)  # the rounds of half a turn
    plus, minus = log_densities(X[rows], arcs, 0.3)
    wrong = int((np.where(plus > minus, 1.0, -1.0) != y[rows]).sum())
    assert stats.binomtest(wrong, len(y[rows]), bayes).pvalue > 0.001


def test_a_classifier_of_the_start_is_wrong_everywhere_after_half_a_turn():
    start, end = errors_at_start_and_end(RotatingBananas(6250, angle=math.pi / 6000, seed=1))
    assert start < 0.08
    assert end > 0.92


def test_noise_flips_labels_and_nothing_else():
    X, y = whole(RotatingBananas(20_000, noise=0.2, seed=1))
    X_clean, y_clean = whole(RotatingBananas(20_000, seed=1))
    assert np.array_equal(X, X_clean)
    assert stats.binomtest(int((y != y_clean).sum()), 20_000, 0.2).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t": -1}, "t must be a whole number >= 0, got -1"),
        ({"t": 0, "points": 1}, "points must be a whole number >= 2, got 1"),
    ],
)
def test_arcs_checks_its_parameters(options, message):
    with pytest.raises(ValueError) as error:
        RotatingBananas().arcs(**options)
    assert str(error.value) == f"RotatingBananas: {message}"
