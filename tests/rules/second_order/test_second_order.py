"""Second-order learners: agreement with their oracles, bounds, the accuracy of P, and refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.state import FIRST, PARAMS, UPDATES
from driftline.internals.numeric.triangular import LEAST, column
from driftline.rules.second_order import scw
from tests.oracles import second_order as oracles
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import Stream, separable, stream, with_constant

INF = math.inf
WEIGHTS = (0.0, 0.0, *np.random.default_rng(2).uniform(0.3, 3.0, 40))  # of which no sum is 0 but for rounding
Vector = np.ndarray
Matrix = np.ndarray


SETTINGS: list[tuple[str, dict[str, float]]] = [
    *(("secondorderperceptron", {"a": a}) for a in (0.1, 1.0, 10.0)),
    *(("arow", {"r": r}) for r in (0.1, 1.0, 10.0)),
    *(("scw", {"C": C, "eta": eta}) for C, eta in ((0.1, 0.9), (1.0, 0.6), (INF, 0.8))),
]
every_setting = pytest.mark.parametrize("name, given", SETTINGS, ids=str)
every_learner = pytest.mark.parametrize("make", [dl.SecondOrderPerceptron, dl.AROW, dl.SCW])
both = pytest.mark.parametrize("diagonal", [False, True], ids=["full", "diagonal"])


def matrix_of(learner: dl.Learner, n: int) -> Matrix:
    """P of the bias feature and n columns."""
    engine: Any = learner._engine
    size = FIRST + n
    U = np.eye(size)
    for k in range(size):
        U[:k, k] = engine.factor[column(k) : column(k) + k]
    D = np.where(engine.variances[:size] > 0.0, engine.variances[:size], engine.state[PARAMS])
    known = [0, *range(FIRST, size)]
    return ((U * D) @ U.T)[np.ix_(known, known)]


# the papers ----------------------------------------------------------------------------------------------------------
@every_setting
@both
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "none"])
@pytest.mark.parametrize("kind", ["dense", "csr", "thin"])
def test_agrees_with_the_oracle(name: str, given: dict[str, float], diagonal: bool, bias: bool, kind: str) -> None:
    n = 60 if kind == "thin" else 9
    noise = 0.0 if given.get("C") == INF else 0.05  # which trusts every label, and soon nothing else
    data = stream(7, 300, n, density=0.8, noise=noise, weights=WEIGHTS)
    if kind == "thin":  # so few features that P x is made from these alone; never just one, which ends in ties
        data.X[(np.arange(n) - 7 * np.arange(300)[:, None]) % n % 30 > 1] = 0.0
    learner = dl.REGISTRY[name](**given, diagonal=diagonal, bias=bias)
    scores = learner.learn_many(data.X if kind == "dense" else data.csr, data.y, data.w)
    rows = with_constant(data.X) if bias else data.X
    oracle = getattr(oracles, dl.REGISTRY[name].__name__)(rows.shape[1], **given, diagonal=diagonal)
    due = [oracle.learn(*one) for one in zip(rows, data.y, data.w, strict=True)]
    np.testing.assert_allclose(scores, due, rtol=1e-9, atol=1e-9 * np.abs(due).max())
    assert learner.updates == oracle.updates > 20
    found = learner._engine.weights()
    np.testing.assert_allclose(found[FIRST : FIRST + n], oracle.mu[-n:], rtol=1e-9, atol=1e-9 * np.abs(oracle.mu).max())
    start = learner._engine.state[PARAMS]
    assert learner.logdet == pytest.approx(np.linalg.slogdet(start * oracle.A)[1], rel=1e-9)
    if not diagonal and bias:
        np.testing.assert_allclose(matrix_of(learner, n), np.linalg.inv(oracle.A), atol=1e-10 * start)


def test_scw_meets_its_constraint_exactly() -> None:
    data = stream(3, 800, 7, noise=0.1)
    tight = 0
    for C, eta in ((0.3, 0.9), (2.0, 0.7), (INF, 0.6)):
        phi = NormalDist().inv_cdf(eta)
        learner = dl.SCW(C, eta)
        oracle = oracles.SCW(8, C, eta)
        for x, y in zip(data.X, data.y, strict=True):
            z = np.r_[1.0, x]
            v = float(z @ matrix_of(learner, 7) @ z) if learner.n_features else float(z @ z)
            alpha, _ = oracle.gain(y * learner.score_one(x), v, 1.0)
            learner.learn_one(x, y)
            if 1e-6 < alpha < 0.999 * C and v > 1e-6:
                tight += 1
                deviation = math.sqrt(z @ matrix_of(learner, 7) @ z)
                assert y * learner.score_one(x) == pytest.approx(phi * deviation, rel=1e-9, abs=1e-12)
    assert tight > 100


def test_a_large_a_is_the_perceptron() -> None:
    differ = 0
    for seed in range(6):
        data = stream(seed, 500, 6, noise=0.15)
        X = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
        plain = dl.Perceptron().learn_many(X, data.y) >= 0.0
        assert np.array_equal(dl.SecondOrderPerceptron(1e9).learn_many(X, data.y) >= 0.0, plain)
        differ += int(np.sum((dl.SecondOrderPerceptron(10.0).learn_many(X, data.y) >= 0.0) != plain))
    assert differ > 100


def test_whether_x_is_in_the_inverse_is_no_matter() -> None:
    """Cesa-Bianchi, Conconi and Gentile put it in: r / (1 + x.P x)."""
    data = stream(5, 400, 6, noise=0.1)
    learner = dl.SecondOrderPerceptron(0.5, bias=False)
    A, w = 0.5 * np.eye(6), np.zeros(6)
    for x, y in zip(data.X, data.y, strict=True):
        r_hat = w @ np.linalg.solve(A + np.outer(x, x), x)
        v = x @ np.linalg.solve(A, x)
        before = learner.updates
        r = learner.learn_one(x, y)
        assert r_hat == pytest.approx(r / (1.0 + v), rel=1e-9, abs=1e-12)
        assert (learner.updates > before) == (y * r_hat <= 0.0)
        if y * r <= 0.0:
            A, w = A + np.outer(x, x), w + y * x


def test_arow_is_ridge_regression_on_its_updates() -> None:
    data = stream(11, 500, 6, noise=0.1)
    learner = dl.AROW(0.7, bias=False)
    trials = learner.test_then_train(data.X, data.y)
    X, y = data.X[trials.updated], data.y[trials.updated]
    w = np.linalg.solve(0.7 * np.eye(6) + X.T @ X, X.T @ y)
    np.testing.assert_allclose(list(learner.weights().values()), w, rtol=1e-10)
    assert np.array_equal(trials.updated, trials.y * trials.scores < 1.0)


@both
def test_sample_weights(diagonal: bool) -> None:
    """They divide AROW's r and multiply SCW's C."""
    data = stream(13, 300, 5, noise=0.1)
    for half, whole in (
        (dl.AROW(2.0, diagonal=diagonal), dl.AROW(1.0, diagonal=diagonal)),
        (dl.SCW(0.25, diagonal=diagonal), dl.SCW(0.5, diagonal=diagonal)),
    ):
        assert np.array_equal(half.learn_many(data.X, data.y, 2.0), whole.learn_many(data.X, data.y))
        assert 0 < half.updates < 300


# bounds --------------------------------------------------------------------------------------------------------------
def general(u: Vector, gamma: float, a: float, X: Matrix, y: Vector, logdet: float) -> float:
    """The bound on updates, from the rounds with updates."""
    hinge = np.maximum(0.0, 1.0 - y * (X @ u) / gamma).sum()
    return float(hinge + math.sqrt((a + np.sum((X @ u) ** 2)) * logdet) / gamma)


@pytest.mark.parametrize("a", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_of_the_second_order_perceptron(seed: int, a: float) -> None:
    data, u = separable(seed, 300, 8, 0.03)
    flips = np.where(np.random.default_rng(seed).random(300) < 0.15, -1.0, 1.0)
    for y in (data.y, data.y * flips):
        learner = dl.SecondOrderPerceptron(a, bias=False)
        for _ in range(3):
            trials = learner.test_then_train(data.X, y)
        single = dl.SecondOrderPerceptron(a, bias=False)
        trials = single.test_then_train(data.X, y)
        updates = data.X[trials.updated]
        eigenvalues = np.linalg.eigvalsh(updates.T @ updates)
        assert single.logdet == pytest.approx(np.log1p(eigenvalues / a).sum(), rel=1e-9)
        for gamma in (0.03, 0.1, 0.5, 2.0):
            assert 5 < single.updates <= general(u, gamma, a, updates, y[trials.updated], single.logdet)
        if y is data.y:
            gamma = float(np.min(y * (data.X @ u)))
            assert single.updates <= (a + single.logdet) / gamma
            assert learner.updates <= (a + learner.logdet) / gamma


@pytest.mark.parametrize("n", [1, 4, 16])
def test_orthonormal_rows_come_near_the_bound(n: int) -> None:
    y = np.where(np.arange(n) % 3 == 0, -1.0, 1.0)
    ratios = []
    for a in (0.1, 0.618, 1.0, 100.0):
        learner = dl.SecondOrderPerceptron(a, bias=False)
        learner.learn_many(np.eye(n), y)
        bound = general(y / math.sqrt(n), 1.0 / math.sqrt(n), a, np.eye(n), y, learner.logdet)
        assert n == learner.updates <= min(bound, (a + learner.logdet) * math.sqrt(n))
        ratios.append(n / bound)
    assert max(ratios) > 0.99


def test_a_comparator_that_is_too_long_breaks_the_bound() -> None:
    learner = dl.SecondOrderPerceptron(0.618, bias=False)
    learner.learn_many(np.eye(1), [1.0])
    assert learner.updates > (0.618 + learner.logdet) / 10.0


# P -------------------------------------------------------------------------------------------------------------------
def uneven(rng: np.random.Generator, n: int) -> tuple[Matrix, Vector]:
    """Rows whose columns differ in size, and random labels, which make every learner update for ever."""
    return rng.normal(size=(2000, n)) * np.geomspace(1.0 / 30.0, 1.0, n), rng.choice([-1.0, 1.0], 2000)


def assert_fresh(learner: dl.Learner, A: Matrix, w: Vector, rng: np.random.Generator) -> None:
    """P is positive definite, and the inverse of A; the weights are P w."""
    assert learner.updates >= 20_000
    P, fresh = matrix_of(learner, len(A))[1:, 1:], np.linalg.inv(A)
    assert np.linalg.eigvalsh(P).min() > 0.0
    np.testing.assert_allclose(P, fresh, rtol=1e-8, atol=1e-10 * fresh.max())
    X = rng.normal(size=(100, len(A)))
    np.testing.assert_allclose(learner.score_many(X), X @ np.linalg.solve(A, w), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name, given", [one for one in SETTINGS if one[0] != "scw"], ids=str)
def test_many_updates_leave_p_as_a_fresh_inverse(name: str, given: dict[str, float]) -> None:
    rng = np.random.default_rng(17)
    learner = dl.REGISTRY[name](**given, bias=False)
    A, w = np.eye(12) / learner._engine.state[PARAMS], np.zeros(12)
    while learner.updates < 20_000:
        X, y = uneven(rng, 12)
        fired = learner.test_then_train(X, y).updated
        A += X[fired].T @ X[fired] / given.get("r", 1.0)
        w += X[fired].T @ y[fired] / given.get("r", 1.0)
    assert_fresh(learner, A, w, rng)


def test_many_updates_leave_p_of_scw_as_a_fresh_inverse() -> None:
    """The inverse grows by x x^T beta / (1 - beta v), and A mu by what keeps mu = P (A mu)."""
    rng = np.random.default_rng(19)
    learner, oracle = dl.SCW(0.5, bias=False), oracles.SCW(12, 0.5)
    A, w = np.eye(12), np.zeros(12)
    while learner.updates < 20_000:
        for x, y in zip(*uneven(rng, 12), strict=True):
            h, mu = np.linalg.solve(A, np.column_stack([x, w])).T
            m, v = y * float(mu @ x), float(h @ x)
            alpha, beta = oracle.gain(m, v, 1.0)
            learner.learn_one(x, y)
            if alpha > 0.0:
                grown = beta / (1.0 - beta * v)
                A += grown * np.outer(x, x)
                w += y * (grown * m + alpha * (1.0 + grown * v)) * x
    assert_fresh(learner, A, w, rng)


def test_long_examples_do_not_wipe_out_p() -> None:
    """With P itself 1 - v / (1 + v) would be 0 for them. Exact fractions say what the scores are."""
    X = np.array([[3e9, 4e9], [4e9, -3e9], [1.0, 2.0], [-7.0, 3.0], [2e9, 1e9]])
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    A, w = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], [Fraction(0), Fraction(0)]
    learner = dl.SecondOrderPerceptron(bias=False)
    for x, label in zip(X, y, strict=True):
        (a, b), (_, d), z = *A, [Fraction(float(value)) for value in x]
        determinant = a * d - b * b
        omega = [(d * w[0] - b * w[1]) / determinant, (a * w[1] - b * w[0]) / determinant]
        score = omega[0] * z[0] + omega[1] * z[1]
        assert learner.learn_one(x, label) == pytest.approx(float(score), rel=1e-9)
        if label * score <= 0:
            A = [[A[i][j] + z[i] * z[j] for j in range(2)] for i in range(2)]
            w = [w[i] + Fraction(float(label)) * z[i] for i in range(2)]
    assert learner.updates >= 3


@every_learner
@both
def test_the_order_of_features_is_no_matter(make: Any, diagonal: bool) -> None:
    data = stream(23, 300, 20, density=0.5)
    order = np.random.default_rng(1).permutation(20)
    scores = make(diagonal=diagonal).learn_many(data.X, data.y)
    np.testing.assert_allclose(make(diagonal=diagonal).learn_many(data.X[:, order], data.y), scores, atol=1e-11)
    np.testing.assert_allclose(make(diagonal=diagonal).learn_many(data.csr, data.y), scores, atol=1e-11)


@every_learner
@both
def test_features_that_come_late_leave_the_same_bits(make: Any, diagonal: bool) -> None:
    """A block knows all its features beforehand; one by one, room for them is made again and again."""
    data = stream(29, 250, 120, density=0.04)
    rows = [{f"f{j}": float(row[j]) for j in np.flatnonzero(row)} for row in data.X]
    one, many = make(diagonal=diagonal), make(diagonal=diagonal)
    scores = [one.learn_one(x, y) for x, y in zip(rows, data.y, strict=True)]
    assert many.learn_many(rows, data.y).tolist() == scores
    assert_same(snapshot(one), snapshot(many))
    assert one.n_features > 100
    assert one.score_one({"new": 5.0}) == one.score_one({})


@every_learner
@both
def test_examples_that_tell_nothing(make: Any, diagonal: bool) -> None:
    learner = make(diagonal=diagonal, bias=False)
    data = stream(31, 50, 4)
    learner.learn_many(data.X, data.y)
    before = snapshot(learner)
    least = 0.0 if make is dl.SecondOrderPerceptron else 5e-324  # whose A counts every update alike
    for x, weight in ((np.zeros(4), 1.0), (np.full(4, 1e-62), 1.0), (-data.X[0], 0.0), (-data.X[0], least)):
        learner.learn_one(x, data.y[0], weight)
        after = snapshot(learner)
        counted = {name: 0 for name in after if name == "state" or name.startswith("recent_")}
        assert_same(before | counted, after | counted)
    assert learner.updates == int(before["state"][UPDATES])


@settings(max_examples=150)
@given(
    st.sampled_from([dl.SecondOrderPerceptron, dl.AROW]),
    st.sampled_from([1e-60, 1e-9, 1.0, 1e9, 1e60]),
    st.sampled_from([(1.0, 0.9), (INF, 0.5000001), (INF, 1.0 - 1e-13), (1e-60, 0.7), None, None]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_numbers_of_any_size(
    make: Any, size: float, scw: tuple[float, float] | None, diagonal: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    learner = make(size, diagonal=diagonal) if scw is None else dl.SCW(*scw, diagonal=diagonal)
    X = rng.normal(size=(60, 3)) * 10.0 ** rng.uniform(-57.0, 57.0, (60, 3 if seed % 2 else 1))
    w = rng.choice([0.0, 5e-324, 1e-9, 1.0, 1e9], 60)
    assert np.isfinite(learner.learn_many(X, rng.choice([-1.0, 1.0], 60), w)).all()
    assert np.isfinite(learner._engine.weights()).all()
    engine: Any = learner._engine
    assert (engine.variances[engine.variances != 0.0] > 0.0).all() and np.isfinite(learner.logdet)


@both
def test_a_rule_that_trusts_every_label_has_something_left_to_learn_with(diagonal: bool) -> None:
    learner = dl.SCW(INF, diagonal=diagonal, bias=False)
    scores = learner.learn_many(np.ones((5000, 1)), np.tile([1.0, -1.0], 2500))
    assert (scores[-10:] != 0.0).all() and learner.updates == 5000
    assert learner.logdet == pytest.approx(-math.log(LEAST))


def test_no_example_is_trusted_without_limit() -> None:
    for m, v in ((-1e50, 1e-250), (-1e60, 1e50), (-1.0, 1e-300)):
        tau, noise = scw.gain(m, v, 1.0, (1.0, INF, 1.3))
        assert 0.0 < tau < INF and noise == pytest.approx(1e-30 * v)
    assert scw.gain(-1e9, 1.0, 1.0, (1.0, INF, 1.3))[1] > 1e-20


# what is refused -----------------------------------------------------------------------------------------------------
@every_learner
def test_more_features_than_p_may_have(make: Any) -> None:
    learner = make(most=5, labels=(0, 1))
    learner.learn_one(dict.fromkeys("abcd", 1.0), 1)
    for call in (
        lambda: learner.learn_one({"a": 1.0, "e": 1.0, "f": 2.0}, 0),
        lambda: learner.learn_many([{"a": 1.0}, {"e": 1.0, "f": 2.0}], [0, 1]),
    ):
        with refused(learner, "at most 5", "got 6", "kB", "diagonal=True"):
            call()
    learner.learn_one({"a": 1.0, "e": 1.0}, 0)
    assert learner.n_features == 5
    wide = make(most=5)
    with refused(wide, "at most 5", "got 6"):
        wide.learn_many(np.ones((2, 6)), [0, 1])
    with refused(make(), "at most 4,096", "got 100,000", "40 GB", "diagonal=True"):
        make().learn_many(csr_matrix(([1.0], ([0], [99_999]))), [1])
    with pytest.raises(ValueError, match=rf"^{make.__name__}: features must be at most 4,096 .* Set diagonal=True"):
        make(hashing=dl.Hashing(18))
    thin = make(diagonal=True, hashing=dl.Hashing(18))
    thin.learn_one({"a": 1.0}, 1)
    assert thin.updates == 1


def test_a_matrix_that_does_not_fit_into_memory() -> None:
    learner, twin = (dl.AROW(most=10**8, labels=(0, 1)) for _ in range(2))
    wide = csr_matrix(([1.0], ([0], [2 * 10**7])))
    for _ in range(2):
        for one in (learner, twin):
            one.learn_many(csr_matrix(np.eye(3)), [0, 1, 0])
        with refused(learner, "must fit into memory"):
            learner.learn_many(wide, [1])
    assert_same(snapshot(learner), snapshot(twin))


@both
def test_the_largest_a_is_the_perceptron_too(diagonal: bool) -> None:
    """Its P does not start below the least that an update leaves."""
    data = stream(3, 300, 4, noise=0.1)
    plain = dl.Perceptron()
    plain.learn_many(data.X, data.y)
    learner = dl.SecondOrderPerceptron(1e100, diagonal=diagonal)
    learner.learn_many(data.X, data.y)
    assert learner.updates == plain.updates > 20
    assert 0.0 <= learner.logdet < 1e-9


@pytest.mark.parametrize("name, first", [("secondorderperceptron", "a"), ("arow", "r"), ("scw", "C"), ("scw", "eta")])
def test_parameters_out_of_range(name: str, first: str) -> None:
    make = dl.REGISTRY[name]
    values = {"C": [0.0, -1.0, -INF], "eta": [0.5, 1.0, 0.0, INF]}.get(first, [0.0, -1.0, 1e-61, 1.1e100, INF])
    for value in [*values, "1", None, True, math.nan]:
        with pytest.raises(ValueError, match=rf"^{make.__name__}: {first} must .+, got "):
            make(**{first: value})
    for value in (0, -1, 2.5, True, "9", None):
        with pytest.raises(ValueError, match=rf"^{make.__name__}: most must be a whole number >= 1, got "):
            make(most=value)  # type: ignore[call-arg]
    for value in (1, "yes", None):
        with pytest.raises(ValueError, match=rf"^{make.__name__}: diagonal must be True or False, got "):
            make(diagonal=value)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match=rf"^{make.__name__}: dtype must be 'float64', got "):
        make(dtype="float32")


def spoiled(name: str, at: int, value: float) -> Any:
    def spoil(arrays: dict[str, np.ndarray]) -> None:
        arrays[name][at] = value

    return spoil


@both
def test_arrays_that_no_engine_can_have_saved(diagonal: bool) -> None:
    data: Stream = stream(37, 80, 5)
    learner = dl.AROW(diagonal=diagonal)
    learner.learn_many(data.X, data.y)
    good = learner._engine.saved(5)
    fresh = dl.AROW(diagonal=diagonal)._engine
    fresh.restore(5, good)
    spoils = [
        spoiled("variances", FIRST, -1.0),
        spoiled("variances", FIRST, math.nan),
        spoiled("variances", FIRST, INF),
        spoiled("variances", 2, 1.0),
        spoiled("state", 0, 2.0),
        lambda arrays: arrays.pop("variances"),
        lambda arrays: arrays.update(more=np.zeros(1)),
        lambda arrays: arrays.update(variances=np.ones(FIRST + 4)),
    ]
    if not diagonal:
        spoils += [
            spoiled("factor", column(FIRST), math.nan),
            spoiled("factor", column(FIRST + 2) + FIRST + 2, 1.0),  # the first place beside a column
            spoiled("factor", column(FIRST + 5), 1.0),  # a column of no feature
            lambda arrays: arrays.update(factor=arrays["factor"][:-1]),
            lambda arrays: arrays.pop("factor"),
        ]
    for spoil in spoils:
        arrays = {name: array.copy() for name, array in good.items()}
        spoil(arrays)
        with pytest.raises(ValueError, match=r"."):
            dl.AROW(diagonal=diagonal)._engine.restore(5, arrays)
