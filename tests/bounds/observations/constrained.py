"""PA and related rules, second-order rules and the Forgetron against known comparators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds, kernels
from tests.bounds.observations.linear import EYE, GAMMA, ONES, N, on_basis
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.oracles.projections import norm
from tests.support.adversary import at_margin_one, worst
from tests.support.linear_cases import separable, weights_of
from tests.support.quantities import hinge_sum

LONG = math.sqrt(N)
R = 1.0 + 1e-9


def struck(learner: dl.Learner, seed: int, D: float, turn: float = 0.0) -> tuple[float, float]:
    """Learn the rows with y u.x = 1 that hurt most while u, of length D, turns; the longest w and the path of u."""
    rng = np.random.default_rng(seed)
    u, side = np.eye(12)[0] * D, np.eye(12)[1] * D
    longest = path = 0.0
    for t in range(150):
        y, rows = at_margin_one(rng, u)
        learner.learn_one(worst(learner, rows, y), y)
        longest = max(longest, norm(weights_of(learner, 12)))
        before, u = u, math.cos(turn * (t + 1)) * np.eye(12)[0] * D + math.sin(turn * (t + 1)) * side
        path += norm(u - before)
    return longest, path


def standing(make: Callable[..., dl.Learner], form: Callable[..., bounds.Bound]) -> Iterator[Seen]:
    yield Seen(on_basis(make(LONG)).mistakes, form(R=1.0, D=LONG, beta=LONG))
    for seed in range(4):
        D = (1.5, 3.0)[seed % 2]
        learner = make(D)
        beta, _ = struck(learner, seed, D)
        yield Seen(learner.mistakes, form(R=R, D=D, beta=max(D, beta)))


def turning(make: Callable[..., dl.Learner], form: Callable[..., bounds.Bound]) -> Iterator[Seen]:
    for seed in range(4):
        D = (1.5, 3.0)[seed % 2]
        learner = make(D)
        beta, path = struck(learner, seed, D, turn=0.01)
        yield Seen(learner.mistakes, form(R=R, D=D, beta=max(D, beta), V=path))


@shows("pa")
def pa() -> Iterator[Seen]:
    for when in ("mistake", "margin"):
        yield from standing(
            lambda D, when=when: dl.PA(when=when, bias=False), lambda R, D, beta: bounds.PAMistakes(R=R, D=D)
        )


@shows("romma")
def romma() -> Iterator[Seen]:
    for when in ("mistake", "margin"):
        yield from standing(
            lambda D, when=when: dl.ROMMA(when=when, bias=False), lambda R, D, beta: bounds.ROMMAMistakes(R=R, D=D)
        )


@shows("l2pa")
def l2pa() -> Iterator[Seen]:
    yield from standing(lambda D: dl.L2PA(D, bias=False), bounds.L2PAMistakes)


@shows("l2pa-path")
def l2pa_path() -> Iterator[Seen]:
    for when in ("mistake", "margin"):
        yield from standing(lambda D, when=when: dl.L2PA(D, when=when, bias=False), bounds.L2PAPath)
        yield from turning(lambda D, when=when: dl.L2PA(D, when=when, bias=False), bounds.L2PAPath)


@shows("l1pa")
def l1pa() -> Iterator[Seen]:
    for seed in range(4):
        D = (1.5, 3.0)[seed % 2]
        learner = dl.L1PA(D, bias=False)
        struck(learner, seed, D)
        yield Seen(learner.mistakes, bounds.L1PAMistakes(R=R, D=D, beta=D))


@shows("l1pa-path")
def l1pa_path() -> Iterator[Seen]:
    """In the plane of its turn |u|_1 is at most sqrt(2) |u|_2, and a step's largest part at most the step."""
    for when in ("mistake", "margin"):
        for seed in range(4):
            D, turn = (1.5, 3.0)[seed % 2], 0.0 if seed < 2 else 0.01
            size = D if turn == 0.0 else D * math.sqrt(2.0)
            learner = dl.L1PA(size, when=when, bias=False)
            _, path = struck(learner, seed, D, turn)
            yield Seen(learner.mistakes, bounds.L1PAPath(R=R, D=size, beta=size, V=path))


@shows("shrunkpa")
def shrunk_pa() -> Iterator[Seen]:
    for alpha in (0.0, 0.02):
        yield from standing(
            lambda D, alpha=alpha: dl.ShrunkPA(alpha, bias=False),
            lambda alpha=alpha, **given: bounds.ShrunkPAMistakes(alpha=alpha, **given),
        )


