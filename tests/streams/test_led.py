"""LED: the digits, irrelevant attributes, the Bayes error, swaps of attributes."""

from __future__ import annotations

from itertools import islice, pairwise, product

import numpy as np
import pytest
from scipy import stats

from driftline.streams import LED
from driftline.streams.synthetic.led import SEGMENTS
from tests.support.synthetic_streams import whole

DRAWN = """
 _     _  _     _  _  _  _  _
| |  | _| _||_||_ |_   ||_||_|
|_|  ||_  _|  | _||_|  ||_| _|
"""


def test_the_segments_are_those_of_the_display():
    lines = [line.ljust(30) for line in DRAWN.strip("\n").split("\n")]
    for digit in range(10):
        cell = [line[3 * digit : 3 * digit + 3] for line in lines]
        seen = [cell[0][1], cell[1][0], cell[1][2], cell[1][1], cell[2][0], cell[2][2], cell[2][1]]
        assert SEGMENTS[digit].tolist() == [mark != " " for mark in seen]


def test_attributes_are_segments_or_coins():
    stream = LED(6000, noise=0.1, every=2000, seed=1)
    X, y = whole(stream)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert stats.chisquare(np.bincount(y)).pvalue > 0.001
    columns = np.repeat(list(islice(stream.concepts(), 3)), 2000, axis=0)
    relevant = np.zeros(X.shape, dtype=bool)
    np.put_along_axis(relevant, columns, True, axis=1)
    inverted = np.take_along_axis(X, columns, axis=1) != SEGMENTS[y]
    assert inverted.reshape(3, 2000, 7).mean(axis=1).max() < 0.15
    assert stats.binomtest(int(inverted.sum()), 42_000, 0.1).pvalue > 0.001
    assert stats.binomtest(int(X[~relevant].sum()), 102_000).pvalue > 0.001


@pytest.mark.parametrize("swaps", [0, 3, 7])
def test_segments_change_places_with_irrelevant_attributes(swaps):
    for before, after in pairwise(islice(LED(swaps=swaps, seed=2).concepts(), 200)):
        moved = before != after
        assert moved.sum() == swaps
        assert len(set(after.tolist())) == 7
        assert not set(after[moved].tolist()) & set(before.tolist())


def test_every_attribute_becomes_relevant():
    concepts = list(islice(LED(seed=3).concepts(), 200))
    assert set(np.concatenate(concepts).tolist()) == set(range(24))
    assert concepts[0].tolist() == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3, 0.9])
def test_the_bayes_error_is_the_sum_over_all_patterns(noise):
    right = 0.0
    for pattern in product((False, True), repeat=7):
        p = [np.prod([noise if a != b else 1.0 - noise for a, b in zip(pattern, lit, strict=True)]) for lit in SEGMENTS]
        right += max(p) / 10
    assert LED(noise=noise).bayes_error == pytest.approx(1.0 - right, abs=1e-12)


def test_the_nearest_digit_has_the_bayes_error():
    stream = LED(20_000, noise=0.1, swaps=0, seed=4)
    X, y = whole(stream)
    nearest = (X[:, None, :7] != SEGMENTS).sum(axis=2).argmin(axis=1)
    assert stream.bayes_error == pytest.approx(0.26, abs=0.005)  # as in Breiman et al.
    assert stats.binomtest(int((nearest != y).sum()), 20_000, stream.bayes_error).pvalue > 0.001


def test_a_classifier_of_the_start_fails_at_the_end():
    X, y = whole(LED(3000, noise=0.0, every=2000, swaps=3, seed=1))
    bias = np.hstack([X, np.ones((3000, 1))])
    W = np.linalg.lstsq(bias[:1000], np.eye(10)[y[:1000]], rcond=None)[0]
    wrong = (bias @ W).argmax(axis=1) != y
    assert wrong[1000:2000].mean() < 0.1
    assert wrong[2000:].mean() > 0.4
