"""Averaged: the lazy average is the mean of the weights used, for every two-number rule."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import rules
from driftline.engines.composed.averaged import ROUNDS, SCALES
from driftline.engines.state import FIRST, SCALE, SMALLEST
from driftline.learners import LINEAR
from driftline.rules.composed.averaged import LEAST
from tests.oracles.composed import Averaged
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import CASES, WEIGHTS, Case, Stream, separable, stream, weights_of

TWO_NUMBERS = [
    case
    for case in CASES
    if case.parameters.get("p", 2.0) == 2.0
    and not case.parameters.get("sigma")
    and "region" not in case.parameters
    and case.name != "l1pa"
]
every_rule = pytest.mark.parametrize("case", TWO_NUMBERS, ids=str)


def rounds(case: Case) -> Stream:
    """ROMMA needs data that can be separated: on others its weights grow until rounding decides."""
    if case.name == "romma":
        data, _ = separable(13, 700, 8, 0.02)
        return Stream(data.X, data.y, np.random.default_rng(13).choice(WEIGHTS, size=700))
    return stream(3, rounds=700, weights=WEIGHTS, density=0.7, decades=1.0)


def averaged(case: Case, **options: Any) -> dl.Averaged:
    return dl.Averaged(case.learner(), **options)


@every_rule
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_it_is_the_mean_of_the_hypotheses_used(case: Case, sparse: bool) -> None:
    data = rounds(case)
    oracle = Averaged(case.oracle(9))
    means, scores = [oracle.w], []
    for row, y, weight in zip(data.X, data.y, data.w, strict=True):
        scores.append(oracle.learn(np.concatenate([[1.0], row]), y, weight))
        means.append(oracle.w)
    largest = oracle.largest
    X = data.csr if sparse else data.X
    learner = averaged(case)
    for start in range(0, 700, 100):
        part = slice(start, start + 100)
        got = learner.learn_many(X[part], data.y[part], data.w[part])
        lengths = 1.0 + np.abs(data.X[part]).sum(axis=1)
        assert (np.abs(got - scores[part]) <= 1e-9 * largest * lengths).all()
        assert np.abs(weights_of(learner, 8) - means[start + 100]).max() <= 1e-9 * largest
    assert learner.online == oracle.online > 0
    assert learner.updates == case.learner().test_then_train(X, data.y, data.w).updated.sum()
    assert learner._engine.arrays()["totals"][ROUNDS] == np.count_nonzero(data.w)


def test_every_kind_of_rule_is_averaged() -> None:
    assert {case.name for case in TWO_NUMBERS} == set(LINEAR) - {"l1pa"}


@pytest.mark.parametrize(
    "base", [dl.NORMA(0.5, 0.4), dl.ShrunkPA(1.0), dl.ALMA(1.0, 0.1), dl.NORMA(1.0, 1e-3)], ids=repr
)
def test_shrinking_costs_no_digits(base: dl.Learner) -> None:
    """A v and z grow as 1 / scale and nearly cancel; with the scale of other engines nothing would be left."""
    data = stream(5, rounds=20_000, n=4)
    twin, learner = deepcopy(base), dl.Averaged(base)
    total, most = np.zeros(5), 0.0
    for x, y in zip(data.X, data.y, strict=True):
        total += weights_of(twin, 4)
        twin.learn_one(x, y)
        learner.learn_one(x, y)
        most = max(most, abs(learner._engine.arrays()["totals"][SCALES]))
    scale = np.abs(weights_of(twin, 4)).max()
    assert np.abs(weights_of(learner, 4) - total / 20_000).max() <= 1e-11 * scale
    assert most < 20_000
    careless = dl.Averaged(learner.rule.learner)
    careless._engine.state[SMALLEST] = 1e-100
    careless.learn_many(data.X, data.y)
    if base.rule != rules.NORMA(1.0, 1e-3):
        assert np.abs(weights_of(careless, 4) - total / 20_000).max() > 1e-7 * scale
    assert LEAST <= learner._engine.state[SCALE] <= 1.0 / LEAST


def test_many_rounds_cost_few_digits() -> None:
    """The sum after 10^5 rounds, against one that is rounded once."""
    data = stream(6, rounds=100_000, n=3, noise=0.2)
    twin, learner = dl.PA1(0.1), dl.Averaged("pa1(C=0.1)")
    terms = np.empty((100_000, 4))
    for i, (x, y) in enumerate(zip(data.X, data.y, strict=True)):
        terms[i] = weights_of(twin, 3)
        twin.learn_one(x, y)
    learner.learn_many(data.X, data.y)
    exact = np.array([math.fsum(column) for column in terms.T.tolist()]) / 100_000
    assert twin.updates > 10_000
    assert np.abs(weights_of(learner, 3) - exact).max() <= 1e-12 * np.abs(terms).max()


def test_before_any_round_it_is_zero() -> None:
    learner = dl.Averaged(dl.PA1(), labels=(-1.0, 1.0))
    assert learner.score_one({"a": 1.0}) == 0.0 and learner.weights() == {}
    assert learner.learn_one({"a": 1.0}, 1.0) == 0.0
    assert learner.score_one({"a": 1.0}) == 0.0  # one hypothesis was used: 0
    learner.learn_one({"a": 1.0}, 1.0)
    assert learner.score_one({"a": 1.0}) == 0.5


def test_features_that_come_later_were_zero_before() -> None:
    learner, twin = dl.Averaged(bias=False), dl.Perceptron(bias=False)
    sums: dict[str, float] = {}
    examples = [({f"f{i % (1 + i // 3)}": 1.0, "z": 0.5 * (-1) ** i}, bool(i % 3)) for i in range(120)]
    for x, y in examples:
        for name, weight in twin.weights().items():
            sums[name] = sums.get(name, 0.0) + weight
        twin.learn_one(x, y)
        learner.learn_one(x, y)
    due = {name: total / 120 for name, total in sums.items() if total}
    assert learner.weights() == pytest.approx(due, abs=1e-13)
    assert learner.n_features > 30


def test_noise_hurts_the_average_less() -> None:
    data = stream(8, rounds=4000, n=6, drift=0.0, noise=0.2)
    average, last = dl.Averaged(bias=False), dl.Perceptron(bias=False)
    average.learn_many(data.X, data.y)
    last.learn_many(data.X, data.y)
    assert average.online == last.mistakes
    assert average.mistakes < 0.75 * last.mistakes


@pytest.mark.parametrize("seed", range(4))
def test_the_hypotheses_keep_the_perceptron_bound(seed: int) -> None:
    """Updates <= R^2 / gamma^2; and an average of hypotheses that are right is right."""
    data, u = separable(seed, 400, 6, 0.1)
    gamma = float(np.min(data.y * (data.X @ u)))
    learner = dl.Averaged(bias=False)
    for _ in range(60):
        learner.learn_many(data.X, data.y)
    assert 5 < learner.online == learner.updates <= 1.0 / gamma**2
    before = learner.mistakes
    learner.learn_many(data.X, data.y)
    assert learner.mistakes - before < 0.02 * 400


def test_parts_and_options() -> None:
    by_text = dl.Averaged("norma(alpha=0.5, lam=0.01)", scale="unit")
    assert by_text.rule == rules.Averaged(rules.NORMA(0.5, 0.01)) and by_text.options["scale"] == "unit"
    by_rule, by_learner = dl.Averaged(rules.NORMA(0.5, 0.01)), dl.Averaged(dl.NORMA(0.5, 0.01, bias=False))
    assert by_rule.rule == by_learner.rule == by_text.rule
    assert by_learner.options["bias"] is False
    assert repr(dl.Averaged()) == "Averaged(learner=Perceptron())"


@pytest.mark.parametrize(
    "base", ["l1pa", "pnormperceptron(p=3)", "norma(p=3)", "l2pa(sigma=0.1)", "averaged", dl.L1PA(), rules.ALMA(p=4.0)]
)
def test_what_has_no_average(base: Any) -> None:
    with pytest.raises(ValueError, match=r"^Averaged: learner must be .*, got .*\. Average PA1"):
        dl.Averaged(base)


def test_other_wrong_parts() -> None:
    used = dl.PA1()
    used.learn_one({"a": 1.0}, True)
    for wrong in ("pa17", 3, None, used, "pa1("):
        with pytest.raises(ValueError, match=r"^Averaged: .*must .*, got .*\. [A-Z]"):
            dl.Averaged(wrong)
    with pytest.raises(ValueError, match="dtype must be 'float64'"):
        dl.Averaged(dl.PA1(dtype="float32"))


def test_what_the_rule_refuses_changes_nothing() -> None:
    learner = dl.Averaged(dl.L2PA(0.5, infeasible="raise", bias=False))
    X = np.array([[2.0, 1.0], [-3.0, 0.5], [0.1, 0.2], [2.0, -2.0]])
    y = np.array([1.0, -1.0, -1.0, 1.0])
    twin = dl.Averaged(dl.L2PA(0.5, infeasible="raise", bias=False))
    with refused(learner, "row 2", "beta = 0.5"):
        learner.learn_many(X, y)
    learner.learn_many(X[:2], y[:2])
    with refused(learner, "beta = 0.5"):
        learner.learn_one(X[2], y[2])
    with refused(learner, "beta = 0.5"):
        learner.learn_many(X[2:], y[2:])
    learner.learn_one(X[3], y[3])
    for i in (0, 1, 3):
        twin.learn_one(X[i], y[i])
    assert_same(snapshot(learner), snapshot(twin))


@pytest.mark.parametrize(
    ("name", "place", "value"), [("totals", SCALES, math.nan), ("totals", ROUNDS, -1.0), ("totals", ROUNDS, 1.0)]
)
def test_saved_totals_must_be_possible(name: str, place: int, value: float) -> None:
    learner = dl.Averaged()
    learner.learn_many(np.eye(3), [1.0, -1.0, 1.0])
    arrays = {key: array.copy() for key, array in learner._engine.saved(3).items()}
    dl.Averaged()._engine.restore(3, arrays)
    arrays[name][place] = value
    with pytest.raises(ValueError, match="totals"):
        dl.Averaged()._engine.restore(3, arrays)
    arrays["z"] = np.zeros(FIRST)
    with pytest.raises(ValueError, match="z of shape"):
        dl.Averaged()._engine.restore(3, arrays)