@shows("shrunkpa-path")
def shrunk_pa_path() -> Iterator[Seen]:
    for alpha in (0.0, 0.02):
        yield from standing(
            lambda D, alpha=alpha: dl.ShrunkPA(alpha, bias=False),
            lambda alpha=alpha, **given: bounds.ShrunkPAPath(alpha=alpha, **given),
        )
        yield from turning(
            lambda D, alpha=alpha: dl.ShrunkPA(alpha, bias=False),
            lambda alpha=alpha, **given: bounds.ShrunkPAPath(alpha=alpha, **given),
        )


@breaks("pa", "romma")
def no_target_has_the_margin() -> Broken:
    X, y = np.vstack([EYE, EYE]), np.concatenate([ONES, -ONES])
    learners: tuple[dl.Learner, ...] = dl.PA(bias=False), dl.ROMMA(bias=False)
    for learner in learners:
        learner.learn_many(X, y)
    return Broken(min(learner.mistakes for learner in learners), bounds.PAMistakes(R=1.0, D=LONG).value)


@breaks("l2pa", "l1pa", "shrunkpa")
def the_target_moves_on_every_round() -> Broken:
    """What the theorems print: a step of mu is paid for by each update, though u moves without one too."""
    D, turn = 2.0, 0.005
    learners: tuple[dl.Learner, ...] = (
        dl.L2PA(D, bias=False),
        dl.L1PA(D * math.sqrt(2.0), bias=False),
        dl.ShrunkPA(0.02, bias=False),
    )
    rng = np.random.default_rng(3)
    for learner in learners:
        for t in range(4000):
            y, rows = at_margin_one(rng, D * np.array([math.cos(turn * t), math.sin(turn * t)]), pool=6)
            learner.learn_one(worst(learner, rows, y), y)
    step = 2.0 * D * math.sin(turn / 2.0)
    allowed: tuple[bounds.Bound, ...] = (
        bounds.L2PAMistakes(R=R, D=D, beta=D, mu=step),
        bounds.L1PAMistakes(R=R, D=D * math.sqrt(2.0), beta=D * math.sqrt(2.0), mu=step),
        bounds.ShrunkPAMistakes(R=R, D=D, alpha=0.02, beta=2.5, mu=step),
    )
    return Broken(min(one.mistakes for one in learners), max(one.value for one in allowed))


@breaks("l2pa-path", "l1pa-path", "shrunkpa-path")
def the_path_is_left_out() -> Broken:
    learners: tuple[Any, ...] = dl.L2PA(2.0, bias=False), dl.L1PA(3.0, bias=False), dl.ShrunkPA(0.02, bias=False)
    rng = np.random.default_rng(3)
    for learner in learners:
        for t in range(4000):
            y, rows = at_margin_one(rng, 2.0 * np.array([math.cos(0.005 * t), math.sin(0.005 * t)]), pool=6)
            learner.learn_one(worst(learner, rows, y), y)
    allowed: tuple[bounds.Bound, ...] = (
        bounds.L2PAPath(R=R, D=2.0, beta=2.0),
        bounds.L1PAPath(R=R, D=3.0, beta=3.0),
        bounds.ShrunkPAPath(R=R, D=2.0, alpha=0.02, beta=2.5),
    )
    return Broken(min(one.mistakes for one in learners), max(one.value for one in allowed))


# second order ---------------------------------------------------------------------------------------------------
def second_order_runs(make: Callable[[float], Any]) -> Iterator[tuple[Any, float, np.ndarray, np.ndarray, float]]:
    """Learner, a, y and u.x of its updates, and gamma: on a basis, then on rows with wrong labels."""
    for a in (0.618, 1.0, 100.0):
        learner = make(a)
        fired = learner.test_then_train(EYE, ONES).updated
        yield learner, a, ONES[fired], np.full(int(fired.sum()), GAMMA), GAMMA
    for seed in range(4):
        data, u = separable(seed, 250, 8, 0.05)
        wrong = data.y * np.where(np.random.default_rng(seed).random(250) < 0.1, -1.0, 1.0)
        for a, gamma in ((0.1, 0.1), (1.0, 0.3), (10.0, 1.0)):
            learner = make(a)
            fired = learner.test_then_train(data.X, wrong).updated
            yield learner, a, wrong[fired], data.X[fired] @ u, gamma


