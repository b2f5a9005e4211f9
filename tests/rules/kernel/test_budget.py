"""Budgets of support vectors: every eviction policy against its oracle, and what it guarantees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import kernels, rules
from driftline.engines.state import NORM
from driftline.rules.kernel.support_vectors import DAMAGE, MISTAKES
from driftline.rules.kernel.truncation import truncation_error
from tests.oracles.kernel import Kernelized, Projectron
from tests.support.bitwise import refused
from tests.support.kernel_checks import close, engine_of
from tests.support.linear_cases import separable, stream

GAUSSIAN = kernels.Gaussian(0.3)
EVICTIONS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("oldest", "norma", {"alpha": 0.5, "lam": 0.02, "rho": 1.0}, {"budget": 30}),
    ("oldest", "l2pa", {"beta": 2.0, "when": "margin"}, {"budget": 16}),
    ("oldest", "pa1", {"C": 0.5, "when": "margin"}, {"budget": 1}),
    ("smallest", "pa1", {"C": 0.5, "when": "margin"}, {"budget": 30}),
    ("smallest", "alma", {"alpha": 0.5, "B": 2.0, "rho": 1.0}, {"budget": 17}),
    ("random", "pa1", {"C": 0.5, "when": "margin"}, {"budget": 30, "seed": 5}),
    ("random", "projectionperceptron", {"eta": 0.7, "radius": 1.5}, {"budget": 12}),
    ("age", "norma", {"alpha": 0.5, "lam": 0.1, "rho": 1.0}, {"age": 40}),
    ("age", "norma", {"alpha": 0.5, "lam": 0.1, "rho": 1.0}, {"age": 40, "budget": 10}),
    ("age", "shrunkpa", {"alpha": 0.1, "when": "margin"}, {"age": 50}),
    ("age", "l2pa", {"beta": 2.0, "when": "margin"}, {"age": 25}),
    ("age", "perceptron", {}, {"age": 1}),
    ("forgetron", "perceptron", {}, {"budget": 20}),
    ("forgetron", "perceptron", {}, {"budget": 1}),
]


@pytest.mark.parametrize(("evict", "name", "parameters", "given"), EVICTIONS, ids=str)
@pytest.mark.parametrize("kernel", [GAUSSIAN, kernels.Linear()], ids=["rbf", "linear"])
def test_every_eviction_is_its_oracle(
    evict: str, name: str, parameters: dict[str, Any], given: dict[str, Any], kernel: kernels.Kernel
) -> None:
    data = stream(21, rounds=500, n=3)
    X = data.X / np.linalg.norm(data.X, axis=1).max()
    oracle = Kernelized(kernel.between(X, X), name, parameters, evict=evict, **given)
    learner = dl.Kernelized(dl.REGISTRY[name](**parameters), kernel, evict=evict, bias=False, **given)
    for t, (x, y) in enumerate(zip(X, data.y, strict=True)):
        close(learner.learn_one(x, y), oracle.learn(t, y), 1e-8)
        assert learner.support() == len(oracle.live) <= given.get("budget", 500)
    assert learner.updates == oracle.updates > 20
    norm = math.sqrt(oracle.w_sq)
    assert learner._engine.extent()[0] == pytest.approx(norm, rel=1e-8, abs=1e-8)
    assert oracle.dropped > 5


@pytest.mark.parametrize("given", [{}, {"evict": "smallest"}, {"evict": "random"}, {"evict": "forgetron"}], ids=str)
def test_memory_is_constant(given: dict[str, Any]) -> None:
    data = stream(22, rounds=3000, n=4, noise=0.3)
    learner = dl.Kernelized("perceptron", GAUSSIAN, budget=50, **given)
    sizes = []
    for start in range(0, 3000, 500):
        learner.learn_many(data.X[start : start + 500], data.y[start : start + 500])
        sizes.append([array.nbytes for array in engine_of(learner).expansion])
        assert learner.support() == 50
    assert all(one == sizes[0] for one in sizes)
    assert learner.updates > 300


def test_memory_is_constant_by_age() -> None:
    data = stream(23, rounds=5000, n=4, noise=0.3)
    learner = dl.Kernelized("norma(lam=0.1)", GAUSSIAN, evict="age", age=60)
    highest = 0
    for x, y in zip(data.X, data.y, strict=True):
        learner.learn_one(x, y)
        highest = max(highest, learner.support())
    assert 30 < highest <= 60
    assert engine_of(learner).expansion.k.size <= 64


def test_random_goes_by_its_seed() -> None:
    data = stream(24, rounds=400, n=3, noise=0.2)
    scores = [
        dl.Kernelized("pa1", GAUSSIAN, budget=20, evict="random", seed=seed).learn_many(data.X, data.y).tolist()
        for seed in (1, 1, 2)
    ]
    assert scores[0] == scores[1] != scores[2]


# ages -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("alpha", "lam"), [(1.0, 0.05), (0.5, 0.2)])
@pytest.mark.parametrize("age", [10, 60])
def test_norma_without_the_old_is_as_near_as_promised(alpha: float, lam: float, age: int) -> None:
    """The same updates, with and without the support vectors that are too old: rho so high that all rounds update."""
    data = stream(25, rounds=300, n=2)
    rule = rules.NORMA(alpha, lam, 1e6)
    whole = dl.Kernelized(rule, GAUSSIAN)
    cut = dl.Kernelized(rule, GAUSSIAN, evict="age", age=age)
    same = np.ones(300)  # one label: every truncated term is positive, so the error is as large as it can be
    apart = np.abs(whole.learn_many(data.X * 0.01, same) - cut.learn_many(data.X * 0.01, same)).max()
    bound = truncation_error(rule, age)
    assert 0.5 * bound < apart <= bound
    assert cut.support() == age


@pytest.mark.parametrize("age", [5, 30])
def test_shrunk_pa_without_the_old_is_as_near_as_promised(age: int) -> None:
    data = stream(26, rounds=400, n=2, noise=0.5)
    rule = rules.ShrunkPA(0.1, when="mistake")
    oracle = Kernelized(GAUSSIAN.between(data.X, data.X), "shrunkpa", {"alpha": 0.1, "when": "mistake"})
    bound, worst = truncation_error(rule, age), 0.0
    for t, y in enumerate(data.y):
        oracle.learn(t, y)
        old = [i for i in oracle.live if oracle.clock - oracle.came[i] >= age]
        worst = max(worst, float(np.abs(oracle.c[old] @ oracle.G[old]).max(initial=0.0)))
    assert 0.001 * bound < worst <= bound


@pytest.mark.parametrize("learner", ["norma(lam=0.05)", "norma(alpha=0.3, lam=1)", "shrunkpa(alpha=0.1)"])
@pytest.mark.parametrize("epsilon", [10.0, 0.1, 1e-6])
def test_epsilon_is_the_least_age_that_is_near_enough(learner: str, epsilon: float) -> None:
    rule = dl.Kernelized(learner, "rbf", evict="age", epsilon=epsilon).rule
    assert isinstance(rule, rules.Kernelized) and rule.oldest is not None
    base = rule.learner
    assert isinstance(base, rules.NORMA | rules.ShrunkPA)
    assert truncation_error(base, rule.oldest) <= epsilon * (1.0 + 1e-12)
    assert rule.oldest == 1 or truncation_error(base, rule.oldest - 1) > epsilon


def test_what_never_forgets_has_no_bound() -> None:
    assert truncation_error(rules.NORMA(lam=0.0), 9) == truncation_error(rules.ShrunkPA(0.0), 9) == math.inf


# the Forgetron --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("budget", [1, 5, 50])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_damage_of_the_forgetron_stays_within_its_limit(budget: int, noise: float) -> None:
    data = stream(27, rounds=800, n=3, noise=noise)
    learner = dl.Kernelized("perceptron", GAUSSIAN, budget, "forgetron")
    for x, y in zip(data.X, data.y, strict=True):
        learner.learn_one(x, y)
        ring = engine_of(learner).expansion.ring
        assert ring[DAMAGE] <= 15.0 / 32.0 * ring[MISTAKES] * (1.0 + 1e-12)
        assert learner.support() <= budget
    assert ring[MISTAKES] == learner.mistakes > budget
    assert ring[DAMAGE] > 0.3 * ring[MISTAKES]


@pytest.mark.parametrize("budget", [100, 400])
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_forgetron_keeps_its_mistake_bound(budget: int, noise: float) -> None:
    longest = 0.25 * math.sqrt((budget + 1) / math.log(budget + 1))
    data, u = separable(28, 4000, 6, 0.3)
    flipped = np.random.default_rng(0).random(4000) < noise
    y = np.where(flipped, -data.y, data.y)
    learner = dl.Kernelized("perceptron", "linear", budget, "forgetron", bias=False)
    learner.learn_many(data.X, y)
    bounds = []
    for size in np.linspace(0.1, longest, 20):
        hinge = np.maximum(0.0, 1.0 - y * (data.X @ (size * u))).sum()
        bounds.append(2.0 * size**2 + 4.0 * hinge)
    assert 1 < learner.mistakes <= min(bounds)


def test_the_forgetron_needs_short_examples() -> None:
    learner = dl.Kernelized("perceptron", "linear", 5, "forgetron", bias=False)
    with refused(learner, "k(x, x) <= 1, as the Forgetron demands", "got 4"):
        learner.learn_one([2.0], 1)
    learner.learn_one([1.0], 1)
    dl.Kernelized("perceptron", "linear", 5, "forgetron", scale="unit").learn_one([2.0], 1)


# Projectron++ ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("eta", "budget"), [(0.05, None), (0.3, None), (0.8, None), (0.3, 8)])
def test_the_projectron_is_its_oracle(eta: float, budget: int | None) -> None:
    data = stream(29, rounds=400, n=2, noise=0.1)
    oracle = Projectron(GAUSSIAN.between(data.X, data.X), eta, budget)
    learner = dl.Kernelized("perceptron", GAUSSIAN, budget, "projectron", eta=eta)
    close(learner.learn_many(data.X, data.y), [oracle.learn(t, y) for t, y in enumerate(data.y)], 1e-7)
    assert learner.support() == len(oracle.live) < 0.7 * learner.mistakes
    assert learner.updates == oracle.updates > learner.mistakes
    due = float(oracle.c @ oracle.G @ oracle.c)
    assert engine_of(learner).state[NORM] == pytest.approx(due, rel=1e-7)


def test_a_projectron_of_small_eta_is_the_kernel_perceptron() -> None:
    data = stream(30, rounds=300, n=5)
    plain = dl.Kernelized("perceptron", GAUSSIAN)
    learner = dl.Kernelized("perceptron", GAUSSIAN, evict="projectron", eta=1e-9)
    close(learner.learn_many(data.X, data.y), plain.learn_many(data.X, data.y))
    assert learner.updates == plain.updates and learner.support() == plain.support() > 30


def test_the_projectron_stays_small_where_the_perceptron_grows() -> None:
    data = stream(31, rounds=4000, n=2, noise=0.2)
    X = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
    plain = dl.Kernelized("perceptron", GAUSSIAN)
    learner = dl.Kernelized("perceptron", GAUSSIAN, evict="projectron", eta=0.1)
    for one in (plain, learner):
        one.learn_many(X, data.y)
    assert plain.support() > 1000 and learner.support() < 20
    capped = dl.Kernelized("perceptron", GAUSSIAN, evict="projectron", eta=0.1, most=3)
    with refused(capped, "support vector 4 of at most 3"):
        capped.learn_many(X, data.y)
