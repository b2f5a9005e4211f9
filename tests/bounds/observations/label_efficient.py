"""LabelEfficient: mean mistakes and labels over random coins, compared with their bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.linear import EYE, GAMMA, ONES, N
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.support.linear_cases import mislabelled
from tests.support.quantities import hinge_sum

COINS = range(30)
Variant = Literal["constant", "adaptive"]


def means(variant: Variant, b: float, X: np.ndarray, y: np.ndarray, u: np.ndarray, gamma: float) -> tuple[float, float]:
    """Mistakes, and the hinge loss of u over updates."""
    mistakes, losses = [], []
    for coin in COINS:
        learner = dl.LabelEfficient(b=b, variant=variant, seed=coin, bias=False)
        fired = learner.test_then_train(X, y).updated
        mistakes.append(learner.mistakes)
        losses.append(hinge_sum(y[fired], X[fired] @ u, gamma))
    return float(np.mean(mistakes)), float(np.mean(losses))


def seen(form: Any, variant: Variant, sizes: tuple[float, ...]) -> Iterator[Seen]:
    u = np.full(N, GAMMA)
    for b in sizes:
        M, D = means(variant, b, EYE, ONES, u, GAMMA)
        yield Seen(M, form(b=b, R=1.0, gamma=GAMMA, D=D))
    for seed in range(2):
        X, y, u, gamma = mislabelled(seed, 0.05 * (seed % 2))
        for b in (0.2, 2.0):
            M, D = means(variant, b, X, y, u, gamma)
            yield Seen(M, form(b=b, R=1.0 + 1e-12, gamma=gamma, D=D))


shows("labelefficient")(lambda: seen(bounds.LabelEfficientMistakes, "constant", (0.5,)))
shows("labelefficient-adaptive")(lambda: seen(bounds.LabelEfficientAdaptive, "adaptive", (1.0, 100.0)))


def second_means(
    b: float, a: float, X: np.ndarray, y: np.ndarray, u: np.ndarray, gamma: float
) -> tuple[float, dict[str, float]]:
    """Mistakes, and the inputs of the bound."""
    found = []
    for coin in COINS:
        learner = dl.LabelEfficient(f"secondorderperceptron(a={a})", b, "second", coin, bias=False)
        fired = learner.test_then_train(X, y).updated
        spread = float(np.linalg.slogdet(np.eye(X.shape[1]) + X[fired].T @ X[fired] / a)[1])
        along, D = float(((X[fired] @ u) ** 2).sum()), hinge_sum(y[fired], X[fired] @ u, gamma)
        found.append((learner.mistakes, spread, along, D))
    M, spread, along, D = np.mean(found, axis=0).tolist()
    return M, {"logdet": spread, "lambda_u": along, "D": D, "gamma": gamma, "a": a, "b": b}


@shows("labelefficient-second-order")
def second_order() -> Iterator[Seen]:
    a = 100.0
    b = GAMMA * math.sqrt(N * math.log1p(1.0 / a) / (a + 1.0))  # which makes the bound smallest on one pass of a basis
    M, known = second_means(b, a, EYE[:N], ONES[:N], np.full(N, GAMMA), GAMMA)
    yield Seen(M, bounds.LabelEfficientSecondOrder(**known))
    for seed in range(2):
        X, y, u, gamma = mislabelled(seed, 0.05 * (seed % 2))
        for b in (0.3, 3.0):
            M, known = second_means(b, 1.0, X, y, u, gamma)
            yield Seen(M, bounds.LabelEfficientSecondOrder(**known))


@breaks("labelefficient", "labelefficient-adaptive", "labelefficient-second-order")
def wrong_labels_that_are_not_paid_for() -> Broken:
    X, y, u, gamma = mislabelled(0, 0.0)
    wrong = np.where(np.random.default_rng(1).random(300) < 0.3, -y, y)
    constant, adaptive = (means(variant, 0.5, X, wrong, u, gamma)[0] for variant in ("constant", "adaptive"))
    second, known = second_means(0.3, 1.0, X, wrong, u, gamma)
    allowed = (
        bounds.LabelEfficientMistakes(b=0.5, R=1.0, gamma=0.3),
        bounds.LabelEfficientAdaptive(b=0.5, R=1.0, gamma=0.3),
        bounds.LabelEfficientSecondOrder(**{**known, "D": 0.0, "gamma": 0.3}),
    )
    return Broken(min(constant, adaptive, second), max(one.value for one in allowed))


# labels ---------------------------------------------------------------------------------------------------------
def asked(variant: Variant, b: float, X: np.ndarray, y: np.ndarray, m: float) -> tuple[float, float, int]:
    """Expected labels, by their chances; rounds with scores below m in size; and the most updates there were."""
    chances, close, most = [], [], 0
    for coin in COINS:
        learner = dl.LabelEfficient(b=b, variant=variant, seed=coin, bias=False)
        trials = learner.test_then_train(X, y)
        before = np.concatenate([[0], np.cumsum(trials.updated)[:-1]])
        each = b * np.sqrt(1.0 + before) if variant == "adaptive" else np.full(len(y), b)
        chances.append(float(np.sum(each / (each + np.abs(trials.scores)))))
        close.append(int(np.sum(np.abs(trials.scores) < m)))
        most = max(most, learner.updates)
        spread = math.sqrt(float(np.sum(each * np.abs(trials.scores) / (each + np.abs(trials.scores)) ** 2)))
        assert abs(learner.asked - chances[-1]) <= 5.0 * spread + 1e-9
    return float(np.mean(chances)), float(np.mean(close)), most


@shows("labelefficient-labels")
def labels() -> Iterator[Seen]:
    """A row of a basis is asked for at once, and then has the score 1 for ever."""
    for X, y, m in (
        (EYE, ONES, 1.0),
        (*mislabelled(0, 0.0)[:2], 0.5),
        (*mislabelled(1, 0.05)[:2], 2.0),
    ):
        for b in (0.2, 2.0):
            expected, close, _ = asked("constant", b, X, y, m)
            yield Seen(expected, bounds.LabelEfficientLabels(T=len(y), m=m, close=close, b=b))


@shows("labelefficient-adaptive-labels")
def adaptive_labels() -> Iterator[Seen]:
    for X, y, m in (
        (EYE, ONES, 1.0),
        (*mislabelled(0, 0.0)[:2], 0.5),
        (*mislabelled(1, 0.05)[:2], 2.0),
    ):
        for b in (0.2, 2.0):
            expected, close, most = asked("adaptive", b, X, y, m)
            given = {"T": len(y), "m": m, "close": close, "b": b, "R": 1.0 + 1e-12, "updates": most}
            yield Seen(expected, bounds.LabelEfficientAdaptiveLabels(**given))


def second_asked(b: float, X: np.ndarray, y: np.ndarray, m: float) -> tuple[float, float]:
    """Expected labels and close rounds of the second-order variant, with scores r / (1 + q) by an explicit inverse."""
    chances, close = [], []
    for coin in COINS:
        learner = dl.LabelEfficient("secondorderperceptron", b, "second", coin, bias=False)
        trials = learner.test_then_train(X, y)
        A, total, near = np.eye(X.shape[1]), 0.0, 0
        for x, r, updated in zip(X, trials.scores, trials.updated, strict=True):
            q = float(x @ np.linalg.solve(A, x))
            s = abs(r) / (1.0 + q)
            total += b / (b + s + 0.5 * s * s * (1.0 + q))
            near += s < m
            A += np.outer(x, x) * updated
        chances.append(total)
        close.append(near)
    return float(np.mean(chances)), float(np.mean(close))


@shows("labelefficient-second-order-labels")
def second_order_labels() -> Iterator[Seen]:
    for X, y, m in ((EYE, ONES, 0.3), (*(part[:150] for part in mislabelled(1, 0.05)[:2]), 0.2)):
        for b in (0.1, 1.0):
            expected, close = second_asked(b, X, y, m)
            yield Seen(expected, bounds.LabelEfficientSecondOrderLabels(T=len(y), m=m, close=close, b=b))


@breaks("labelefficient-labels", "labelefficient-adaptive-labels", "labelefficient-second-order-labels")
def scores_that_are_said_to_be_far() -> Broken:
    """Rows that are met once have the score 0: all are asked for, and none may be left out of ``close``."""
    learners = [
        dl.LabelEfficient(base, 0.5, variant, bias=False)
        for base, variant in (
            ("perceptron", "constant"),
            ("perceptron", "adaptive"),
            ("secondorderperceptron", "second"),
        )
    ]
    for learner in learners:
        learner.learn_many(EYE[:N], ONES[:N])
    allowed = bounds.LabelEfficientAdaptiveLabels(T=N, m=1.0, close=0.0, b=0.5, R=1.0, updates=N)
    return Broken(min(learner.asked for learner in learners), allowed.value)
