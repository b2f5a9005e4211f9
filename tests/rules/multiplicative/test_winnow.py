"""Winnow and BalancedWinnow: agreement with their oracles, bounds, numerics, and bad input."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.state import FIRST
from tests.oracles.multiplicative import BalancedWinnow, Winnow
from tests.support.bitwise import refused, snapshot
from tests.support.linear_cases import stream
from tests.support.positive_rows import positive_rows
from tests.support.quantities import entropy

SEEDS = range(3)
every_seed = pytest.mark.parametrize("seed", SEEDS)


# the formulas ---------------------------------------------------------------------------------------------------------
@every_seed
@pytest.mark.parametrize("theta, beta", [(1.0, 1.5), (2.5, 1.1), (0.3, 4.0)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_winnow_is_as_its_formula_says(theta: float, beta: float, bias: bool, sparse: bool, seed: int) -> None:
    X, y, weights = positive_rows(seed)
    oracle = Winnow(7 + bias, theta, beta)
    rows = np.hstack([np.ones((len(X), int(bias))), X])
    scores = [oracle.learn(*one) for one in zip(rows, y, weights, strict=True)]
    learner = dl.Winnow(theta, beta, bias=bias)
    found = learner.learn_many(csr_matrix(X) if sparse else X, y, weights)
    assert found == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert learner.updates == oracle.updates > 50
    known = learner._engine.weights()
    assert known[FIRST:] == pytest.approx(oracle.w[int(bias) :], rel=1e-9)
    assert known[0] == (pytest.approx(oracle.w[0], rel=1e-9) if bias else 0.0)


@every_seed
@pytest.mark.parametrize("eta", [0.02, 0.5])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_balanced_winnow_is_as_its_formula_says(eta: float, bias: bool, sparse: bool, seed: int) -> None:
    data = stream(seed, rounds=600, density=0.6, weights=(0.0, 0.3, 1.0, 1.7))
    oracle = BalancedWinnow(8 + bias, eta)
    rows = np.hstack([np.ones((600, int(bias))), data.X])
    scores = [oracle.learn(*one) for one in zip(rows, data.y, data.w, strict=True)]
    learner = dl.BalancedWinnow(eta, bias=bias)
    found = learner.learn_many(data.csr if sparse else data.X, data.y, data.w)
    assert found == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert learner.updates == oracle.updates > 50
    assert learner._engine.weights()[FIRST : FIRST + 8] == pytest.approx(oracle.w[int(bias) :], rel=1e-9, abs=1e-9)


# bounds ---------------------------------------------------------------------------------------------------------------
def b_winnow01(n: int, theta: float, delta: float, U: float, beta: float) -> float:
    room = 1.0 - (1.0 - delta) * beta
    u = (U * (1.0 + math.log(theta) / math.log(beta)) + (1.0 - delta) * beta / (beta - 1.0) * n / theta) / room
    return (1.0 + beta) * u + beta / (beta - 1.0) * n / theta


def b_winnow01_simple(n: int, theta: float, delta: float, U: float) -> float:
    return 8.0 / delta**2 * n / theta + (4.0 / delta + 8.0 * math.log(theta) / delta**2) * U


def real_constants(delta: float, U: float, beta: float) -> tuple[float, float]:
    room = 1.0 / beta - 1.0 + delta
    return U * (1.0 + 1.0 / beta) / (room * math.log(beta)), ((1.0 + 1.0 / beta) / room - 1.0) / (beta - 1.0)


def b_winnow_real(n: int, theta: float, delta: float, U: float, H: float, beta: float) -> float:
    A, B = real_constants(delta, U, beta)
    return A * (math.log(A * theta / (math.e * B)) - H) + B * n / theta


def b_balanced(n: int, gamma: float, X: float, H: float, eta: float | None = None) -> float:
    if eta is None:
        return 2.0 * X * X * (math.log(2 * n) - H) / gamma**2
    return (math.log(2 * n) - H) / (eta * gamma - math.log(math.cosh(eta * X)))


def thresholds(seed: int, n: int, r: int, k: int, density: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of 0 and 1, the labels of "r of the first k", and the target at threshold 1, whose gap is 1 / r."""
    X = (np.random.default_rng(seed).random((400, n)) < density).astype(float)
    mu = np.zeros(n)
    mu[:k] = 1.0 / r
    return np.vstack([X] * 4), np.tile(X[:, :k].sum(axis=1) >= r, 4), mu


