"""Nearest neighbours against a sorted list, ties, the limit of the ring, and the search alone."""

from __future__ import annotations

import numpy as np

from driftline.engines.nonlinear.nearest import NEAREST, PLACES, nearest, push
from driftline.engines.nonlinear.neighbours import Neighbours
from tests.oracles import neighbours as oracle
from tests.support.nonlinear_families import Rows, errors, growing, learned, made, runs


def test_it_is_the_sorted_list() -> None:
    rows = growing(620)
    scores = learned(made(Neighbours, rows), rows)
    slow = oracle.Neighbours(6)
    for i, (z, _, label, weight) in enumerate(zip(*rows, strict=True)):
        if i % 5 == 0 or i < 20:
            due = [slow.shares(z, window, rows.classes) for window in (500, 2000)]
            assert np.allclose(scores[i], due, rtol=0.0, atol=1e-9)
        if weight > 0.0:
            slow.learn(z, label, weight)
    assert len(slow.stored) > 500


def test_the_search_in_a_ring_that_has_wrapped() -> None:
    """Values on a grid give many equal distances: the newer row comes first."""
    rng = np.random.default_rng(0)
    Z = rng.integers(-2, 3, (PLACES + 700, 3)).astype(np.float64)
    ring, factors = np.zeros((4, PLACES), np.float32), np.array([1.0, 0.5, 2.0, 9.0], np.float32)
    squares, found, distances = np.zeros(PLACES, np.float32), np.zeros((2, NEAREST), np.int64), np.zeros((2, NEAREST))
    for t, z in enumerate(Z):
        if t in (0, 1, 4, 5, 499, 501, PLACES, PLACES + 1, PLACES + 250, PLACES + 499, PLACES + 600):
            size = nearest(ring, factors, t, z, 3, squares, found, distances)
            assert size == min(t, NEAREST)
            for window, last in enumerate((500, PLACES)):
                apart = ((Z[max(0, t - last) : t] - z) ** 2 @ factors[:3])[::-1]
                order = np.argsort(apart, kind="stable")[:NEAREST]
                assert found[window, :size].tolist() == ((t - 1 - order) % PLACES).tolist()
                assert np.allclose(distances[window, :size], np.sqrt(apart[order]), rtol=1e-6)
        push(ring, t, z, 3)


def test_rows_leave_the_windows_after_500_and_2000_rows() -> None:
    """One row of class 1 among rows of class 0 far away."""
    n = PLACES + 10
    Z = np.full((n, 1), -4.0)
    Z[0] = 1.0
    y = np.zeros(n, np.int64)
    y[0] = 1
    rows = Rows(Z, np.ones(n, np.int64), y, np.ones(n))
    probe = Rows(np.ones((1, 1)), np.ones(1, np.int64), y[:1], np.zeros(1))
    for at, due in ((500, [True, True]), (501, [False, True]), (PLACES, [False, True]), (PLACES + 1, [False, False])):
        family = made(Neighbours, rows)
        learned(family, rows.part(0, at), 2)
        assert (learned(family, probe, 2)[0, :, 1] > 0.5).tolist() == due


def test_a_weight_multiplies_the_share() -> None:
    rows = Rows(np.array([[1.0], [-1.0], [0.0]]), np.ones(3, np.int64), np.array([0, 1, 0]), np.array([3.0, 1.0, 1.0]))
    assert np.allclose(learned(made(Neighbours, rows), rows)[2], [[0.75, 0.25]] * 2)


def test_separation_ignores_noise_features() -> None:
    """With 20 features of noise, the rings are still found."""
    rows = runs(2500)
    signal = np.abs(rows.Z) - 1.0  # the classes have different means here
    noise = np.random.default_rng(1).normal(size=(2500, 20))
    noisy = Rows(np.hstack([signal, noise]), np.full(2500, 22), rows.y, rows.w)
    family = made(Neighbours, noisy)
    assert errors(Neighbours, noisy, 1000)[1] < 0.2
    learned(family, noisy)
    factors = family.saved()["factors"]
    assert (factors[:2] > 0.2).all()
    assert (factors[2:] < 0.06).all()
    assert family.attribute(noisy.Z[0], 22) == ()
