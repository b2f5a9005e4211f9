"""The theorems on fixed targets, and the projection Perceptron's: true and tight.

Every observation is at or below the bound, and reaches it where it can be reached. Without one of
its conditions a bound is shown to be false.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import bounds
from tests.oracles.projections import norm
from tests.support.linear_cases import WHEN, separable
from tests.support.quantities import hinge_sum

CLOSE = 1.0 + 1e-9
GAMMAS = (0.05, 0.2, 0.5, 1.0, 3.0)


def noisy(rng: np.random.Generator, rounds: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of several lengths, the labels of a target of length 1, some of them wrong, and the target."""
    n = int(rng.integers(2, 15))
    X = rng.normal(size=(rounds, n)) * rng.uniform(0.3, 1.5, (rounds, 1))
    u = rng.normal(size=n)
    y = np.where(X @ u >= 0.0, 1.0, -1.0) * np.where(rng.random(rounds) < rng.choice([0.0, 0.05, 0.2]), -1.0, 1.0)
    return X, y, u / norm(u)


# the Perceptron -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("margin", [0.02, 0.1, 0.2])
def test_perceptron_separable(margin: float) -> None:
    for seed in range(20):
        data, u = separable(seed, 200, 2 + seed % 7, margin)
        learner = dl.Perceptron(bias=False)
        for _ in range(3):
            learner.learn_many(data.X, data.y)
        bound = bounds.PerceptronSeparable(R=1.0 + 1e-12, gamma=float(np.min(data.y * (data.X @ u))))
        assert 0 < learner.updates <= bound.value


def test_perceptron_on_any_data_and_for_any_comparator() -> None:
    ratios: dict[type[bounds.Bound], list[float]] = {}
    rng = np.random.default_rng(9)
    for _ in range(80):
        X, y, u = noisy(rng)
        learner = dl.Perceptron(bias=False)
        fired = learner.test_then_train(X, y).updated
        lengths = np.linalg.norm(X[fired], axis=1)
        w = (y[fired, None] * X[fired]).sum(axis=0)
        for v in (u, w / norm(w)):
            for gamma in GAMMAS:
                given = {"gamma": gamma, "D": hinge_sum(y[fired], X[fired] @ v, gamma)}
                for bound in (
                    bounds.PerceptronTightest(S=float((lengths**2).sum()), **given),
                    bounds.PerceptronQuadratic(R=float(lengths.max()), **given),
                    bounds.PerceptronHinge(R=float(lengths.max()), **given),
                ):
                    ratios.setdefault(type(bound), []).append(learner.updates / bound.value)
    tightest, quadratic, hinge = (np.array(ratios[kind]) for kind in ratios)
    assert tightest.max() <= 1.0
    assert np.all(hinge <= quadratic * CLOSE)
    assert quadratic.max() <= 1.0
    assert tightest.max() > 0.95  # so that 0.95 of the bound is none


def test_what_the_comparator_lacks_counts() -> None:
    data, u = separable(0, 200, 8, 0.2)
    wrong = data.y * np.where(np.random.default_rng(0).random(200) < 0.2, -1.0, 1.0)
    learner = dl.Perceptron(bias=False)
    fired = learner.test_then_train(data.X, wrong).updated
    D = hinge_sum(wrong[fired], data.X[fired] @ u, 0.2)
    with_it, without = (bounds.PerceptronHinge(R=1.0, gamma=0.2, D=one) for one in (D, 0.0))
    assert without.value < learner.updates <= with_it.value