@every_seed
@pytest.mark.parametrize("n", [10, 80])
@pytest.mark.parametrize("r, k, density", [(1, 1, 0.3), (1, 3, 0.05), (2, 4, 0.5), (4, 6, 0.5)])
def test_winnow_on_0_and_1(n: int, r: int, k: int, density: float, seed: int) -> None:
    X, y, mu = thresholds(seed, n, r, k, density)
    delta, U, H = 1.0 / r, mu.sum(), entropy(mu)
    beta = 1.0 + delta / 2.0
    for theta in (1.0, n / 2.0, float(n)):
        learner = dl.Winnow(theta, beta, bias=False)
        trials = learner.test_then_train(X, y)
        bound = b_winnow01(n, theta, delta, U, beta)
        assert 0 < learner.updates <= bound <= b_winnow01_simple(n, theta, delta, U)
        assert learner.updates == learner.label_errors <= b_winnow_real(n, theta, delta, U, H, beta)
        promoted = int((trials.updated & (trials.y > 0.0)).sum())
        assert learner.updates - promoted <= beta / (beta - 1.0) * n / theta + beta * promoted
        assert max(learner.weights().values()) <= beta * theta * (1.0 + 1e-9)


@every_seed
@pytest.mark.parametrize("beta", [1.2, 2.0, 3.59, 6.0])
@pytest.mark.parametrize("k", [1, 3])
def test_few_literals_among_many(k: int, beta: float, seed: int) -> None:
    """With the best theta, A (ln n - H): 3.59 k ln(n / k) at beta = 3.59."""
    n = 300
    X, y, mu = thresholds(seed, n, 1, k, 0.3 / k)
    A, B = real_constants(1.0, mu.sum(), beta)
    learner = dl.Winnow(n * B / A, beta, bias=False)
    learner.learn_many(X, y)
    assert 0.1 * A * math.log(n / k) < learner.updates <= A * math.log(n / k)
    if beta == 3.59:
        assert pytest.approx(3.59 * k, abs=0.01 * k) == A
    perceptron = dl.Perceptron()
    perceptron.learn_many(X, y)
    assert perceptron.mistakes > learner.updates


