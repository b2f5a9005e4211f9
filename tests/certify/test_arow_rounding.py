"""A small r makes the matrix of AROW ill-conditioned; its certificates hold nevertheless."""

from __future__ import annotations

import numpy as np
import pytest

import driftline as dl
from driftline.certify.rules.arow import energy
from driftline.certify.rules.second_order_perceptron import logdets


def ill_conditioned(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Rows with two columns that are almost equal, and an r far below their squares."""
    rng = np.random.default_rng(seed)
    rounds, width = int(rng.choice([3, 20, 60])), int(rng.choice([1, 2, 12]))
    X = rng.normal(size=(rounds, width)) * 10.0 ** rng.uniform(-4, 4)
    X[:, 0] = X[:, -1] * (1.0 + 1e-10 * rng.normal(size=rounds))
    return X, np.where(X @ rng.normal(size=width) > 0.0, 1, -1), 10.0 ** rng.uniform(-14, -7)


def test_mistakes_do_not_exceed_a_bound() -> None:
    found = 0
    for seed in range(120):
        X, y, r = ill_conditioned(seed)
        certificate = dl.run(dl.AROW(r=r, labels=(-1, 1)), (X, y), certify=True).certificate()
        found += len(certificate.bounds)
        for one in certificate.bounds:
            assert certificate.mistakes <= one.value
            assert one.over_time[1][-1] == pytest.approx(one.value)
    assert found


def test_energy_is_that_of_the_sums_over_updates() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(9000, 3))
    run = dl.run(dl.AROW(bias=False, labels=(-1, 1)), (X, np.where(rng.random(9000) < 0.5, 1, -1)), certify=True)
    evidence = run._seen().evidence()
    rows, y = X[evidence.updated], evidence.y[evidence.updated]
    assert len(y) > 2 * 4096
    s = rows.T @ y
    np.testing.assert_allclose(energy(0.5, evidence), s @ np.linalg.solve(0.5 * np.eye(3) + rows.T @ rows, s))


def test_a_determinant_beyond_rounding_is_limited_by_the_lengths() -> None:
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(30, 50)), 6, axis=0)
    run = dl.run(dl.AROW(bias=False, labels=(-1, 1)), (X, np.where(X[:, 0] > 0.0, 1, -1)), certify=True)
    evidence = run._seen().evidence()
    chosen = np.ones(len(evidence), bool)
    found = logdets(evidence, chosen, 1e-20)
    np.testing.assert_allclose(found, np.cumsum(np.log1p(np.sum(X**2, axis=1) / 1e-20)))
