"""Certificates of ShrunkPA, SelfTuningALMA, averages and rules without a bound."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import bounds, rules
from driftline.certify.rules.shrunk_pa import longest
from driftline.certify.tightest import FINDERS, certified

CLOSE = 1.0 + 1e-9
MOTIONS = ("standing", "drifting", "noisy")


@cache
def stream(motion: str, seed: int, rounds: int = 250, n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Rows at a distance from the target, labels a few of which are wrong where it is noisy."""
    rng = np.random.default_rng([seed, MOTIONS.index(motion)])
    angle = np.arange(rounds) * 2.5 / rounds * (motion == "drifting")
    u = np.column_stack([np.cos(angle), np.sin(angle), np.zeros((rounds, n - 2))])
    X = rng.normal(size=(rounds, n))
    along = np.sum(X * u, axis=1)
    kept = np.abs(along) > 0.3
    y = np.sign(along) * np.where(rng.random(rounds) < 0.1 * (motion == "noisy"), -1.0, 1.0)
    return X[kept], y[kept]


def offers(run: Any) -> list[tuple[Any, Any]]:
    rule = run.learner.rule
    return list(FINDERS[type(rule)](rule, run.evidence))


# ShrunkPA -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize("motion", MOTIONS)
def test_shrunk_pa(motion: str, alpha: float) -> None:
    moved = 0
    for seed in range(12):
        X, y = stream(motion, seed)
        run = dl.run(dl.ShrunkPA(alpha, bias=False), (X, y), certify=True, rows=50)
        rows, struck = run.evidence.dense(), run.evidence.updated
        w, beta = np.zeros(rows.shape[1]), 0.0
        for x, label, fired in zip(rows, y, struck, strict=True):
            if fired:
                w = (w + (1.0 + alpha - label * (w @ x)) / (x @ x) * label * x) / (1.0 + alpha)
            beta = max(beta, float(np.linalg.norm(w)))
        assert longest(run.evidence, alpha) == pytest.approx(beta, rel=1e-6)
        for bound, one in offers(run):
            assert isinstance(bound, bounds.ShrunkPAPath)
            assert run.mistakes <= bound.value * CLOSE
            assert bound.beta == pytest.approx(beta, rel=1e-6) and bound.alpha == alpha
            vectors = one.scale * np.repeat(one.path.vectors, np.diff(one.path.cuts), axis=0)
            assert (y[struck] * np.sum(vectors * rows[struck], axis=1)).min() >= 1.0 - 1e-9
            np.testing.assert_allclose(bound.D, np.linalg.norm(vectors, axis=1).max(), rtol=1e-9)
            np.testing.assert_allclose(bound.V, np.linalg.norm(np.diff(vectors, axis=0), axis=1).sum(), atol=1e-9)
            np.testing.assert_allclose(bound.R, np.linalg.norm(rows[struck], axis=1).max(), rtol=1e-12)
            moved += one.moves
        for found in certified(run.learner.rule, run.evidence):
            rounds, values = found.over_time
            assert (np.cumsum(run.evidence.margins <= 0.0)[rounds.astype(int) - 1] <= values * CLOSE).all()
    assert moved or alpha == 1e-3 or motion == "noisy"


def test_removal_of_weights_has_its_own_form() -> None:
    found = []
    for seed in range(12):
        X, y = stream("standing", seed)
        run = dl.run(dl.ShrunkPA(0.0, sigma=1e-6, bias=False), (X, y), certify=True)
        found += offers(run)
        assert all(run.mistakes <= bound.value for bound, _ in offers(run))
    for bound, one in found:
        assert isinstance(bound, bounds.ShrunkPAMistakes) and bound.sigma == 1e-6 and bound.mu == 0.0
        assert not one.moves
    assert len(found) >= 12


def test_what_shrunk_pa_is_refused() -> None:
    for learner, why in (
        (dl.ShrunkPA(0.01, when="margin"), "the theorem needs updates on mistakes only (when='mistake')"),
        (dl.ShrunkPA(1.5), "the theorem needs alpha < 1, so that the gain of an update is positive"),
        (dl.ShrunkPA(0.9), "no comparator was found that meets the theorem's conditions"),
    ):
        certificate = dl.run(learner, stream("standing", 1), certify=True).certificate()
        assert certificate.bounds == ()
        assert certificate.why[0] == f"no bound on mistakes: {why}"


def test_orthogonal_rows_reach_it() -> None:
    X, y = np.eye(30), np.where(np.arange(30) % 2, 1.0, -1.0)
    run = dl.run(dl.ShrunkPA(0.0, bias=False), (X, y), certify=True)
    best = run.certificate().best
    assert best is not None and run.mistakes == 30
    assert best.value == pytest.approx(30.0, rel=1e-6)