@every_seed
@pytest.mark.parametrize("delta", [0.2, 0.5])
@pytest.mark.parametrize("n, power", [(5, 1), (20, 3), (60, 3)])
def test_winnow_between_0_and_1(n: int, power: int, delta: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mu = np.zeros(n)
    mu[:3] = rng.uniform(0.5, 2.5, 3)
    X = rng.random((1500, n)) ** power
    X = X[(X @ mu >= 1.0) | (X @ mu <= 1.0 - delta)][:500]
    y = X @ mu >= 1.0
    beta = 1.0 + delta / 2.0
    for theta in (0.5, 1.0, n / 2.0):
        learner = dl.Winnow(theta, beta, bias=False)
        learner.learn_many(np.vstack([X] * 3), np.tile(y, 3))
        assert 0 < learner.updates <= b_winnow_real(n, theta, delta, mu.sum(), entropy(mu), beta)


def test_the_target_threshold_is_not_theta() -> None:
    """The printed theorem: a target at threshold theta, with beta = 1 + delta / 2. Every round is then a mistake."""
    n, theta, delta = 90, 10.1, 1.0
    mu = np.full(n, 1.01)
    positives = [np.isin(np.arange(n), np.arange(10 * i, 10 * i + 10)) for i in range(9)]
    negatives = [np.isin(np.arange(n), np.arange(9 * i, 9 * i + 9)) for i in range(10)]
    X = np.array(positives + negatives, float)
    y = np.array([1] * 9 + [0] * 10)
    assert (X[:9] @ mu >= theta - 1e-9).all() and (X[9:] @ mu <= theta - delta + 1e-9).all()
    X, y = np.vstack([X] * 100), np.tile(y, 100)
    wrong = dl.Winnow(theta, 1.0 + delta / 2.0, bias=False)
    wrong.learn_many(X, y)
    assert wrong.updates == wrong.label_errors == len(y) == 1900
    right = dl.Winnow(theta, 1.0 + delta / (2.0 * theta), bias=False)
    right.learn_many(X, y)
    gap, U = delta / theta, mu.sum() / theta
    assert right.updates <= b_winnow_real(n, theta, gap, U, math.log(n), 1.0 + gap / 2.0)
    assert right.updates <= b_winnow01(n, theta, gap, U, 1.0 + gap / 2.0)
    assert right.updates < 100


def test_weights_of_fractional_features_pass_beta_theta() -> None:
    """The lemma w <= beta theta holds for 0 and 1 only."""
    learner = dl.Winnow(2.0, 1.5, bias=False)
    learner.learn_many(np.full((400, 1), 0.05), np.ones(400))
    assert learner.weights()[0] > 13.0 * 1.5 * 2.0


@every_seed
@pytest.mark.parametrize("n", [5, 80])
@pytest.mark.parametrize("signs", [False, True])
def test_balanced_winnow(n: int, signs: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u = np.zeros(n)
    u[:3] = rng.normal(size=3)
    u /= np.abs(u).sum()
    X = rng.choice([-1.0, 1.0], (2000, n)) if signs else rng.uniform(-1.0, 1.0, (2000, n))
    X = X[np.abs(X @ u) >= 0.1][:300]
    y = np.sign(X @ u)
    gamma, highest, H = np.min(y * (X @ u)), np.abs(X).max(), entropy(np.abs(u))
    steep = math.atanh(min(gamma / highest, 1.0 - 1e-9)) / highest
    for eta, bound in (
        (gamma / highest**2, b_balanced(n, gamma, highest, H)),
        (steep, b_balanced(n, gamma, highest, H, steep)),
    ):
        learner = dl.BalancedWinnow(eta, bias=False)
        learner.learn_many(np.vstack([X, X]), np.tile(y, 2))
        assert 1 < learner.updates <= bound
    flipped = np.where(rng.random(len(y)) < 0.1, -y, y)
    learner = dl.BalancedWinnow(0.2 / highest**2, bias=False)
    trials = learner.test_then_train(X, flipped)
    hinge = np.maximum(0.0, 1.0 - flipped * (X @ u) / 0.2)[trials.updated].sum()
    assert learner.updates <= b_balanced(n, 0.2, highest, H) + 2.0 * hinge


def test_one_literal_of_eight_reaches_the_balanced_bound() -> None:
    """Each row halves the 16 literals that are left: lg 16 mistakes, which is the bound where gamma = X."""
    X = np.array([[(-1.0) ** (i >> t & 1) if t < 3 else 1.0 for i in range(8)] for t in (3, 2, 1, 0)])
    eta = math.atanh(1.0 - 1e-9)
    learner = dl.BalancedWinnow(eta, bias=False)
    learner.learn_many(np.vstack([X, X]), np.ones(8))
    assert learner.updates == 4 == pytest.approx(b_balanced(8, 1.0, 1.0, 0.0, eta), rel=1e-6)


# numbers --------------------------------------------------------------------------------------------------------------
def test_no_log_weight_is_too_large() -> None:
    """Weights of e^(+-1e12): the sign is that of the largest log weight against ln(theta)."""
    learner = dl.Winnow(3.0, 2.0, bias=False)
    for row, y in (([1e3, 0.0, 0.0], 1), ([0.0, 1e3, 0.0], 0)):
        for _ in range(3):
            learner.learn_one(row, y, 1e9)
            learner.learn_one([0.0, 0.0, 5.0], 0, 0.0)
    a = learner._engine.v[FIRST : FIRST + 3]
    assert a[0] == 0.0 and a[1] < -1e11 and a[2] == 0.0  # 1000 >= 3 already: the first was never wrong
    learner.learn_one([1e-3, 0.0, 0.0], 1, 1e9)
    learner.learn_one([1e-3, 0.0, 0.0], 1, 1e9)
    assert learner._engine.v[FIRST] > 1e5
    assert learner.score_one([1e-50, 1.0, 0.0]) == 1.0
    assert learner.score_one([0.0, 1.0, 0.0]) == -1.0
    assert learner.score_one([0.0, 1.0, 3.0]) == 0.0
    assert all(math.isfinite(value) for value in learner.weights().values())
    assert math.isfinite(learner._engine.extent()[0])


def test_balanced_scores_are_finite_and_of_the_right_sign() -> None:
    """z = 1e6 and 1e6 - 1: sinh overflows, but 1 - c e^-eta has a sign."""
    for eta in (0.5, 2.0):
        learner = dl.BalancedWinnow(eta, bias=False)
        learner.learn_many(np.diag([1e6, 1e6 - 1.0, 0.0]), [1, 1, 1])
        for c in (0.1, 1.6, 1.7, 7.0, 8.0):
            score = learner.score_one([1.0, -c, 1.0])
            assert math.isfinite(score)
            assert (score > 0.0) == (1.0 - c * math.exp(-eta) > 0.0)
        assert learner.score_one([1.0, 0.0, 0.0]) == pytest.approx(eta * 1e6, rel=1e-12)
        assert learner.score_one([0.0, 0.0, 1.0]) == 0.0
        assert all(math.isfinite(value) for value in learner.weights().values())


def test_scores_rise_with_the_sum_across_the_far_branch() -> None:
    learner = dl.BalancedWinnow(1.0, bias=False)
    learner.learn_one([1.0], 1, 29.0)
    scores = [learner.score_one([x]) for x in np.linspace(0.5, 20.0, 400)]
    assert all(a < b for a, b in pairwise(scores))
    assert scores == pytest.approx([math.asinh(x * math.sinh(29.0)) for x in np.linspace(0.5, 20.0, 400)], rel=1e-12)


@pytest.mark.parametrize("eta", [1e-6, 1e-14, 1e-17, 1e-100])
def test_a_small_eta_is_the_perceptron(eta: float) -> None:
    """sinh(eta z) is eta z, to the last bits of it."""
    data = stream(5, 500, 4, noise=0.1)
    plain, learner = dl.Perceptron(bias=False), dl.BalancedWinnow(eta, bias=False)
    plain.learn_many(data.X, data.y)
    learner.learn_many(data.X, data.y)
    assert learner.updates == plain.updates > 50
    assert learner.score_many(data.X) / eta == pytest.approx(plain.score_many(data.X), rel=1e-9)


# what is a feature ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("make", [dl.Winnow, dl.BalancedWinnow])
def test_a_zero_is_no_feature(make: Any) -> None:
    plain, zeros = make(), make()
    for x, y in (({"a": 1.0}, 1), ({"b": 0.5}, 0), ({"a": 0.2, "b": 1.0}, 1), ({}, 0), ({"b": 1.0}, 1)):
        assert plain.learn_one(x, y) == zeros.learn_one({"a": 0.0, "b": 0.0, **x}, y)
    assert plain.weights() == zeros.weights()


@pytest.mark.parametrize("make", [dl.Winnow, dl.BalancedWinnow])
def test_nothing_is_learned_from_an_example_without_features(make: Any) -> None:
    learner = make(bias=False)
    for x in ({}, {"a": 0.0}, {"a": 1e-70}):
        learner.learn_one(x, 1)
        learner.learn_one(x, 0)
    assert learner.updates == 0 and learner.n_seen == 6
    assert set(learner.weights().values()) <= {1.0}


def test_a_feature_that_is_not_known_weighs_1() -> None:
    """A score is the one that learning would start from, whatever the example comes as."""
    for x in ({"a": 1.0, "b": 0.5, "c": 1.0}, {"a": 1, "b": True, "colour": "red"}):
        learner = dl.Winnow(2.0, bias=False)
        due = sum(1.0 if isinstance(value, str) else float(value) for value in x.values())
        assert learner.score_one(x) == learner.score_many([x])[0] == (due - 2.0) / (due + 2.0)
        learner.learn_one({"b": 0.5}, 1)
        assert learner.score_one(x) == learner.learn_one(x, 1)
    X = np.array([[1.0, 0.5, 0.0], [0.25, 0.0, 1.0]])
    for rows in (X, csr_matrix(X)):
        learner = dl.Winnow(2.0, bias=False)
        assert learner.score_many(rows).tolist() == learner.learn_many(rows, [0, 0]).tolist()


def test_a_tie_is_the_positive_label_and_no_mistake_to_learn_from() -> None:
    learner = dl.Winnow(2.0, bias=False)
    assert learner.learn_one({"a": 1.0, "b": 1.0}, 1) == 0.0
    assert (learner.updates, learner.label_errors, learner.mistakes) == (0, 0, 1)
    assert learner.predict_one({"a": 1.0, "b": 1.0}) == 1
    learner.learn_one({"a": 1.0, "b": 1.0}, 0)
    assert (learner.updates, learner.label_errors) == (1, 1)


def test_negative_and_positive_are_alike_to_balanced_winnow() -> None:
    data = stream(3, rounds=300)
    one, other = dl.BalancedWinnow(0.2), dl.BalancedWinnow(0.2)
    assert one.learn_many(data.X, data.y).tolist() == [-s for s in other.learn_many(data.X, -data.y).tolist()]


# what is refused ------------------------------------------------------------------------------------------------------
def test_negative_features_are_refused() -> None:
    X, y, _ = positive_rows(0, 20)
    learner = dl.Winnow(2.0)
    learner.learn_many(X, y)
    bad = X.copy()
    bad[13, 2] = -0.5
    for rows in (bad, csr_matrix(bad)):
        with refused(learner, "row 13", "-0.5", "BalancedWinnow"):
            learner.learn_many(rows, y)
        with refused(learner, "row 13", "-0.5", "BalancedWinnow"):
            learner.score_many(rows)
    with refused(learner, "x must", "-0.5", "BalancedWinnow"):
        learner.learn_one(bad[13], y[13])
    with refused(learner, "x must", "-0.5", "BalancedWinnow"):
        learner.score_one(bad[13])
    with refused(learner, "row 13", "BalancedWinnow"):
        learner.learn_many(bad, y, 0.0)
    named = dl.Winnow(2.0)
    named.learn_one({"a": 1.0}, 1)
    for x in ({"a": -1.0}, {"a": 1.0, "new": -1.0}, {"new": -1.0, "newer": 1.0}):
        with refused(named, "-1.0", "BalancedWinnow"):
            named.learn_one(x, 1)
        with refused(named, "-1.0", "BalancedWinnow"):
            named.score_one(x)
    named.learn_one({"a": -0.0}, 1)


@pytest.mark.parametrize("make", [dl.Winnow, dl.BalancedWinnow])
@pytest.mark.parametrize("value", [math.inf, 1e70])
def test_bad_values_are_found_behind_scores_that_stay_small(make: Any, value: float) -> None:
    learner = make()
    learner.learn_one({"a": 1.0, "b": 1.0}, 1)
    learner.learn_one({"b": 1.0}, 0)
    for x in ({"a": 1.0, "b": value}, {"a": 1.0, "new": value}):
        with refused(learner):
            learner.score_one(x)
        with refused(learner):
            learner.learn_one(x, 1)


@pytest.mark.parametrize(
    "make, given, words",
    [
        (dl.Winnow, {"theta": 0.0}, "Winnow: theta must be > 0, got 0.0"),
        (dl.Winnow, {"theta": math.inf}, "Winnow: theta must be finite, got inf"),
        (dl.Winnow, {"theta": "1"}, "Winnow: theta must be a number, got '1'"),
        (dl.Winnow, {"beta": 1.0}, "Winnow: beta must be > 1 and finite, got 1.0"),
        (dl.Winnow, {"beta": math.inf}, "Winnow: beta must be > 1 and finite, got inf"),
        (dl.Winnow, {"scale": "standard"}, "Winnow: scale must be None or 'unit': .*, got 'standard'"),
        (dl.Winnow, {"scale": dl.RandomFourier(4)}, "Winnow: scale must be None or 'unit': .*, got RandomFourier.*"),
        (dl.Winnow, {"scale": "loud"}, "Winnow: scale must be None, 'unit', .*, got 'loud'"),
        (
            dl.LabelEfficient,
            {"learner": "winnow", "scale": "standard"},
            "LabelEfficient: scale must be None or 'unit': .*, got 'standard'",
        ),
        (
            dl.Committee,
            {"learners": ["pa1", dl.Committee("winnow")], "scale": "standard"},
            "Committee: scale must be None or 'unit': .*, got 'standard'",
        ),
        (
            dl.Committee,
            {"learners": ["winnow", "pa1"], "scale": dl.RandomFourier(4)},
            "Committee: scale must be None or 'unit': .*, got RandomFourier.*",
        ),
        (dl.Winnow, {"dtype": "float32"}, "Winnow: dtype must be 'float64', got 'float32'. Leave it out, or use .*"),
        (dl.BalancedWinnow, {"eta": 0.0}, "BalancedWinnow: eta must be > 0 and at most 1e\\+100, got 0.0"),
        (dl.BalancedWinnow, {"eta": 1e101}, "BalancedWinnow: eta must be > 0 and at most 1e\\+100, got 1e\\+101"),
        (dl.BalancedWinnow, {"eta": math.nan}, "BalancedWinnow: eta must be a number, got nan"),
    ],
)
def test_wrong_parameters(make: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        make(**given)


def test_what_has_winnow_inside_may_be_scaled_to_unit_length() -> None:
    X, y, _ = positive_rows(1, 100)
    for make in (dl.LabelEfficient("winnow", scale="unit"), dl.Committee("winnow, pa1", scale="unit")):
        assert np.isfinite(make.learn_many(X, y)).all()
    assert dl.Committee("pa1, pa", scale="standard").options["scale"] == "standard"


def test_unit_scaling_keeps_features_positive() -> None:
    X, y, _ = positive_rows(1, 100)
    learner = dl.Winnow(0.5, scale="unit")
    learner.learn_many(X * 100.0, y)
    again = dl.Winnow(0.5, scale="unit")
    again.learn_many(X, y)
    assert learner.updates == again.updates > 0
    assert snapshot(learner)["v"] == pytest.approx(snapshot(again)["v"], rel=1e-9)
