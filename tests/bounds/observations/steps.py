"""PA-I, PA-II, the theorem on steps, and AROW, against comparators that also have losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.linear import EYE, GAMMA, ONES, N, noisy
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.oracles.projections import norm
from tests.support.adversary import at_margin_one, worst
from tests.support.linear_cases import weights_of
from tests.support.quantities import hinge_sum

LONG = math.sqrt(N)


class Course:
    """A run with the weights before each round, and a comparator of each round."""

    def __init__(self, learner: dl.Learner, X: np.ndarray, y: np.ndarray, U: np.ndarray) -> None:
        self.learner, self.a, self.U = learner, X * y[:, None], U
        self.before = np.zeros((len(X) + 1, X.shape[1]))
        for t in range(len(X)):
            learner.learn_one(X[t], y[t])
            self.before[t + 1] = weights_of(learner, X.shape[1])[1:]
        self.m = np.sum(self.a * self.before[:-1], axis=1)
        self.fired = np.any(np.diff(self.before, axis=0) != 0.0, axis=1)
        self.lacking = np.maximum(0.0, 1.0 - np.sum(self.a * U, axis=1))

    @property
    def known(self) -> dict[str, float]:
        """D, V and W."""
        path = float(np.linalg.norm(np.diff(self.U, axis=0), axis=1).sum())
        longest = float(np.linalg.norm(self.U, axis=1).max()) * (1.0 + 1e-12)
        return {"D": longest, "V": path, "W": float(np.linalg.norm(self.before, axis=1).max()) * (1.0 + 1e-12)}

    @property
    def R(self) -> float:
        return float(np.linalg.norm(self.a, axis=1).max())

    def steps(self) -> dict[str, float]:
        """The inputs of the theorem, from w' = s w + tau a by least squares for s and tau."""
        c, lost, other, removed = math.inf, 0.0, 0.0, 0.0
        for t in np.flatnonzero(self.fired):
            w, a = self.before[t], self.a[t]
            if norm(w) == 0.0:
                s, tau = 1.0, float(self.before[t + 1] @ a / (a @ a))
            else:
                (s, tau), *_ = np.linalg.lstsq(np.column_stack([w, a]), self.before[t + 1], rcond=None)
                across = norm(w - (w @ a) / (a @ a) * a)
                if across < 1e-6 * norm(w):  # w and a are parallel: the rules here do not shrink then
                    s, tau = 1.0, float((self.before[t + 1] - w) @ a / (a @ a))
            lost += tau * self.lacking[t]
            removed += max(0.0, 1.0 - s) * norm(w)
            if self.m[t] <= 0.0:
                c = min(c, tau)
            else:
                other += tau
        more = 1.0 + 1e-9
        return {**self.known, "c": c / more, "lost": lost * more, "F": removed * more, "other": other / more}


def runs(make: Callable[[], dl.Learner]) -> Iterator[Course]:
    """On a basis, with wrong labels at several scales, and with the rows that hurt most while u turns."""
    yield Course(make(), EYE, ONES, np.full((1, N), 1.0))
    for seed in range(6):
        X, y, u = noisy(seed)
        for scale in (0.5, 2.0, 8.0):
            yield Course(make(), X[:120], y[:120], scale * u[None, :])
    for turn in (0.0, 0.02):
        rng, learner, rows, labels, targets = np.random.default_rng(7), make(), [], [], []
        for t in range(120):
            u = 2.5 * np.array([math.cos(turn * t), math.sin(turn * t), 0.0, 0.0, 0.0])
            y, pool = at_margin_one(rng, u)
            rows.append(worst(learner, pool, y))
            labels.append(y)
            targets.append(u)
            learner.learn_one(rows[-1], y)
        yield Course(make(), np.array(rows), np.array(labels), np.array(targets))


@shows("pa1")
def pa1() -> Iterator[Seen]:
    for when in ("margin", "mistake"):
        for C in (0.1, 1.0, 10.0):
            for run in runs(lambda C=C, when=when: dl.PA1(C, when=when, bias=False)):
                hinge = float(run.lacking[run.fired].sum())
                yield Seen(run.learner.mistakes, bounds.PA1Mistakes(C=C, R=run.R, hinge=hinge, **run.known))


@shows("pa2")
def pa2() -> Iterator[Seen]:
    for when in ("margin", "mistake"):
        for C in (0.1, 1.0, 10.0):
            for run in runs(lambda C=C, when=when: dl.PA2(C, when=when, bias=False)):
                lost = float((run.lacking[run.fired] ** 2).sum())
                yield Seen(run.learner.mistakes, bounds.PA2Mistakes(C=C, R=run.R, squares=lost, **run.known))
    best = 2.0 / 3.0  # at C = 1 this multiple of (1, ..., 1) minimises the bound on a basis
    run = Course(dl.PA2(1.0, bias=False), EYE[:N], ONES[:N], np.full((1, N), best))
    yield Seen(run.learner.mistakes, bounds.PA2Mistakes(C=1.0, R=1.0, squares=N / 9.0, D=best * LONG))


