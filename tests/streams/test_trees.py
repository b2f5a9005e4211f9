"""Switching trees: the random tree, balance of the classes, switches, transitions, noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from driftline.streams import SwitchingTrees
from driftline.streams.synthetic.random_tree import random_tree
from tests.support.synthetic_streams import errors_at_start_and_end, whole


def slow_class(tree, x):
    """The class of one example and the sides of its leaf, node by node."""
    node, sides = 0, {}
    for feature, cut in zip(tree.features, tree.cuts, strict=True):
        low, high = sides.get(int(feature[node]), (0.0, 1.0))
        assert low + 0.2499 * (high - low) <= cut[node] <= high - 0.2499 * (high - low)
        right = x[feature[node]] >= cut[node]
        sides[int(feature[node])] = (cut[node], high) if right else (low, cut[node])
        node = 2 * node + int(right)
    return tree.classes[node], node, np.prod([high - low for low, high in sides.values()])


def test_a_tree_partitions_the_cube():
    tree = random_tree(np.random.default_rng(1), d=3, classes=5, depth=4)
    X = np.random.default_rng(2).random((300, 3))
    found = tree.class_of(X)
    for x, number in zip(X, found, strict=True):
        expected, leaf, volume = slow_class(tree, x)
        assert number == expected
        assert volume == pytest.approx(tree.volumes[leaf], rel=1e-12)
    assert tree.volumes.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("classes", "depth"), [(2, 1), (4, 5), (5, 5), (7, 3), (32, 5)])
def test_classes_have_similar_shares(classes, depth):
    for seed in range(20):
        tree = random_tree(np.random.default_rng(seed), 4, classes, depth)
        shares = np.bincount(tree.classes, tree.volumes, minlength=classes)
        assert shares.min() > 0.0
        assert np.ptp(shares) <= tree.volumes.max() + 1e-12
        assert tree.volumes.max() <= 0.75**depth + 1e-12


def test_labels_have_the_shares_of_their_tree():
    stream = SwitchingTrees(10_000, every=10_000, seed=4)
    X, y = whole(stream)
    tree = random_tree(stream._rng(1, 0), 10, 4, 5)
    expected = 10_000 * np.bincount(tree.classes, tree.volumes)
    assert stats.chisquare(np.bincount(y), expected).pvalue > 0.001
    assert stats.kstest(X.ravel(), "uniform").pvalue > 0.001


def test_trees_switch_when_they_should():
    stream = SwitchingTrees(3000, 4, every=700, seed=5)
    X, y = whole(stream)
    assert np.array_equal(y, stream.target(X, np.arange(3000)))
    by_tree = np.array([stream.target(X, 700 * k) for k in range(5)])
    assert np.array_equal(by_tree[3], stream.target(X, 2799))
    for one in range(5):
        for other in range(one):
            assert 0.5 < np.mean(by_tree[one] != by_tree[other]) < 0.9  # 0.75 if independent


def test_a_transition_mixes_two_trees():
    options = {"d": 4, "every": 6000, "seed": 6}
    stream = SwitchingTrees(12_000, transition=4000, **options)
    X, y = whole(stream)
    assert np.array_equal(X, whole(SwitchingTrees(12_000, **options))[0])
    old, new = stream.target(X, 0), stream.target(X, 6000)
    assert np.array_equal(y[:6000], old[:6000])
    assert np.array_equal(y[10_000:], new[10_000:])
    assert ((y == old) | (y == new)).all()
    for start, expected in ((6000, 0.75), (8000, 0.25)):
        rows = slice(start, start + 2000)
        differ = old[rows] != new[rows]
        from_old = int((y[rows] == old[rows])[differ].sum())
        assert stats.binomtest(from_old, int(differ.sum()), expected).pvalue > 0.001


def test_a_classifier_of_the_start_fails_at_the_end():
    start, end = errors_at_start_and_end(SwitchingTrees(3000, 2, classes=4, depth=3, every=2000, seed=1))
    assert start < 0.15
    assert end > 0.5


def test_noise_replaces_labels_by_any_other_class_and_nothing_else():
    X, y = whole(SwitchingTrees(20_000, 2, noise=0.3, every=5000, seed=1))
    X_clean, y_clean = whole(SwitchingTrees(20_000, 2, every=5000, seed=1))
    assert np.array_equal(X, X_clean)
    step = (y - y_clean) % 4
    assert stats.binomtest(int((step > 0).sum()), 20_000, 0.3).pvalue > 0.001
    assert stats.chisquare(np.bincount(step)[1:]).pvalue > 0.001