# Gentile's ALMA -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("p", [2.0, 3.0])
@pytest.mark.parametrize("alpha", [0.5, 0.9, 1.0])
def test_self_tuning_alma(alpha: float, p: float) -> None:
    for motion in MOTIONS:
        for seed in range(6):
            X, y = stream(motion, seed)
            X = np.vstack([np.zeros((2, X.shape[1])), X])
            run = dl.run(dl.SelfTuningALMA(alpha, p=p, bias=False), (X, np.append([1.0, -1.0], y)), certify=True)
            rows, fired = run.evidence.dense(), run.evidence.updated
            unit = rows[fired] / np.sum(np.abs(rows[fired]) ** p, axis=1, keepdims=True) ** (1.0 / p)
            found = offers(run)
            for bound, one in found:
                assert isinstance(bound, bounds.SelfTuningALMAUpdates)
                assert run.updates <= bound.value * CLOSE
                assert (bound.alpha, bound.p) == (alpha, p) and not one.moves
                (v,) = one.path.vectors
                margins = run.evidence.y[fired] * (unit @ v) / np.sum(np.abs(v) ** (p / (p - 1.0))) ** (1.0 - 1.0 / p)
                assert margins.min() >= bound.gamma * (1.0 - 1e-9)
            assert found or motion != "standing"


def test_self_tuning_alma_with_other_parameters() -> None:
    for learner in (dl.SelfTuningALMA(0.9, B=1.0), dl.SelfTuningALMA(0.9, C=1.0)):
        certificate = dl.run(learner, stream("standing", 1), certify=True).certificate()
        assert certificate.why[0] == "no bound on mistakes: the theorem needs B = sqrt(8) / alpha and C = sqrt(2)"
    same = dl.SelfTuningALMA(0.9, B=math.sqrt(8.0) / 0.9, C=math.sqrt(2.0))
    assert dl.run(same, stream("standing", 1), certify=True).certificate().bounds


# averages and the rest --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("inner", [dl.Perceptron(), dl.ProjectionPerceptron(0.1), dl.SelfTuningALMA()], ids=repr)
def test_an_average_has_the_bound_of_its_updates(inner: dl.Learner) -> None:
    X, y = stream("standing", 2)
    average = dl.run(dl.Averaged(inner.rule), (X, y), certify=True)
    plain = dl.run(type(inner)(**vars(inner.rule)), (X, y), certify=True)
    assert (average.updates, average.learner.online) == (plain.updates, plain.mistakes)  # type: ignore[attr-defined]
    certificate = average.certificate()
    assert [one.bound for one in certificate.bounds] == [one.bound for one in plain.certificate().bounds]
    for one in certificate.bounds:
        assert certificate.observed(one) == plain.updates <= one.value
    assert any("no theorem bounds the mistakes of the average itself" in one for one in certificate.why)


@pytest.mark.parametrize("inner", ["pa", "norma", "alma", "l2pa(beta=9)"])
def test_averages_of_mistakes_are_refused(inner: str) -> None:
    certificate = dl.run(dl.Averaged(inner), stream("standing", 2), certify=True).certificate()
    assert certificate.bounds == ()
    assert "bounds the mistakes of the averaged hypotheses, not the mistakes of the average" in certificate.why[0]


@pytest.mark.parametrize("kind", [dl.PA1, dl.PA2])
def test_without_a_cap_it_is_pa(kind: Any) -> None:
    X, y = stream("standing", 3)
    endless = dl.run(kind(math.inf), (X, y), certify=True)
    assert [one.bound for one in endless.certificate().bounds] == [
        one.bound for one in dl.run(dl.PA(), (X, y), certify=True).certificate().bounds
    ]
    capped = dl.run(kind(1.0), (X, y), certify=True)
    assert {one.bound.name for one in capped.certificate().bounds} == {"steps"}


def test_every_reason_is_given() -> None:
    learners: list[dl.Learner] = [
        dl.SCW(),
        dl.BatchOnline("LogisticRegression()"),
        dl.Bank(),
    ]
    parts = {name: rules.PARTS[name] for name in dl.REGISTRY}
    without = {name for name, part in parts.items() if part.no_bound and not (part.several or part.regresses)}
    assert {type(learner).__name__.lower() for learner in learners} == without
    X, y = stream("standing", 4)
    for learner in learners:
        certificate = dl.run(learner, (X[:40], y[:40]), certify=True).certificate()
        assert certificate.bounds == ()
        assert certificate.why[0] == f"no bound on mistakes: {learner.rule.no_bound}"
