"""The Perceptron, p-norm, ALMA, NORMA and projection Perceptron against known comparators."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.oracles.projections import norm
from tests.support.adversary import MOTIONS, candidates, targets, worst
from tests.support.linear_cases import separable
from tests.support.quantities import hinge_sum

N = 16
GAMMA = N**-0.5
EYE, ONES = np.vstack([np.eye(N)] * 3), np.ones(3 * N)
"""u = (1, ..., 1) / 4 has the margin 1/4 on the rows of EYE, of which each costs a mistake."""
MU = 0.2


def on_basis(learner: dl.Learner) -> dl.Learner:
    learner.learn_many(EYE, ONES)
    return learner


def noisy(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data, u = separable(seed, 250, 3 + seed % 8, 0.05)
    return data.X, data.y * np.where(np.random.default_rng(seed).random(250) < 0.05 * (seed % 4), -1.0, 1.0), u


# the Perceptron -------------------------------------------------------------------------------------------------
@shows("perceptron-separable")
def perceptron_separable() -> Iterator[Seen]:
    yield Seen(on_basis(dl.Perceptron(bias=False)).updates, bounds.PerceptronSeparable(R=1.0, gamma=GAMMA))
    for seed in range(8):
        data, u = separable(seed, 200, 2 + seed, 0.1)
        learner = dl.Perceptron(bias=False)
        learner.learn_many(data.X, data.y)
        gamma = float(np.min(data.y * (data.X @ u)))
        yield Seen(learner.updates, bounds.PerceptronSeparable(R=1.0 + 1e-12, gamma=gamma))


def perceptron_on_noise() -> Iterator[tuple[int, dict[str, float], float, float]]:
    """Updates, gamma and D, the longest row and the sum of squared lengths: on a basis, then with wrong labels."""
    yield on_basis(dl.Perceptron(bias=False)).updates, {"gamma": GAMMA, "D": 0.0}, 1.0, float(N)
    for seed in range(12):
        X, y, u = noisy(seed)
        learner = dl.Perceptron(bias=False)
        fired = learner.test_then_train(X, y).updated
        lengths = np.linalg.norm(X[fired], axis=1)
        for gamma in (0.05, 0.2, 0.5, 2.0):
            given = {"gamma": gamma, "D": hinge_sum(y[fired], X[fired] @ u, gamma)}
            yield learner.updates, given, float(lengths.max()), float((lengths**2).sum())


@shows("perceptron-hinge")
def perceptron_hinge() -> Iterator[Seen]:
    for updates, given, R, _ in perceptron_on_noise():
        yield Seen(updates, bounds.PerceptronHinge(R=R, **given))


@shows("perceptron-quadratic")
def perceptron_quadratic() -> Iterator[Seen]:
    for updates, given, R, _ in perceptron_on_noise():
        yield Seen(updates, bounds.PerceptronQuadratic(R=R, **given))


@shows("perceptron-tightest")
def perceptron_tightest() -> Iterator[Seen]:
    for updates, given, _, S in perceptron_on_noise():
        yield Seen(updates, bounds.PerceptronTightest(S=S, **given))


@breaks("perceptron-separable", "perceptron-hinge", "perceptron-quadratic", "perceptron-tightest")
def wrong_labels_are_not_paid_for() -> Broken:
    """All four are the same where D = 0 and every row has length 1."""
    data, u = separable(0, 400, 8, 0.2)
    wrong = data.y * np.where(np.random.default_rng(0).random(400) < 0.2, -1.0, 1.0)
    learner = dl.Perceptron(bias=False)
    learner.learn_many(data.X, wrong)
    gamma = float(np.min(data.y * (data.X @ u)))
    return Broken(learner.updates, max(gamma**-2, math.sqrt(learner.updates) / gamma))


# p-norms --------------------------------------------------------------------------------------------------------
@shows("pnorm-separable")
def pnorm_separable() -> Iterator[Seen]:
    yield Seen(on_basis(dl.PNormPerceptron(2.0, bias=False)).updates, bounds.PNormSeparable(p=2.0, R=1.0, gamma=GAMMA))
    for seed, p in enumerate((2.0, 3.0, 4.0, 2.0 * math.log(20))):
        data, u = separable(seed, 200, 20, 0.05, p=p)
        learner = dl.PNormPerceptron(p, bias=False)
        learner.learn_many(data.X, data.y)
        gamma = float(np.min(data.y * (data.X @ u)))
        yield Seen(learner.updates, bounds.PNormSeparable(p=p, R=1.0 + 1e-12, gamma=gamma))


@shows("pnorm")
def pnorm() -> Iterator[Seen]:
    learner = on_basis(dl.PNormPerceptron(2.0, bias=False))
    yield Seen(learner.updates, bounds.PNorm(p=2.0, S=float(N), gamma=GAMMA, D=0.0))
    for seed, p in enumerate((2.0, 3.0, 4.0, 2.0 * math.log(20))):
        data, u = separable(seed, 200, 20, 0.05, p=p)
        wrong = data.y * np.where(np.random.default_rng(seed).random(200) < 0.1, -1.0, 1.0)
        learner = dl.PNormPerceptron(p, bias=False)
        fired = learner.test_then_train(data.X, wrong).updated
        S = float(sum(norm(x, p) ** 2 for x in data.X[fired]))
        for gamma in (0.05, 0.2, 1.0):
            D = hinge_sum(wrong[fired], data.X[fired] @ u, gamma)
            yield Seen(learner.updates, bounds.PNorm(p=p, S=S, gamma=gamma, D=D))


@breaks("pnorm-separable", "pnorm")
def the_factor_is_left_out() -> Broken:
    """Rows of signs, of which one feature is the label: without p - 1 both forms allow too little."""
    n = 64
    p, X = 2.0 * math.log(n), np.random.default_rng(0).choice([-1.0, 1.0], (2000, n))
    learner = dl.PNormPerceptron(p, bias=False)
    while (margins := X[:, 0] * learner.score_many(X)).min() <= 0.0:
        learner.learn_one(X[np.argmin(margins)], X[np.argmin(margins), 0])
    return Broken(learner.updates, max(n ** (2.0 / p), math.sqrt(learner.updates) * n ** (1.0 / p)))


@shows("pnorm-moving")
def pnorm_moving() -> Iterator[Seen]:
    for flips in (0, 1, 3):
        yield Seen(*negated(flips))
    for motion in MOTIONS:
        found = targets(np.random.default_rng(0), motion, 3.0, 200, N)
        learner, S = dl.PNormPerceptron(3.0, bias=False), 0.0
        for y, rows in candidates(np.random.default_rng(1), found, MU):
            x = worst(learner, rows, y)
            if y * learner.learn_one(x, y) <= 0.0:
                S += norm(x, 3.0) ** 2
        yield Seen(learner.updates, bounds.PNormMoving(p=3.0, S=S, gamma=MU, D=0.0, V=found.D1))


def negated(flips: int) -> tuple[int, bounds.PNormMoving]:
    """Updates where u is negated when w is longest, and the bound."""
    learner = dl.Perceptron(bias=False)
    learner.learn_many(np.vstack([EYE] * (flips + 1)), np.repeat((-1.0) ** np.arange(flips + 1), len(EYE)))
    return learner.updates, bounds.PNormMoving(S=learner.updates, gamma=GAMMA, D=0.0, V=2.0 * flips)


@breaks("pnorm-moving")
def the_way_is_not_paid_for() -> Broken:
    updates, bound = negated(1)
    return Broken(updates, bound.value / (1.0 + bound.V))


# ALMA and NORMA -------------------------------------------------------------------------------------------------
STAYS: dict[Any, dict[str, float]] = {dl.ALMA: {"B": 1.0}, dl.NORMA: {}}
"""Beside the rates, where no theorem prescribes them."""
MOVING = {"X": 1.0 + 1e-12, "B": 1.0 + 1e-12, "mu": MU}


def moved(kind: type[dl.ALMA] | type[dl.NORMA], form: type[bounds.Bound], **more: float) -> Iterator[Seen]:
    """The worst rows of targets that stand, drift or jump; the learner as the theorem prescribes, or as in ``more``."""
    margin = form.limits.startswith("margin")
    for motion in MOTIONS:
        for seed in range(2):
            rng = np.random.default_rng([seed, MOTIONS.index(motion)])
            found = targets(rng, motion, 2.0, 300, 20)
            path = {"D": found.D1} if kind is dl.ALMA else {"D1": found.D1, "D2": found.D2, "T": 300}
            bound = form(**MOVING, **path, **more)
            learner = kind(**(bound.tuning() or {**STAYS[kind], **more}), bias=False)
            for y, rows in candidates(rng, found, MU):
                learner.learn_one(worst(learner, rows, y), y)
            yield Seen(learner.margin_errors if margin else learner.mistakes, bound)


def rested(kind: Any, form: Any, **more: float) -> Seen:
    """The rows of a basis, of which none is right at first."""
    bound = form(X=1.0, B=1.0, mu=GAMMA, **({"T": 3 * N} if kind is dl.NORMA else {}), **more)
    learner = kind(**{**(bound.tuning() or {**STAYS[kind], **more}), "rho": 0.0}, bias=False)
    return Seen(on_basis(learner).mistakes, bound)


@shows("alma")
def alma() -> Iterator[Seen]:
    yield rested(dl.ALMA, bounds.ALMAMistakes)
    yield from moved(dl.ALMA, bounds.ALMAMistakes)


@shows("alma-margin")
def alma_margin() -> Iterator[Seen]:
    yield rested(dl.ALMA, bounds.ALMAMargin)
    yield from moved(dl.ALMA, bounds.ALMAMargin, rho=MU / 2.0)


@shows("alma-untuned")
def alma_untuned() -> Iterator[Seen]:
    yield rested(dl.ALMA, bounds.ALMAUntuned, alpha=GAMMA)
    for alpha, rho in ((0.1, 0.14), (0.2, 0.0), (0.3, 0.04)):
        yield from moved(dl.ALMA, bounds.ALMAUntuned, alpha=alpha, rho=rho)


@shows("alma-untuned-margin")
def alma_untuned_margin() -> Iterator[Seen]:
    yield rested(dl.ALMA, bounds.ALMAUntunedMargin, alpha=GAMMA)
    for alpha, rho in ((0.1, 0.1), (0.2, 0.05), (0.05, 0.15)):
        yield from moved(dl.ALMA, bounds.ALMAUntunedMargin, alpha=alpha, rho=rho)


@shows("norma")
def norma() -> Iterator[Seen]:
    yield rested(dl.NORMA, bounds.NORMAMistakes)
    yield from moved(dl.NORMA, bounds.NORMAMistakes)


@shows("norma-margin")
def norma_margin() -> Iterator[Seen]:
    yield rested(dl.NORMA, bounds.NORMAMargin)
    yield from moved(dl.NORMA, bounds.NORMAMargin, rho=MU / 2.0)


@shows("norma-untuned")
def norma_untuned() -> Iterator[Seen]:
    yield rested(dl.NORMA, bounds.NORMAUntuned, alpha=GAMMA, lam=0.0)
    for alpha, lam, rho in ((0.1, 0.01, 0.14), (0.2, 0.1, 0.0), (0.3, 0.02, 0.04)):
        yield from moved(dl.NORMA, bounds.NORMAUntuned, alpha=alpha, lam=lam, rho=rho)


@shows("norma-untuned-margin")
def norma_untuned_margin() -> Iterator[Seen]:
    yield rested(dl.NORMA, bounds.NORMAUntunedMargin, alpha=GAMMA, lam=0.0)
    for alpha, lam, rho in ((0.1, 0.01, 0.1), (0.2, 0.1, 0.05), (0.05, 0.02, 0.15)):
        yield from moved(dl.NORMA, bounds.NORMAUntunedMargin, alpha=alpha, lam=lam, rho=rho)


def coordinates_flip(kind: type[dl.ALMA] | type[dl.NORMA], margin: bool) -> Broken:
    """One coordinate of the target after the other changes its sign: too much for a bound in which the path is 0."""
    signs, y = np.ones(N), []
    for flip in range(2 * N):
        y += list(signs) * 8
        signs[flip % N] *= -1.0
    given = {"X": 1.0, "B": 1.0, "mu": GAMMA}
    D1, D2, T = (2 * N - 1) * 2.0 * GAMMA, (2 * N - 1) * 4.0 * GAMMA**2, len(y)
    if kind is dl.ALMA:
        tuning = bounds.ALMAMistakes(**given, D=D1).tuning()
        allowed = bounds.ALMAUntuned(**given, alpha=tuning["alpha"], rho=0.0).value
    else:
        tuning = bounds.NORMAMistakes(**given, D1=D1, D2=D2, T=T).tuning()
        allowed = bounds.NORMAMistakes(**given, T=T).value
    learner = kind(**{**tuning, "rho": 0.0}, bias=False)
    learner.learn_many(np.vstack([np.eye(N)] * 8 * 2 * N), np.array(y))
    return Broken(learner.margin_errors if margin else learner.mistakes, allowed)


@breaks("alma", "alma-untuned")
def alma_with_a_path_that_is_not_paid_for() -> Broken:
    return coordinates_flip(dl.ALMA, False)


@breaks("alma-margin", "alma-untuned-margin")
def alma_margins_with_a_path_that_is_not_paid_for() -> Broken:
    return coordinates_flip(dl.ALMA, True)


@breaks("norma", "norma-untuned")
def norma_with_a_path_that_is_not_paid_for() -> Broken:
    return coordinates_flip(dl.NORMA, False)


@breaks("norma-margin", "norma-untuned-margin")
def norma_margins_with_a_path_that_is_not_paid_for() -> Broken:
    return coordinates_flip(dl.NORMA, True)


@shows("selftuningalma")
def self_tuning_alma() -> Iterator[Seen]:
    for alpha in (0.3, 0.6, 0.9, 1.0):
        for passes in range(1, 4):
            learner = dl.SelfTuningALMA(alpha, bias=False)
            learner.learn_many(np.vstack([np.eye(N)] * 40 * passes), np.ones(40 * passes * N))
            yield Seen(learner.updates, bounds.SelfTuningALMAUpdates(gamma=GAMMA, alpha=alpha))
        for seed, p in enumerate((2.0, 3.0)):
            data, u = separable(seed, 150, 8, 0.1, p=p)
            learner = dl.SelfTuningALMA(alpha, p=p, bias=False)
            learner.learn_many(np.vstack([data.X] * 40), np.tile(data.y, 40))
            gamma = float(np.min(data.y * (data.X @ u)))
            yield Seen(learner.updates, bounds.SelfTuningALMAUpdates(gamma=gamma, alpha=alpha, p=p))


@breaks("selftuningalma")
def margins_that_are_not_its_own() -> Broken:
    data, u = separable(0, 150, 8, 0.1)
    learner = dl.SelfTuningALMA(0.9, B=400.0, bias=False)
    learner.learn_many(np.vstack([data.X] * 100), np.tile(data.y, 100))
    gamma = float(np.min(data.y * (data.X @ u)))
    return Broken(learner.updates, bounds.SelfTuningALMAUpdates(gamma=gamma, alpha=0.9).value)


# the projection Perceptron --------------------------------------------------------------------------------------
def flipped(flips: int) -> int:
    """Mistakes on a basis whose target is negated so many times, which is a path of length 2 each."""
    learner = dl.ProjectionPerceptron(GAMMA, bias=False)
    for phase in range(flips + 1):
        learner.learn_many(EYE, (-1.0) ** phase * ONES)
    return learner.mistakes


@shows("projection")
def projection() -> Iterator[Seen]:
    for flips in (0, 1, 5):
        yield Seen(flipped(flips), bounds.Projection(R=1.0, gamma=GAMMA, V=2.0 * flips))
    for motion in MOTIONS:
        rng = np.random.default_rng(MOTIONS.index(motion))
        found = targets(rng, motion, 2.0, 300, 20)
        bound = bounds.Projection(R=1.0 + 1e-12, gamma=MU, V=found.D1)
        learner = dl.ProjectionPerceptron(**bound.tuning(), bias=False)
        for y, rows in candidates(rng, found, MU):
            learner.learn_one(worst(learner, rows, y), y)
        yield Seen(learner.updates, bound)


@breaks("projection")
def a_path_that_is_not_paid_for() -> Broken:
    return Broken(flipped(1), bounds.Projection(R=1.0, gamma=GAMMA).value)