def second_order(form: Any, make: Callable[[float], Any]) -> Iterator[Seen]:
    for learner, a, y, scores, gamma in second_order_runs(make):
        D, along = hinge_sum(y, scores, gamma * (1.0 - 1e-12)), float((scores**2).sum())
        yield Seen(learner.updates, form(a=a, logdet=learner.logdet, lambda_u=along, gamma=gamma, D=D))


def second_order_separable(form: Any, make: Callable[[float], Any]) -> Iterator[Seen]:
    learner = make(0.618)
    learner.learn_many(np.eye(1), [1.0])
    yield Seen(learner.updates, form(a=0.618, logdet=learner.logdet, gamma=1.0))
    for seed in range(4):
        data, u = separable(seed, 250, 8, 0.05)
        for a in (0.1, 1.0):
            learner = make(a)
            learner.learn_many(np.vstack([data.X] * 3), np.tile(data.y, 3))
            gamma = float(np.min(data.y * (data.X @ u)))
            yield Seen(learner.updates, form(a=a, logdet=learner.logdet, gamma=gamma))


def primal(a: float) -> Any:
    return dl.SecondOrderPerceptron(a, bias=False)


def dual(a: float) -> Any:
    return dl.KernelSecondOrder(a, "linear", bias=False)


shows("second-order")(lambda: second_order(bounds.SecondOrder, primal))
shows("second-order-separable")(lambda: second_order_separable(bounds.SecondOrderSeparable, primal))
shows("kernel-second-order-separable")(lambda: second_order_separable(bounds.KernelSecondOrderSeparable, dual))


@shows("kernel-second-order")
def kernel_second_order() -> Iterator[Seen]:
    """The linear kernel, and functions of a Gaussian one."""
    yield from second_order(bounds.KernelSecondOrder, dual)
    rbf = kernels.Gaussian(0.5)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        centres, c, X = rng.normal(size=(6, 3)), rng.normal(size=6), rng.normal(size=(250, 3))
        c /= math.sqrt(c @ rbf.between(centres, centres) @ c)
        f = rbf.between(X, centres) @ c
        y = np.sign(f) * np.where(rng.random(250) < 0.05, -1.0, 1.0)
        learner = dl.KernelSecondOrder(1.0, rbf)
        fired = learner.test_then_train(X, y).updated
        for gamma in (0.1, 0.3):
            D, along = hinge_sum(y[fired], f[fired], gamma), float((f[fired] ** 2).sum())
            yield Seen(
                learner.updates,
                bounds.KernelSecondOrder(a=1.0, logdet=learner.logdet, lambda_u=along, gamma=gamma, D=D),
            )


@breaks("second-order", "second-order-separable", "kernel-second-order", "kernel-second-order-separable")
def a_comparator_that_is_too_long() -> Broken:
    """u = 10 has the margin 10 on the one row."""
    learners = primal(0.618), dual(0.618)
    for learner in learners:
        learner.learn_many(np.eye(1), [1.0])
    logdet = learners[0].logdet
    return Broken(learners[1].updates, max(math.sqrt(0.618 * logdet), 0.618 + logdet) / 10.0)


# the Forgetron --------------------------------------------------------------------------------------------------
@shows("forgetron")
def forgetron() -> Iterator[Seen]:
    learner = on_basis(dl.Kernelized("perceptron", "linear", 2500, "forgetron", bias=False))
    yield Seen(learner.mistakes, bounds.ForgetronMistakes(B=2500, length=LONG, hinge=0.0))
    for budget, noise in ((100, 0.0), (400, 0.02)):
        data, u = separable(28, 2000, 6, 0.3)
        y = np.where(np.random.default_rng(0).random(2000) < noise, -data.y, data.y)
        learner = dl.Kernelized("perceptron", "linear", budget, "forgetron", bias=False)
        learner.learn_many(data.X, y)
        longest = 0.25 * math.sqrt((budget + 1) / math.log(budget + 1))
        for length in (0.5 * longest, longest):
            hinge = hinge_sum(y, data.X @ u, 1.0 / length)
            yield Seen(learner.mistakes, bounds.ForgetronMistakes(B=budget, length=length, hinge=hinge))


@breaks("forgetron")
def a_budget_that_is_too_small() -> Broken:
    """With room for one row it forgets the basis as fast as it learns it."""
    learner = dl.Kernelized("perceptron", "linear", 1, "forgetron", bias=False)
    learner.learn_many(np.vstack([EYE] * 3), np.tile(ONES, 3))
    return Broken(learner.mistakes, 2.0 * LONG**2)
