"""Paths against dictionaries of nodes, the binary AROW inside, and contributions of features."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.nonlinear.path_trees import MOST_VARIANCE
from driftline.engines.nonlinear.paths import Paths
from tests.oracles import paths as oracle
from tests.support.nonlinear_families import Rows, growing, learned, made, rings, scored


def test_it_is_arow_on_dictionaries_of_nodes() -> None:
    rows = growing(250)
    family = made(Paths, rows)
    scores = learned(family, rows)
    for expert, slow in enumerate((oracle.Paths(0.1, 1.0), oracle.Paths(1.0, 0.998))):
        for i, (z, known, label, weight) in enumerate(zip(*rows, strict=True)):
            assert np.allclose(scores[i, expert], slow.scores(z, known, rows.classes), rtol=1e-9, atol=1e-9)
            if weight > 0.0:
                slow.learn(z, known, label, weight)
    features = family.saved()["features"]
    assert {place: feature for place, feature in np.ndenumerate(features) if feature >= 0} == {
        node: feature for node, (feature, _) in slow.splits.items()
    }


def test_two_classes_are_one_binary_rule_mirrored() -> None:
    rows = rings(500)
    for y in (rows.y, np.maximum(rows.y, np.arange(500) < 100)):  # the second: class 0 appears late
        scores = learned(made(Paths, rows), rows._replace(y=y))
        assert np.array_equal(scores[:, :, 0], -scores[:, :, 1])


def test_contributions_add_up_to_the_scores() -> None:
    rows = growing(400, classes=3)
    family = made(Paths, rows)
    family.make_room(6, 5)()
    for i in range(0, 400, 40):
        learned(family, rows.part(i, i + 40), 5)
        z = rows.part(i + 39, i + 40)
        known = int(z.known[0])
        given = family.attribute(z.Z[0], known)
        assert [part.shape for part in given] == [(5, 1 + known)] * 2
        assert np.allclose([part.sum(axis=1) for part in given], scored(family, z, 5)[0], rtol=1e-9, atol=1e-9)
        assert all((part[:, 0] == 0.0).all() for part in given)


def test_contributions_go_to_the_feature_that_decides() -> None:
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(1500, 4)).clip(-5.0, 5.0)
    rows = Rows(Z, np.full(1500, 4), (np.abs(Z[:, 2]) > 0.7).astype(np.int64), np.ones(1500))
    family = made(Paths, rows)
    learned(family, rows)
    for part in family.attribute(np.array([0.1, -0.2, 2.5, 0.3]), 4):
        assert part[1].argmax() == 3
        assert part[0].argmin() == 3


def test_variances_stay_within_their_limit() -> None:
    """Rows whose labels contradict each other move the weights each time, and P is divided by gamma."""
    n = 6000
    rows = Rows(np.ones((n, 1)), np.ones(n, np.int64), np.arange(n) % 2, np.full(n, 1e-6))
    family = made(Paths, rows)
    learned(family, rows)
    variances = family.saved()["lines"][:, :2]
    assert variances.max() == MOST_VARIANCE
    assert (variances >= 0.0).all()


def test_a_split_below_a_node_without_one_is_refused() -> None:
    rows = growing(100)
    family = made(Paths, rows)
    learned(family, rows)
    saved = family.saved()
    saved["features"][3, 1] = -1
    with pytest.raises(ValueError, match="split below a node"):
        family.restore(6, rows.classes, saved)


def test_rows_without_features_are_no_fault() -> None:
    rows = Rows(np.zeros((3, 0)), np.zeros(3, np.int64), np.array([0, 1, 0]), np.ones(3))
    assert (learned(made(Paths, rows), rows) == 0.0).all()