@pytest.mark.parametrize("n", [1, 4, 16, 64])
def test_orthonormal_rows_reach_the_bound(n: int) -> None:
    """u = (1, ..., 1) / sqrt(n) has the margin n**-0.5 on them: each costs one mistake, and the bounds are n."""
    gamma = n**-0.5
    margin_one = {"R": 1.0, "D": n**0.5}
    reached: list[tuple[dl.Learner, bounds.Bound]] = [
        (dl.Perceptron(bias=False), bounds.PerceptronSeparable(R=1.0, gamma=gamma)),
        (dl.Perceptron(bias=False), bounds.PerceptronQuadratic(R=1.0, gamma=gamma, D=0.0)),
        (dl.Perceptron(bias=False), bounds.PerceptronTightest(S=float(n), gamma=gamma, D=0.0)),
        (dl.PNormPerceptron(2.0, bias=False), bounds.PNormSeparable(p=2.0, R=1.0, gamma=gamma)),
        (dl.PNormPerceptron(2.0, bias=False), bounds.PNorm(p=2.0, S=float(n), gamma=gamma, D=0.0)),
        (dl.PA(bias=False), bounds.PAMistakes(**margin_one)),
        (dl.PA(when="mistake", bias=False), bounds.PAMistakes(**margin_one)),
        (dl.ROMMA(bias=False), bounds.ROMMAMistakes(**margin_one)),
        (dl.ROMMA(when="margin", bias=False), bounds.ROMMAMistakes(**margin_one)),
        (dl.L2PA(n**0.5, bias=False), bounds.L2PAMistakes(**margin_one, beta=n**0.5)),
        (dl.L2PA(n**0.5, when="margin", bias=False), bounds.L2PAPath(**margin_one, beta=n**0.5)),
        (dl.ShrunkPA(0.0, bias=False), bounds.ShrunkPAMistakes(**margin_one, alpha=0.0, beta=n**0.5)),
        (dl.ShrunkPA(0.0, bias=False), bounds.ShrunkPAPath(**margin_one, alpha=0.0, beta=n**0.5)),
    ]
    for form in (bounds.Projection(R=1.0, gamma=gamma), bounds.ALMAMistakes(X=1.0, B=1.0, mu=gamma)):
        kind = dl.ProjectionPerceptron if isinstance(form, bounds.Projection) else dl.ALMA
        reached.append((kind(**{**form.tuning(), **({} if kind is not dl.ALMA else {"rho": 0.0})}, bias=False), form))
    norma = bounds.NORMAMistakes(X=1.0, B=1.0, mu=gamma, T=3 * n)
    assert norma.tuning()["lam"] == 0.0
    reached.append((dl.NORMA(**{**norma.tuning(), "rho": 0.0}, bias=False), norma))
    for learner, bound in reached:
        for _ in range(3):
            learner.learn_many(np.eye(n), np.ones(n))
        assert learner.mistakes == n
        assert bound.value == pytest.approx(n, rel=1e-12)
        assert learner.mistakes > 0.999 * bound.value


# p-norms --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [5, 20, 60])
def test_pnorm_perceptron(n: int) -> None:
    rng = np.random.default_rng(n)
    separated, general = [], []
    for p in (2.0, 3.0, 4.0, 2.0 * math.log(n)):
        q = p / (p - 1.0)
        for trial in range(8):
            u = np.zeros(n)
            u[: 1 + trial % 3] = rng.normal(size=1 + trial % 3)
            u /= norm(u, q)
            X = rng.choice([-1.0, 1.0], (800, n)) if trial % 2 else rng.normal(size=(800, n))
            X = X[np.abs(X @ u) >= 0.1][:200]
            y = np.sign(X @ u)
            lengths = np.array([norm(x, p) for x in X])
            learner = dl.PNormPerceptron(p, bias=False)
            for _ in range(2):
                learner.learn_many(X, y)
            bound: bounds.Bound = bounds.PNormSeparable(p=p, R=float(lengths.max()), gamma=float(np.min(y * (X @ u))))
            separated.append(learner.updates / bound.value)
            wrong = y * np.where(rng.random(len(y)) < 0.1, -1.0, 1.0)
            learner = dl.PNormPerceptron(p, bias=False)
            fired = learner.test_then_train(X, wrong).updated
            for gamma in (0.1, 0.5, 2.0):
                D = hinge_sum(wrong[fired], X[fired] @ u, gamma)
                bound = bounds.PNorm(p=p, S=float((lengths[fired] ** 2).sum()), gamma=gamma, D=D)
                general.append(learner.updates / bound.value)
    assert max(separated) <= 1.0
    assert 0.7 < max(general) <= 1.0


def test_the_factor_of_the_pnorm_is_needed() -> None:
    """Among rows of signs, of which one feature is the label, p - 1 times less than the bound is none."""
    n = 64
    p, X = 2.0 * math.log(n), np.random.default_rng(0).choice([-1.0, 1.0], (2000, n))
    y = X[:, 0]
    learner = dl.PNormPerceptron(p, bias=False)
    while True:
        margins = y * learner.score_many(X)
        if margins.min() > 0.0:
            break
        learner.learn_one(X[np.argmin(margins)], y[np.argmin(margins)])
    bound = bounds.PNormSeparable(p=p, R=n ** (1.0 / p), gamma=1.0)
    assert bound.value / (p - 1.0) < learner.updates <= bound.value


# ALMA that tunes itself, PA, ROMMA ------------------------------------------------------------------------------
@pytest.mark.parametrize("p", [2.0, 3.0, 2.0 * math.log(20)])
@pytest.mark.parametrize("alpha", [0.4, 0.9, 1.0])
def test_self_tuning_alma(alpha: float, p: float) -> None:
    for seed in range(4):
        data, u = separable(seed, 150, 8, 0.1, p=p)
        bound = bounds.SelfTuningALMAUpdates(gamma=float(np.min(data.y * (data.X @ u))), alpha=alpha, p=p)
        learner = dl.SelfTuningALMA(alpha, p=p, bias=False)
        for _ in range(40):
            learner.learn_many(data.X, data.y)
        assert 5 < learner.updates <= bound.value


