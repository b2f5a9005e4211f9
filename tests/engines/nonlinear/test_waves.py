"""Waves against a dense AROW, the binary rule inside, the cosine, and hard streams."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.nonlinear.wave_arow import cosine
from driftline.engines.nonlinear.waves import ENTRIES, Waves
from tests.oracles import waves as oracle
from tests.support.nonlinear_families import Rows, bits, growing, learned, made, rings


def test_it_is_a_dense_arow() -> None:
    rows = growing(400)
    family, slow = made(Waves, rows), oracle.Waves()
    scores = learned(family, rows)
    for i, (z, known, label, weight) in enumerate(zip(*rows, strict=True)):
        assert np.allclose(scores[i, 0], slow.scores(z, rows.classes), rtol=1e-8, atol=1e-9)
        if weight > 0.0:
            slow.learn(z, known, label, weight)
    saved = family.saved()
    assert np.allclose(saved["frequencies"] * 2.0 * np.pi, slow.o, rtol=1e-12)
    assert np.allclose(saved["variances"][ENTRIES > 0], slow.P[np.tril_indices(101)], rtol=1e-7, atol=1e-9)


def test_two_classes_are_one_binary_rule_mirrored() -> None:
    rows = rings(500)
    scores = learned(made(Waves, rows), rows)
    assert np.array_equal(scores[:, :, 0], -scores[:, :, 1])


def test_the_cosine() -> None:
    turns = np.concatenate([np.linspace(-3.0, 3.0, 2001), np.random.default_rng(0).normal(0.0, 100.0, 2000)])
    found = [cosine(t) for t in turns]
    assert np.abs(found - np.cos(2.0 * np.pi * (turns - np.round(turns)))).max() < 1e-15


def test_a_new_feature_leaves_the_other_frequencies_alone() -> None:
    rows = growing(300)
    family = made(Waves, rows)
    learned(family, rows.part(0, 40), rows.classes)
    before = family.saved()["frequencies"]
    learned(family, rows.part(40, 300), rows.classes)
    assert len(before) < 6
    assert np.array_equal(family.saved()["frequencies"][: len(before)], before)


def test_the_trace_is_limited_on_a_stream_that_repeats_one_row() -> None:
    """All other directions of P grow by 1 / 0.995 in each round."""
    n = 20_000
    rows = Rows(np.ones((n, 1)), np.ones(n, np.int64), np.arange(n) % 2, np.ones(n))
    family = made(Waves, rows)
    scores = learned(family, rows)
    assert np.abs(scores).max() < 3.0
    diagonal = family.saved()["variances"][ENTRIES == 2]
    assert diagonal.sum() <= 101_000.0 * (1.0 + 1e-9)
    assert diagonal.sum() > 50_000.0
    assert (diagonal >= 0.0).all()


def test_variances_above_the_diagonal_are_refused() -> None:
    rows = rings(50)
    family = made(Waves, rows)
    learned(family, rows)
    before = bits(family.saved())
    saved = family.saved()
    saved["variances"][np.flatnonzero(ENTRIES == 0)[0]] = 1.0
    with pytest.raises(ValueError, match="above the diagonal"):
        family.restore(2, 2, saved)
    assert bits(family.saved()) == before
    assert family.attribute(rows.Z[0], 2) == ()
