"""Certificates of consistent learners: on clean examples with a margin, and refusals elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds
from driftline.certify.comparators.widest_margin import widest
from driftline.certify.tightest import FINDERS

CLOSE = 1.0 + 1e-9


def clean(seed: int, d: int, gamma: float, rounds: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length at most 1, at a distance of a plane."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = np.zeros((rounds, d))
    while (bad := np.abs(X @ u) < gamma).any():
        X[bad] = rng.normal(size=(bad.sum(), d))
        X[bad] /= np.linalg.norm(X[bad], axis=1, keepdims=True)
    return X, np.sign(X @ u)


@pytest.mark.parametrize("gamma", [0.3, 0.01, 1e-5, 1e-8])
def test_the_widest_margin(gamma: float) -> None:
    """Two rows almost opposite each other say all; it is that of a plane half-way between."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        angles = np.concatenate([[gamma, math.pi - gamma], rng.uniform(gamma, math.pi - gamma, 20)])
        turn = rng.uniform(0.0, 2.0 * math.pi)
        y = rng.choice([-1.0, 1.0], 22)
        X = y[:, None] * np.column_stack([np.cos(angles + turn), np.sin(angles + turn)]) * 7.0
        run = dl.run(dl.Perceptron(bias=False), (X, y), certify=True)
        found, margin = widest(run.evidence)
        assert found is not None and found.path.longest() == pytest.approx(1.0)
        assert 1.0 - max(1e-6, 3e-9 / gamma) < margin / (7.0 * math.sin(gamma)) < 1.0 + 1e-6
        assert found.path.margins.min() == margin
    run = dl.run(dl.Perceptron(bias=False), (np.vstack([X, -X]), np.append(y, y)), certify=True)
    assert widest(run.evidence) == (None, 0.0)


@pytest.mark.parametrize("grid", ["sqrt", "lecture"])
@pytest.mark.parametrize("d", [2, 3])
def test_no_run_of_grid_halving_exceeds_its_certificate(d: int, grid: Any) -> None:
    mistakes = 0
    for seed in range(10):
        X, y = clean(seed, d, 0.25)
        for data in (X, csr_matrix(X)):
            run = dl.run(dl.GridHalving(0.2, grid=grid, bias=False), (data, y), certify=True, rows=60)
            certificate = run.certificate()
            (only,) = certificate.bounds
            kind = bounds.GridMistakes if grid == "sqrt" else bounds.GridLectureMistakes
            assert only.bound == kind(d=d, gamma=0.2, R=1.0, W=1.0)
            assert certificate.observed(only) == run.mistakes <= only.value
            mistakes += run.mistakes
            assert set(only.over_time[1]) == {only.value}
    assert mistakes >= 10


def test_the_constant_feature_is_a_dimension_of_the_grid() -> None:
    X, y = clean(1, 2, 0.25)
    run = dl.run(dl.GridHalving(0.2, radius=1.5), (X, y), certify=True)
    (only,) = run.certificate().bounds
    assert only.bound == bounds.GridMistakes(d=3, gamma=0.2, R=1.5, W=1.0)
    run = dl.run(dl.GridHalving(0.2, features=3, bias=False), (csr_matrix(X), y), certify=True)
    (only,) = run.certificate().bounds
    assert only.bound == bounds.GridMistakes(d=3, gamma=0.2, R=1.0, W=1.0)


@pytest.mark.parametrize("form", ["plain", "bias", "unit"])
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_no_run_of_the_ellipsoid_learner_exceeds_its_certificate(d: int, form: str) -> None:
    highest = 0.0
    for seed in range(8):
        X, y = clean(seed, d, 0.02)
        options: dict[str, Any] = {"bias": form != "plain", "scale": "unit" if form == "unit" else None}
        learner = dl.EllipsoidLearner(**options)
        run = dl.run(learner, (X, y), certify=True, rows=60)
        certificate = run.certificate()
        (only,) = certificate.bounds
        bound: Any = only.bound
        assert 0 < certificate.observed(only) == run.updates <= only.value
        assert bound.d == d + (form != "plain")
        (offer,) = FINDERS[type(learner.rule)](learner.rule, run.evidence)
        u = offer[1].path.vectors[0]  # type: ignore[union-attr]
        constant = {"plain": 0.0, "bias": 1.0, "unit": math.sqrt(0.5)}[form]
        rows = np.column_stack([np.full(len(X), constant), X * (math.sqrt(0.5) if form == "unit" else 1.0)])
        fired = run.evidence.updated
        assert (y[fired] * (rows[fired] @ u)).min() / np.linalg.norm(u) >= bound.gamma / CLOSE
        assert np.linalg.norm(rows[fired], axis=1).max() <= bound.R * CLOSE
        highest = max(highest, certificate.ratio(only))
    assert highest > 0.02


@pytest.mark.parametrize(
    ("learner", "X", "y", "says"),
    [
        (
            dl.GridHalving(0.5, bias=False),
            [[3.0, 4.0]],
            [1],
            "examples of length at most radius = 1, got one of length 5",
        ),
        (
            dl.GridHalving(0.5, bias=False),
            [[1.0, 0.0], [0.9, 0.1]],
            [1, -1],
            "some w of length 1 with a margin of gamma / W = 0.5 on every round, got 0.0526 at best",
        ),
        (
            dl.GridHalving(0.5, bias=False),
            [[1.0, 0.0], [1.0, 0.0]],
            [1, -1],
            "some w of length 1 with a margin of gamma / W = 0.5 on every round, got 0 at best",
        ),
        (
            dl.GridHalving(0.5, radius=2.0),
            [{}, {"a": 0.1}],
            [1, -1],
            "a first example with features, got one without",
        ),
        (
            dl.EllipsoidLearner(bias=False),
            [[1.0, 0.0], [0.0, 0.0]],
            [1, -1],
            "consistent examples, got 1 mistakes without an update",
        ),
        (
            dl.EllipsoidLearner(bias=False),
            [[1.0, 0.0], [0.0, 1.0]],
            [1, -1],
            "all dimensions in the first update, got 1 there and 2 at the end",
        ),
        (
            dl.EllipsoidLearner(bias=False),
            [[1.0, 0.5], [1.0, 0.5]],
            [1, -1],
            "some w of length 1 with a margin > 0 on every update, got none",
        ),
        (dl.VersionSpace(bias=False), [[1.0, 0.0]], [1], "the exact centre of mass, got a sampled one"),
    ],
    ids=str,
)
def test_what_is_not_certified_is_told_why(learner: dl.Learner, X: Any, y: list[int], says: str) -> None:
    rows = X if isinstance(X[0], dict) else np.array(X)
    certificate = dl.run(learner, (rows, np.array(y)), certify=True).certificate()
    assert certificate.bounds == ()
    assert certificate.why[0] == f"no bound on mistakes: the theorem needs {says}"