def test_self_tuning_alma_needs_its_own_margins() -> None:
    data, u = separable(0, 150, 8, 0.1)
    bound = bounds.SelfTuningALMAUpdates(gamma=float(np.min(data.y * (data.X @ u))), alpha=0.9)
    learner = dl.SelfTuningALMA(0.9, B=400.0, bias=False)
    for _ in range(100):
        learner.learn_many(data.X, data.y)
    assert learner.updates > bound.value


@pytest.mark.parametrize("kind", [dl.PA, dl.ROMMA])
@pytest.mark.parametrize("when", WHEN)
def test_pa_and_romma(kind: Any, when: str) -> None:
    theorem = {dl.PA: bounds.PAMistakes, dl.ROMMA: bounds.ROMMAMistakes}[kind]
    for seed in range(12):
        data, u = separable(seed, 200, 8, (0.05, 0.2)[seed % 2])
        learner = kind(when=when, bias=False)
        for _ in range(10):
            learner.learn_many(data.X, data.y)
        least = float(np.min(data.y * (data.X @ u)))
        bound = theorem(R=1.0 + 1e-12, D=1.0 / least)
        assert 0 < learner.mistakes <= bound.value
        if seed % 2:  # the condition is on every round: wrong labels break it, and the bound
            wrong = kind(when=when, bias=False)
            wrong.learn_many(np.vstack([data.X, data.X] * 3), np.concatenate([data.y, -data.y] * 3))
            assert wrong.mistakes > bound.value


# the projection Perceptron --------------------------------------------------------------------------------------
def followed(rng: np.random.Generator, rounds: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and labels, and targets of length 1 that wander, or are negated twice, with y u_t.x_t >= some gamma."""
    n, gamma = int(rng.integers(2, 10)), rng.choice([0.05, 0.1, 0.2])
    drift, jump = rng.choice([0.0, 0.005, 0.05]), rng.random() < 0.5
    u = rng.normal(size=n)
    U = np.empty((rounds, n))
    for t in range(rounds):
        u = u / norm(u) + drift * rng.normal(size=n) / math.sqrt(n)
        u *= (-1.0 if jump and t in (133, 266) else 1.0) / norm(u)
        U[t] = u
    across = rng.normal(size=(rounds, n))
    across -= np.sum(across * U, axis=1, keepdims=True) * U
    across *= math.sqrt(1.0 - gamma**2) * rng.uniform(0.3, 1.0, (rounds, 1)) / np.linalg.norm(across, axis=1)[:, None]
    y = rng.choice([-1.0, 1.0], rounds)
    return across + (y * gamma * rng.uniform(1.0, 1.5, rounds))[:, None] * U, y, U


def test_projection_perceptron_follows_its_target() -> None:
    rng = np.random.default_rng(14)
    vacuous = 0
    for _ in range(60):
        X, y, U = followed(rng)
        R, V = float(np.linalg.norm(X, axis=1).max()), float(np.linalg.norm(np.diff(U, axis=0), axis=1).sum())
        gamma = float(np.min(y * np.sum(X * U, axis=1)))
        for share in (0.5, 1.0, 1.8):
            bound = bounds.Projection(R=R, gamma=gamma, V=V, eta=share * gamma / R**2)
            learner = dl.ProjectionPerceptron(bound.step, bias=False)
            learner.learn_many(X, y)
            assert 0 < learner.updates <= bound.value
            vacuous += bound.value >= len(y)
        wrong = y * np.where(rng.random(len(y)) < 0.05, -1.0, 1.0)
        learner = dl.ProjectionPerceptron(**bounds.Projection(R=R, gamma=gamma).tuning(), bias=False)
        fired = learner.test_then_train(X, wrong).updated
        D = hinge_sum(wrong[fired], np.sum(X * U, axis=1)[fired], gamma)
        assert learner.updates <= bounds.Projection(R=R, gamma=gamma, V=V, D=D).value
    assert vacuous < 150


@pytest.mark.parametrize("n", [16, 64])
def test_projection_perceptron_on_a_basis_that_flips(n: int) -> None:
    """Without a flip the bound is reached. A flip (path length 2) costs two mistakes a row, where four are allowed."""
    for flips in (0, 1, 5):
        bound = bounds.Projection(R=1.0, gamma=n**-0.5, V=2.0 * flips)
        learner = dl.ProjectionPerceptron(**bound.tuning(), bias=False)
        for phase in range(flips + 1):
            for _ in range(4):
                learner.learn_many(np.eye(n), np.full(n, (-1.0) ** phase))
        assert n * (1 + 2 * flips) <= learner.mistakes <= bound.value * CLOSE
        if flips:
            assert learner.mistakes > bounds.Projection(R=1.0, gamma=n**-0.5, V=0.0).value
