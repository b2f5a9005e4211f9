"""What input means to every learner: names, new features, labels, sample weights and scaling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from tests.support.linear_cases import Case, one_of_each, stream, weights_of

DATA = stream(41, rounds=120, n=6, density=0.6, drift=0.0, noise=0.0)  # separable, so that ROMMA stays calm
X, Y = DATA.X, DATA.y
NAMES = "abcdef"
DICTS = [{name: float(value) for name, value in zip(NAMES, x, strict=True) if value} for x in X]
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no bias": {"bias": False},
    "unit": {"scale": "unit"},
    "standard": {"scale": "standard"},
    "hashed": {"hashing": dl.Hashing(12)},
}
every_learner = pytest.mark.parametrize("case", one_of_each(), ids=str)
every_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def assert_same_weights(first: dict[Any, float], other: dict[Any, float]) -> None:
    size = max(map(abs, first.values()))
    assert size > 0.0
    for name in first | other:
        assert first.get(name, 0.0) == pytest.approx(other.get(name, 0.0), rel=0.0, abs=1e-12 * size)


@every_learner
@every_option
def test_the_order_of_features_is_irrelevant(case: Case, options: Any) -> None:
    plain, shuffled = case.learner(**options), case.learner(**options)
    rng = np.random.default_rng(0)
    for x, y in zip(DICTS, Y, strict=True):
        names = rng.permutation(list(x)).tolist()
        score = plain.learn_one(x, y)
        assert shuffled.learn_one({name: x[name] for name in names}, y) == pytest.approx(score, rel=1e-12, abs=1e-12)
    assert_same_weights(plain.weights(), shuffled.weights())


@every_learner
@every_option
def test_features_may_appear_at_any_time(case: Case, options: Any) -> None:
    """As good as known from the start: late names, and late columns of a sparse matrix."""
    A = stream(42, rounds=120, n=40, density=0.6).X
    A[:40, 3:] = 0.0
    A[40:80, 20:] = 0.0
    y = np.where(A @ np.linspace(-1.0, 2.0, 40) >= 0.0, 1.0, -1.0)
    late, early = case.learner(**options), case.learner(**options)
    for row, label in zip(A.tolist(), y, strict=True):
        score = early.learn_one({f"x{i}": value for i, value in enumerate(row)}, label)
        news = {f"x{i}": value for i, value in enumerate(row) if value}
        assert late.learn_one(news, label) == pytest.approx(score, rel=1e-12, abs=1e-12)
    assert_same_weights(late.weights(), early.weights())
    narrow, wide = case.learner(**options), case.learner(**options)
    for start, stop, width in ((0, 40, 3), (40, 80, 20), (80, 120, 40)):
        narrow.learn_many(csr_matrix(A[start:stop, :width]), y[start:stop])
    wide.learn_many(csr_matrix(A), y)
    assert list(narrow.weights().items()) == list(wide.weights().items())


@every_learner
@every_option
@pytest.mark.parametrize("empty", [{}, {"a": 0.0}, np.zeros(6), csr_matrix((1, 6))], ids=["{}", "a=0", "dense", "csr"])
def test_an_empty_example_is_a_round_that_says_nothing(case: Case, options: Any, empty: Any) -> None:
    learner = case.learner(**options)
    assert learner.score_one(empty) == 0.0
    assert learner.learn_one(empty, -1) == 0.0
    assert (learner.n_seen, learner.mistakes, learner.label_errors) == (1, 1, 1)
    assert set(learner.weights()) <= {"(bias)"}
    if options.get("bias") is False:
        assert learner.updates == 0
    assert learner.learn_many([], []).shape == (0,)
    assert learner.n_seen == 1


@every_learner
def test_a_zero_row_in_the_middle(case: Case) -> None:
    """Only forgetting touches the weights then."""
    learner = case.learner(bias=False)
    learner.learn_many(X, Y)
    w, updates = weights_of(learner, 6), learner.updates
    assert learner.learn_one(np.zeros(6), 1) == 0.0
    kept = 1.0 - learner.rule.alpha * learner.rule.lam if case.name == "norma" else 1.0
    np.testing.assert_allclose(weights_of(learner, 6), kept * w, rtol=1e-12)
    assert learner.updates == updates


def test_weights_carry_the_names_of_their_features() -> None:
    learner = dl.PA()
    learner.learn_one({"size": 2.0, "colour": "red", "wet": True, "dry": False, 7: 1}, True)
    assert set(learner.weights()) == {"(bias)", "size", "colour=red", "wet", 7}
    assert set(dl.PA(bias=False).weights()) == set()
    columns = dl.PA(bias=False)
    columns.learn_one([0.0, 3.0, 0.0, 1.0], 1)
    assert columns.weights() == pytest.approx({1: 0.3, 3: 0.1})
    hashed = dl.PA(hashing=dl.Hashing(8), bias=False)
    hashed.learn_one({"size": 2.0}, True)
    assert hashed.weights() == {dl.Hashing(8).add("size"): 0.5}


@every_learner
@pytest.mark.parametrize("options", [{}, {"scale": "standard"}, {"dtype": "float32"}], ids=str)
def test_unknown_names_are_ignored_in_scoring(case: Case, options: Any) -> None:
    learner = case.learner(**options)
    learner.learn_many(DICTS, Y)
    known = learner.n_features
    for x in DICTS[:20]:
        score = learner.score_one(x)
        assert learner.score_one({"new": 3.0, **x, "newer": "red"}) == pytest.approx(score, rel=1e-12, abs=1e-12)
    assert learner.n_features == known


@every_learner
@pytest.mark.parametrize(
    ("negative", "positive", "declared"),
    [(-1, 1, False), (0, 1, False), (False, True, False), ("ham", "spam", True), (5, 2, True), (-1, 1, True)],
)
def test_any_two_labels_mean_minus_and_plus(case: Case, negative: Any, positive: Any, declared: bool) -> None:
    plain = case.learner()
    scores = plain.learn_many(X, Y)
    labels = [positive if y > 0.0 else negative for y in Y]
    pair = (negative, positive) if declared else None
    for given in (labels, np.array(labels), np.array(labels, dtype=object)):
        learner = case.learner(labels=pair)
        assert learner.learn_many(X, given).tolist() == scores.tolist()
        assert learner.labels == (negative, positive)
        predicted = learner.predict_many(X).tolist()
        assert predicted == [positive if score >= 0.0 else negative for score in plain.score_many(X)]
        assert {type(label) for label in predicted} <= {type(negative)}


def test_undeclared_labels_are_taken_in_order_of_appearance() -> None:
    for first, second in (("spam", "ham"), (3, 1.5), (False, True)):
        learner = dl.PA()
        assert learner.predict_one({"a": 1}) is None
        learner.learn_one({"a": 1.0}, first)
        assert learner.labels == (first,)
        assert learner.predict_one({"a": 1}) == first
        learner.learn_one({"b": 1.0}, second)
        assert learner.labels == (first, second)
        assert learner.score_one({"a": 1.0}) < 0.0 < learner.score_one({"b": 1.0})
    learner = dl.PA()
    learner.learn_one({"a": 1.0}, 1)  # a 1 or True is positive whenever it appears
    learner.learn_one({"b": 1.0}, 0)
    assert learner.labels == (0, 1)


@every_learner
def test_sample_weights(case: Case) -> None:
    plain, ones, number, zeros = (case.learner() for _ in range(4))
    scores = plain.learn_many(X, Y).tolist()
    assert ones.learn_many(X, Y, np.ones(len(Y))).tolist() == number.learn_many(X, Y, 1).tolist() == scores
    assert zeros.learn_many(X, Y, 0.0).tolist() == [0.0] * len(Y)
    assert (zeros.n_seen, zeros.mistakes, zeros.updates) == (len(Y), len(Y), 0)
    assert zeros.weights() == {}
    before = weights_of(plain, 6)
    plain.learn_many(X, -Y, np.zeros(len(Y)))
    np.testing.assert_array_equal(weights_of(plain, 6), before)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_unit_scale_gives_length_one(bias: bool, size: float) -> None:
    """One mistake of the Perceptron adds the example as it is learned."""
    for x in (size * X[0], csr_matrix(size * X[:1]), dict(zip(NAMES, (size * X[0]).tolist(), strict=True))):
        learner = dl.Perceptron(scale="unit", bias=bias)
        learner.learn_one(x, 1)
        w = weights_of(learner, 6)
        assert math.hypot(*w) == pytest.approx(1.0, rel=1e-14)
        assert w[0] == pytest.approx(math.sqrt(0.5) if bias else 0.0)


@every_learner
@pytest.mark.parametrize("sparse", [True, False])
def test_standard_scale_is_the_running_mean_and_deviation(case: Case, sparse: bool) -> None:
    """With the example itself; centred only where rows are dense; a feature that never varied is 0."""
    A = X * [1.0, 100.0, 0.01, 1.0, 1.0, 0.0] + [0.0, 5.0, 0.0, 0.0, 0.0, 3.0]
    scaled = np.zeros_like(A)
    for t in range(len(A)):
        mean, deviation = A[: t + 1].mean(axis=0), A[: t + 1].std(axis=0)
        varied = deviation > 1e-12
        scaled[t, varied] = (A[t] - (0.0 if sparse else mean))[varied] / deviation[varied]
    learner, oracle = case.learner(scale="standard"), case.oracle(7)
    scores = learner.learn_many(csr_matrix(A) if sparse else A, Y)
    for x, y, score in zip(np.hstack([np.ones((len(A), 1)), scaled]), Y, scores, strict=True):
        assert score == pytest.approx(oracle.learn(x, y), rel=1e-9, abs=1e-9)
