"""KernelSecondOrder: agreement with its oracle for every kernel, its bound, and refusals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import kernels
from driftline.engines.kernel import kernel_second_order
from driftline.saved import ModelError, model
from tests.oracles.kernel import KernelSecondOrder, kernel_matrix
from tests.oracles.second_order import SecondOrderPerceptron
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import separable, stream

A = (0.1, 1.0, 10.0)
DATA = stream(17, rounds=250, n=5, noise=0.15, weights=(0.0, 0.4, 1.0, 2.0))


def polynomial(x: np.ndarray, z: np.ndarray) -> float:
    return float((1.0 + x @ z) ** 2)


KERNELS: dict[str, Any] = {
    "gaussian": kernels.Gaussian(0.4),
    "laplacian": kernels.Laplacian(0.3),
    "polynomial": kernels.Polynomial(3, 0.5, 0.2),
    "multilinear": kernels.Multilinear(),
    "function": polynomial,
}


def slow(K: np.ndarray, y: np.ndarray, a: float, w: np.ndarray | None = None) -> tuple[KernelSecondOrder, list[float]]:
    """The oracle after these rounds, and its scores."""
    oracle = KernelSecondOrder(K, a)
    return oracle, [oracle.learn(t, y[t], 1.0 if w is None else w[t]) for t in range(len(y))]


def close(found: Any, due: Any) -> None:
    """Equal to 1e-9, and of the same sign where that is not rounding."""
    found, due = np.asarray(found), np.asarray(due)
    assert np.abs(found - due).max() <= 1e-9 * max(1.0, np.abs(due).max())
    clear = np.abs(due) > 1e-9
    assert np.array_equal(np.sign(found[clear]), np.sign(due[clear]))


# the score ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("a", A)
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_kernel_is_the_explicit_inverse(a: float, kind: str, bias: bool) -> None:
    X, y, w = DATA.X, DATA.y, DATA.w
    rows: Any = {
        "dense": X,
        "csr": csr_matrix(X),
        "dicts": [dict(zip("abcde", row, strict=True)) for row in X.tolist()],
    }[kind]
    learner = dl.KernelSecondOrder(a, "linear", bias=bias)
    explicit = SecondOrderPerceptron(5 + bias, a)
    inside = np.column_stack([X, np.ones(len(X))]) if bias else X
    close(learner.learn_many(rows, y, w), [explicit.learn(*one) for one in zip(inside, y, w, strict=True)])
    due = explicit.mu
    weights = learner.weights()
    assert len(weights) == 5 + bias
    close([weights[name] for name in ("abcde" if kind == "dicts" else range(5))], due[:5])
    if bias:
        close(weights["(bias)"], due[5])
    assert learner._engine.extent()[0] == pytest.approx(float(np.linalg.norm(due)))


@pytest.mark.parametrize("a", A)
@pytest.mark.parametrize("name", KERNELS)
def test_the_score_solves_the_equations(name: str, a: float) -> None:
    kernel = KERNELS[name]
    X, y, w = DATA.X[:120], DATA.y[:120], DATA.w[:120]
    K = kernel_matrix(kernel, X)
    oracle, scores = slow(K, y, a, w)
    updates, alpha = oracle.live, oracle.alpha
    learner = dl.KernelSecondOrder(a, kernel, bias=False)
    close(learner.learn_many(X, y, w), scores)
    assert learner.updates == learner.support() == len(updates) > 20
    G = K[np.ix_(updates, updates)]
    close(learner.score_many(X), K[:, updates] @ alpha)
    assert learner.logdet == pytest.approx(float(np.sum(np.log1p(np.linalg.eigvalsh(G).clip(0.0) / a))), rel=1e-9)
    assert learner._engine.extent() == (pytest.approx(math.sqrt(alpha @ G @ alpha)), len(updates))
    assert learner.weights() == {}


def test_a_matrix_of_kernel_values() -> None:
    K = kernel_matrix(KERNELS["gaussian"], DATA.X)
    matrix = dl.KernelSecondOrder(0.5, kernels.Precomputed(K), bias=False)
    found = matrix.learn_many(np.arange(250.0)[:, None], DATA.y)
    close(found, slow(K, DATA.y, 0.5)[1])
    close(found, dl.KernelSecondOrder(0.5, KERNELS["gaussian"]).learn_many(DATA.X, DATA.y))


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "polynomial"])
def test_the_factor_is_that_of_the_kernel_matrix(name: str) -> None:
    learner = dl.KernelSecondOrder(0.3, KERNELS[name], bias=False)
    learner.learn_many(DATA.X, DATA.y)
    arrays, m = learner._engine.arrays(), learner.support()
    L = np.zeros((m, m))
    L[np.tril_indices(m)] = arrays["lower"]
    due = 0.3 * np.eye(m) + kernel_matrix(KERNELS[name], arrays["vectors"])
    assert np.abs(L @ L.T - due).max() < 1e-12 * np.abs(due).max()
    assert np.abs(L.T @ arrays["alpha"] - arrays["z"]).max() < 1e-12 * np.abs(arrays["z"]).max()


@pytest.mark.parametrize("kernel", ["rbf(gamma=0.4)", "linear", "poly(degree=2)"])
def test_as_a_grows_it_is_the_perceptron(kernel: str) -> None:
    due = dl.Kernelized("perceptron", kernel)
    scores = due.learn_many(DATA.X, DATA.y)
    learner = dl.KernelSecondOrder(1e9, kernel)
    found = learner.learn_many(DATA.X, DATA.y)
    assert np.array_equal(np.sign(found), np.sign(scores)) and learner.updates == due.updates
    assert np.allclose(1e9 * found, scores, rtol=1e-3, atol=1e-3)
    other = dl.KernelSecondOrder(1.0, kernel).learn_many(DATA.X, DATA.y)
    assert (np.sign(other) != np.sign(scores)).any()


def test_features_that_come_later_and_features_that_are_unknown() -> None:
    X, y = np.where(np.random.default_rng(0).random(DATA.X.shape) < 0.5, DATA.X, 0.0)[:80], DATA.y[:80]
    X[:20, 3:] = 0.0
    rows = [{name: value for name, value in zip("abcde", row, strict=True) if value} for row in X.tolist()]
    learner, kernel = dl.KernelSecondOrder(0.5, "rbf(gamma=0.4)"), kernels.Gaussian(0.4)
    found = []
    for row, label in zip(rows, y, strict=True):
        before = learner.score_one(row)
        found.append(learner.learn_one(row, label))
        assert found[-1] == pytest.approx(before, rel=1e-12, abs=1e-12)
    close(found, slow(kernel_matrix(kernel, X), y, 0.5)[1])
    far = learner.score_one({"a": 0.1, "x": 3.0, "y": -4.0})
    assert far == pytest.approx(learner.score_one({"a": 0.1}) * math.exp(-0.4 * 25.0))


def test_an_example_of_length_0_is_never_added() -> None:
    learner = dl.KernelSecondOrder(1.0, "linear", most=2, bias=False)
    learner.learn_many(np.zeros((50, 3)), np.ones(50))
    assert learner.updates == 0 and learner.mistakes == 50
    learner.learn_many(np.eye(3)[:2], [1, -1])
    assert learner.updates == 2


# the bound ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("a", A)
def test_updates_stay_within_the_bound(seed: int, a: float) -> None:
    """For any u of norm 1, here some kernel functions that have to do with the labels, and any gamma."""
    rng = np.random.default_rng(seed)
    kernel = kernels.Gaussian(0.5)
    centres, c = rng.normal(size=(6, 3)), rng.normal(size=6)
    c /= math.sqrt(c @ kernel_matrix(kernel, centres) @ c)
    X = rng.normal(size=(400, 3))
    u = kernel_matrix(kernel, X, centres) @ c
    y = np.sign(u) * np.where(rng.random(400) < 0.05, -1.0, 1.0)
    learner = dl.KernelSecondOrder(a, kernel)
    updated = learner.test_then_train(X, y).updated
    K = kernel_matrix(kernel, X[updated])
    spread = float(np.sum(np.log1p(np.linalg.eigvalsh(K).clip(0.0) / a)))
    assert learner.logdet == pytest.approx(spread, rel=1e-9)
    bounds = []
    for gamma in (0.02, 0.1, 0.3, 1.0):
        D = float(np.maximum(0.0, 1.0 - (y * u)[updated] / gamma).sum())
        bounds.append(D + math.sqrt((a + float(np.sum(u[updated] ** 2))) * spread) / gamma)
    assert 20 < learner.updates <= min(bounds)
    assert min(bounds) < 8 * learner.updates


@pytest.mark.parametrize("a", A)
def test_updates_where_all_can_be_separated(a: float) -> None:
    data, u = separable(3, 200, 6, 0.05)
    learner = dl.KernelSecondOrder(a, "linear", bias=False)
    for _ in range(50):
        learner.learn_many(data.X, data.y)
    gamma = float(np.min(data.y * (data.X @ u)))
    assert 5 < learner.updates <= (a + learner.logdet) / gamma


def test_orthonormal_rows_almost_reach_the_bound() -> None:
    n, a = 16, 100.0
    learner = dl.KernelSecondOrder(a, "linear", bias=False)
    learner.learn_many(np.eye(n), np.ones(n))
    assert learner.logdet == pytest.approx(n * math.log1p(1.0 / a))
    bound = math.sqrt((a + 1.0) * learner.logdet) * math.sqrt(n)
    assert 0.99 * bound < learner.updates == n <= bound


# what is refused ------------------------------------------------------------------------------------------------------
def test_when_it_is_full() -> None:
    X, y = DATA.X, DATA.y
    learner, twin = (dl.KernelSecondOrder(1.0, "rbf", most=20) for _ in range(2))
    done = 0
    while learner.support() < 20:
        learner.learn_one(X[done], y[done])
        done += 1
    twin.learn_many(X[:done], y[:done])
    assert_same(snapshot(learner), snapshot(twin))
    scores = learner.score_many(X[done:])
    bad = done + int(np.flatnonzero(scores * y[done:] <= 0.0)[0])
    with refused(learner, "x must find room, got one that would be support vector 21 of at most 20. Raise most"):
        learner.learn_one(X[bad], y[bad])
    with refused(learner, f"row {bad - done} must find room"):
        learner.learn_many(X[done:], y[done:])
    for start in (0, 1, 3, 17):  # also across several growths
        part = dl.KernelSecondOrder(1.0, "rbf", most=20)
        part.learn_many(X[:start], y[:start])
        with refused(part, f"row {bad - start} must find room"):
            part.learn_many(X[start:], y[start:])
        assert part.learn_many(X[start:done], y[start:done]).size == done - start
        assert_same(snapshot(part), snapshot(learner))
    assert learner.learn_many(X[done:bad], y[done:bad]).tolist() == scores[: bad - done].tolist()


def test_when_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = dl.KernelSecondOrder(1.0, "rbf")
    monkeypatch.setattr(kernel_second_order, "LARGEST", 1 << 13)
    due = "must fit into memory, got one more than 32 support vectors of 5 features; room for 64 takes 19.5 kB. "
    with refused(learner, due + "Lower most"):
        learner.learn_many(DATA.X, DATA.y)


def test_rows_that_are_too_long_for_the_kernel() -> None:
    learner = dl.KernelSecondOrder(1.0, "poly(degree=3)")
    learner.learn_many(DATA.X, DATA.y)
    X = DATA.X[:3].copy()
    X[1] *= 1e30
    with refused(learner, "row 1 must have k(x, x) <= 1e120 and a finite score, got more. Scale the"):
        learner.learn_many(X, DATA.y[:3])


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda x, z: math.nan, "must have finite values with"),
        (lambda x, z: "a", "must have finite values with"),
        (lambda x, z: float(x[0] - 2.0 * z[1] + 5.0), "must have k(x, z) = k(z, x), got"),
        (lambda x, z: -1.0, "must have k(x, x) >= 0 and <= 1e120, got -1.0"),
    ],
)
def test_functions_that_are_no_kernels(function: Callable[[Any, Any], Any], words: str) -> None:
    learner = dl.KernelSecondOrder(1.0, function)
    with refused(learner, words):
        learner.learn_many(DATA.X, DATA.y)
    with pytest.raises(ValueError, match=rf"^KernelSecondOrder: x {re.escape(words)}"):
        for x, label in zip(DATA.X, DATA.y, strict=True):
            learner.learn_one(x, label)


def test_scores_that_overflow() -> None:
    learner = dl.KernelSecondOrder(1e-300, lambda x, z: 1e-100 if x[0] == z[0] else 1e300)
    learner.learn_one([1.0], 1)
    with refused(learner, "x must have a finite score, got weights that have overflowed. Take smaller parameters"):
        learner.learn_one([2.0], 1, 0.0)
    with refused(learner, "row 1 must have a finite score"):
        learner.learn_many([[1.0], [2.0]], [1, 1])


def test_a_kernel_that_fails_changes_nothing() -> None:
    calls = []

    def kernel(x: np.ndarray, z: np.ndarray) -> float:
        calls.append(1)
        if len(calls) == 500:
            raise RuntimeError("no more")
        return polynomial(x, z)

    learner, twin = dl.KernelSecondOrder(1.0, kernel), dl.KernelSecondOrder(1.0, polynomial)
    before = snapshot(learner)
    with pytest.raises(RuntimeError, match="no more"):
        learner.learn_many(DATA.X, DATA.y)
    assert_same(before, snapshot(learner))
    assert learner.learn_many(DATA.X[:50], DATA.y[:50]).tolist() == twin.learn_many(DATA.X[:50], DATA.y[:50]).tolist()


@pytest.mark.parametrize(
    "parameters, what",
    [
        ({"a": 0.0}, "a must be > 0, got 0.0"),
        ({"a": math.inf}, "a must be finite, got inf"),
        ({"a": "1"}, "a must be a number, got '1'"),
        ({"most": 0}, "most must be a whole number from 1 to 50000, got 0"),
        ({"most": 2.0}, "most must be a whole number from 1 to 50000, got 2.0"),
        ({"most": True}, "most must be a whole number from 1 to 50000, got True"),
        ({"kernel": "pa1"}, "kernel must be one of driftline.kernels"),
        ({"kernel": 3}, "kernel must be one of driftline.kernels"),
        ({"kernel": "rbf(gamma=-1)"}, "kernel must be a name with parameters"),
    ],
    ids=str,
)
def test_bad_parameters(parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.KernelSecondOrder(**parameters)
    assert str(caught.value).startswith(f"KernelSecondOrder: {what}")


# files ----------------------------------------------------------------------------------------------------------------
def test_a_kernel_without_a_name_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"a parameter must be a plain value or a part of driftline"):
        dl.KernelSecondOrder(1.0, polynomial).save(tmp_path / "a.dl")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda arrays: arrays.update(z=arrays["z"][:-1]),
        lambda arrays: arrays.update(z=arrays["z"] * math.nan),
        lambda arrays: arrays.update(z=arrays["z"].reshape(1, -1)),
        lambda arrays: arrays.update(lower=-arrays["lower"]),
        lambda arrays: arrays.update(lower=0.1 * arrays["lower"]),
        lambda arrays: arrays.update(lower=arrays["lower"][1:]),
        lambda arrays: arrays.update(vectors=arrays["vectors"][:, 1:]),
        lambda arrays: arrays.update(vectors=arrays["vectors"] * math.inf),
        lambda arrays: arrays.update(v=np.zeros(13)),
        lambda arrays: arrays.pop("lower"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_files_that_cannot_be(spoil: Any) -> None:
    learner = dl.KernelSecondOrder(1.0, "rbf")
    learner.learn_many(DATA.X, DATA.y)
    meta, arrays = model.state_of(learner)
    assert model.learner_from(meta, dict(arrays)).support() == learner.support()  # type: ignore[attr-defined]
    spoil(arrays)
    with pytest.raises(ValueError):
        model.learner_from(meta, arrays)


def test_files_of_more_support_vectors_than_there_may_be() -> None:
    learner = dl.KernelSecondOrder(1.0, "rbf")
    learner.learn_many(DATA.X, DATA.y)
    meta, arrays = model.state_of(learner)
    meta["parameters"]["most"] = 3
    with pytest.raises(ValueError, match="support vectors, expected at most 3"):
        model.learner_from(meta, arrays)


@pytest.mark.parametrize("a", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_dual_is_the_primal(a: float, seed: int) -> None:
    """With a linear kernel it is the second-order Perceptron itself."""
    data = stream(seed, rounds=300, n=6)
    dual, primal = dl.KernelSecondOrder(a, "linear"), dl.SecondOrderPerceptron(a)
    scores, due = dual.learn_many(data.X, data.y), primal.learn_many(data.X, data.y)
    np.testing.assert_allclose(scores, due, rtol=1e-8, atol=1e-10)
    assert (dual.mistakes, dual.updates) == (primal.mistakes, primal.updates)
    assert dual.logdet == pytest.approx(primal.logdet, rel=1e-9)