@shows("steps")
def steps() -> Iterator[Seen]:
    made: list[Callable[[], dl.Learner]] = [
        lambda: dl.PA(bias=False),
        lambda: dl.PA1(0.3, bias=False),
        lambda: dl.PA1(2.0, when="mistake", bias=False),
        lambda: dl.PA2(0.5, bias=False),
        lambda: dl.L2PA(2.0, bias=False),
        lambda: dl.L2PA(4.0, when="margin", bias=False),
    ]
    for make in made:
        for run in runs(make):
            yield Seen(run.learner.mistakes, bounds.StepMistakes(**run.steps()))


@breaks("pa1", "pa2", "steps")
def the_path_is_left_out() -> Broken:
    """A target that turns for long costs more mistakes than a fixed one allows."""
    learners: tuple[Any, ...] = dl.PA1(1.0, when="mistake", bias=False), dl.PA2(50.0, when="mistake", bias=False)
    rng, allowed, longest = np.random.default_rng(3), [], 0.0
    for learner in learners:
        for t in range(4000):
            y, rows = at_margin_one(rng, 2.0 * np.array([math.cos(0.005 * t), math.sin(0.005 * t)]), pool=6)
            learner.learn_one(worst(learner, rows, y), y)
            longest = max(longest, norm(weights_of(learner, 2)))
    allowed.append(bounds.PA1Mistakes(C=1.0, R=1.0, D=2.0, hinge=0.0).value)
    allowed.append(bounds.PA2Mistakes(C=50.0, R=1.0, D=2.0, squares=0.0).value)
    allowed.append(bounds.StepMistakes(c=1.0 / 1.01, W=longest, D=2.0, lost=0.0).value)
    return Broken(min(one.mistakes for one in learners), max(allowed))


# AROW -----------------------------------------------------------------------------------------------------------
def ridge(X: np.ndarray, y: np.ndarray, fired: np.ndarray, r: float) -> tuple[float, float]:
    """Q = r b.P b and logdet, of the updates of a run."""
    A = np.eye(X.shape[1]) + X[fired].T @ X[fired] / r
    b = X[fired].T @ y[fired] / r
    return float(r * b @ np.linalg.solve(A, b)), float(np.linalg.slogdet(A)[1])


def arow_runs() -> Iterator[tuple[int, dict[str, Any], float, float]]:
    for r in (0.1, 1.0, 100.0):
        cases = [(EYE, ONES, np.full(N, GAMMA), (GAMMA,))]
        cases += [(EYE[:N], ONES[:N], np.full(N, GAMMA), (GAMMA,))]
        cases += [(*noisy(seed), (0.05, 0.3, 1.0)) for seed in range(8)]
        for X, y, u, gammas in cases:
            learner = dl.AROW(r, bias=False)
            done = learner.test_then_train(X, y)
            fired = done.updated
            Q, logdet = ridge(X, y, fired, r)
            U = int(np.sum(fired & (y * done.scores > 0.0)))
            for gamma in gammas:
                scores = X[fired] @ u
                given = {"D": hinge_sum(y[fired], scores, gamma * (1.0 - 1e-12)), "lambda_u": float((scores**2).sum())}
                yield learner.mistakes, {"r": r, "gamma": gamma, "U": U, **given}, Q * (1.0 + 1e-9), logdet


@shows("arow")
def arow() -> Iterator[Seen]:
    for mistakes, given, _, logdet in arow_runs():
        yield Seen(mistakes, bounds.AROWMistakes(logdet=logdet, **given))


@shows("arow-tightest")
def arow_tightest() -> Iterator[Seen]:
    for mistakes, given, Q, _ in arow_runs():
        yield Seen(mistakes, bounds.AROWTightest(Q=Q, **given))


@breaks("arow", "arow-tightest")
def a_comparator_that_is_too_long() -> Broken:
    """u = 10 has the margin 10 on the one row."""
    learner = dl.AROW(1.0, bias=False)
    learner.learn_many(np.eye(1), [1.0])
    known = {"r": 1.0, "lambda_u": 1.0, "gamma": 10.0}
    allowed = bounds.AROWMistakes(logdet=math.log(2.0), **known), bounds.AROWTightest(Q=0.5, **known)
    return Broken(learner.mistakes, max(one.value for one in allowed))
