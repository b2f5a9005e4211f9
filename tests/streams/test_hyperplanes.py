"""Streams of hyperplanes: how targets turn and switch, margins, noise, and uniform directions."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftline.streams import (
    RotatingHyperplane,
    SwitchingHyperplane,
)
from driftline.streams.synthetic.sphere import distances, orthogonal
from tests.support.synthetic_streams import (
    whole,
)


def margins(stream):
    """The true margin y u_t.x_t of every example."""
    X, y = whole(stream)
    return y * (X * stream.target(np.arange(len(y)))).sum(axis=1)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    angle=st.floats(0.0, math.pi),
    d=st.integers(2, 30),
    t=st.integers(0, 10**6),
    seed=st.integers(0, 2**40),
)
def test_the_target_turns_by_the_angle_every_round(angle, d, t, seed):
    stream = RotatingHyperplane(d=d, angle=angle, seed=seed)
    u, v = stream.target([t, t + 1])
    assert u.shape == (d,)
    assert np.linalg.norm(u) == pytest.approx(1.0, abs=1e-12)
    assert np.linalg.norm(u - v) == pytest.approx(2 * math.sin(angle / 2), abs=1e-8)


def test_the_target_turns_in_one_plane():
    stream = RotatingHyperplane(d=6, angle=0.3, seed=8)
    U = stream.target(np.arange(200))
    assert np.linalg.matrix_rank(U, tol=1e-9) == 2
    np.testing.assert_allclose(U @ U[0], np.cos(0.3 * np.arange(200)), atol=1e-12)


def test_the_target_switches_when_it_should():
    stream = SwitchingHyperplane(n=None, d=6, every=7, seed=8)
    U = stream.target(np.arange(70))
    for t, (u, v) in enumerate(pairwise(U), start=1):
        assert np.array_equal(u, v) == (t % 7 != 0)
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0, atol=1e-12)
    assert np.unique(U[::7, 0]).size == 10


@pytest.mark.parametrize("make", [RotatingHyperplane, SwitchingHyperplane])
def test_target_of_one_round_and_of_many_agree(make):
    stream = make(d=4, seed=9)
    many = stream.target([[0, 5000], [999, 1000]])
    assert many.shape == (2, 2, 4)
    assert np.array_equal(many[0, 1], stream.target(5000))
    assert np.array_equal(many[1, 1], stream.target(np.int64(1000)))


@pytest.mark.parametrize("margin", [0.0, 0.05, 0.3, 0.6, 0.99])
@pytest.mark.parametrize("d", [2, 3, 10, 200])
@pytest.mark.parametrize("make", [RotatingHyperplane, SwitchingHyperplane])
def test_without_noise_the_target_has_the_margin(make, d, margin):
    stream = make(2000, d, margin=margin, seed=1)
    found = margins(stream)
    assert found.min() >= margin - 1e-12
    assert found.min() > 0.0
    X, y = whole(stream)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, atol=1e-12)
    assert abs(y.sum()) < 4 * math.sqrt(len(y))


@pytest.mark.parametrize("make", [RotatingHyperplane, SwitchingHyperplane])
def test_noise_turns_labels_over_and_nothing_else(make):
    noisy = make(20_000, 4, noise=0.2, margin=0.1, seed=1)
    found = margins(noisy)
    assert np.abs(found).min() >= 0.1 - 1e-12
    assert stats.binomtest(int((found < 0).sum()), 20_000, 0.2).pvalue > 0.001
    assert np.array_equal(whole(noisy)[0], whole(make(20_000, 4, margin=0.1, seed=1))[0])


@pytest.mark.parametrize("d", [2, 3, 10, 100])
@pytest.mark.parametrize("scaled", [0.0, 0.5, 0.99, 1.01, 1.3, 4.0])
def test_distances_follow_the_law_of_the_sphere(d, scaled):
    """Against the exact law s^2 ~ Beta(1/2, (d-1)/2), cut off below the margin, in both ways of drawing."""
    margin = scaled / math.sqrt(d)
    if margin >= 1.0:
        margin = 0.98
    s = distances(np.random.default_rng(1), 5000, d, margin)
    tail = stats.beta(0.5, 0.5 * (d - 1)).sf
    assert stats.kstest(s, lambda v: 1.0 - tail(v**2) / tail(margin**2)).pvalue > 0.001


def test_examples_are_uniform_on_the_sphere():
    X, _ = whole(RotatingHyperplane(20_000, 3, angle=0.0, seed=5))
    for coordinate in X.T:  # uniform in [-1, 1] for three dimensions
        assert stats.kstest(coordinate, stats.uniform(-1.0, 2.0).cdf).pvalue > 0.001


def test_orthogonal_is_exact_even_in_the_plane():
    rng = np.random.default_rng(3)
    U = np.tile([0.6, 0.8], (100_000, 1))
    assert np.abs(orthogonal(rng, U) @ [0.6, 0.8]).max() < 1e-15
