"""The moving chessboard: colours, balance, turns and shifts of the board, noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from driftline.streams import MovingChessboard
from tests.support.synthetic_streams import errors_at_start_and_end, whole


def slow_colour(x, t, stream, direction):
    """The colour of one point, by the formula."""
    a = stream.angle * t
    u, v = x[0] - 0.5, x[1] - 0.5
    b1 = 0.5 + math.cos(a) * u + math.sin(a) * v - stream.shift * t * direction[0]
    b2 = 0.5 - math.sin(a) * u + math.cos(a) * v - stream.shift * t * direction[1]
    return 1.0 if (math.floor(stream.cells * b1) + math.floor(stream.cells * b2)) % 2 == 0 else -1.0


def test_labels_follow_the_formula():
    stream = MovingChessboard(1500, cells=3, angle=0.01, shift=0.002, seed=4)
    X, y = whole(stream)
    direction = stream._direction[0]
    assert np.hypot(*direction) == pytest.approx(1.0, abs=1e-12)
    assert y.tolist() == [slow_colour(x, t, stream, direction) for t, x in enumerate(X)]
    assert stats.kstest(X.ravel(), "uniform").pvalue > 0.001


def test_the_board_fits_the_square_at_the_start():
    middles = (np.arange(4) + 0.5) / 4
    X = np.array([(a, b) for a in middles for b in middles])
    expected = [1.0 if (i + j) % 2 == 0 else -1.0 for i in range(4) for j in range(4)]
    assert MovingChessboard(cells=4).target(X, 0).tolist() == expected


@pytest.mark.parametrize("angle", [0.0, 0.0003, 0.4])
def test_both_labels_are_equally_likely_at_any_angle(angle):
    _, y = whole(MovingChessboard(10_000, cells=4, angle=angle, seed=6))
    assert stats.binomtest(int((y > 0).sum()), 10_000).pvalue > 0.001


def test_a_quarter_turn_exchanges_the_colours_and_half_a_turn_restores_them():
    stream = MovingChessboard(cells=4, angle=math.pi / 2000)
    X = np.random.default_rng(1).random((500, 2))
    assert np.array_equal(stream.target(X, 1000), -stream.target(X, 0))
    assert np.array_equal(stream.target(X, 2000), stream.target(X, 0))


def test_the_shift_moves_the_board_by_its_length():
    stream = MovingChessboard(cells=4, angle=0.0, shift=0.001, seed=2)
    X = np.random.default_rng(1).random((500, 2))
    assert np.array_equal(stream.target(X + 0.3 * stream._direction, 300), stream.target(X, 0))


@pytest.mark.parametrize("move", [{"angle": math.pi / 12_000}, {"angle": 0.0, "shift": 0.35 / 6000}])
def test_a_classifier_of_the_start_fails_at_the_end(move):
    start, end = errors_at_start_and_end(MovingChessboard(6000, cells=2, seed=1, **move))
    assert start < 0.15
    assert end > 0.4


def test_noise_flips_labels_and_nothing_else():
    noisy = MovingChessboard(20_000, noise=0.2, seed=1)
    X, y = whole(noisy)
    assert np.array_equal(X, whole(MovingChessboard(20_000, seed=1))[0])
    wrong = int((y != noisy.target(X, np.arange(20_000))).sum())
    assert stats.binomtest(wrong, 20_000, 0.2).pvalue > 0.001
