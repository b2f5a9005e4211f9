"""Certificates of kernel learners: at least the observed mistakes, and true in the kernel's space.

Everything is computed again from the kernel matrix of the rows.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds, kernels
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces import kernel_space
from driftline.certify.spaces.inner_rule import inside
from driftline.certify.spaces.kernel_values import KernelValues
from driftline.certify.spaces.mapped import Mapped
from driftline.certify.spaces.products import in_products
from driftline.certify.tightest import FINDERS, certified

CLOSE = 1.0 + 1e-9
MOTIONS = ("standing", "drifting", "noisy")
KERNELS: dict[str, kernels.Kernel] = {
    "linear": kernels.Linear(),
    "poly": kernels.Polynomial(3, 0.5, 0.7),
    "rbf": kernels.Gaussian(0.4),
    "laplacian": kernels.Laplacian(0.3),
    "multilinear": kernels.Multilinear(),
    "function": kernels.Callable(lambda x, z: float(x @ z + 1.0) ** 2),
}
RULES: dict[str, dl.Learner] = {
    "perceptron": dl.Perceptron(),
    "alma": dl.ALMA(0.1, 3.0, 0.3),
    "norma": dl.NORMA(0.1, 0.05, 0.1),
    "projection": dl.ProjectionPerceptron(0.1),
    "pa": dl.PA(),
    "pa, mistakes": dl.PA(when="mistake"),
    "romma": dl.ROMMA(),
    "romma, aggressive": dl.ROMMA(when="margin"),
    "l2pa": dl.L2PA(200.0),
    "shrunkpa": dl.ShrunkPA(1e-5),
    "selftuningalma": dl.SelfTuningALMA(0.5),
}


@cache
def stream(motion: str, seed: int, rounds: int = 100, n: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Rows with zeros among them, and labels of a curve that stands or turns, a few of them wrong where it is noisy."""
    rng = np.random.default_rng([seed, MOTIONS.index(motion)])
    angle = np.arange(rounds) * 2.0 / rounds * (motion == "drifting")
    X = rng.normal(size=(rounds, n)) * (rng.random((rounds, n)) < 0.8)
    curve = np.cos(angle) * (X[:, 0] + X[:, 1] * X[:, 2]) + np.sin(angle) * (X[:, 3] - X[:, 1])
    X = X[np.abs(curve) > 0.2]
    y = np.sign(curve[np.abs(curve) > 0.2])
    return X, y * np.where(rng.random(len(y)) < 0.08 * (motion == "noisy"), -1.0, 1.0)


def matrix(kernel: kernels.Kernel, run: Any) -> np.ndarray:
    """k(x, z) of all rows, the plain way."""
    X = run.evidence.dense()
    X = X if kernel.sees_bias else X[:, 1:]
    return kernel.between(X, X)


def offers(run: Any) -> tuple[Mapped, Offers]:
    rule, seen = inside(run.learner.rule, run.evidence)
    assert isinstance(seen, Mapped)
    return seen, FINDERS[type(rule)](rule, seen)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_values_are_those_of_the_kernel(name: str, bias: bool, sparse: bool) -> None:
    X, y = stream("standing", 1)
    kernel = KERNELS[name]
    run = dl.run(
        dl.Kernelized("perceptron", kernel, bias=bias), (csr_matrix(X) if sparse else X, y), certify=True, rows=31
    )
    values = KernelValues(kernel, run.evidence)
    K = matrix(kernel, run)
    chosen = np.array([3, 0, 57])
    np.testing.assert_allclose(values.between(chosen), K[chosen], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(values.among(chosen), K[np.ix_(chosen, chosen)], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(values.squares(), np.diagonal(K), rtol=1e-12)
    assert values.same_on_every_round == (name != "function" or not sparse)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_coordinates_are_those_of_the_space(name: str, few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """z(x).z(x') is k(x, x') where there are landmarks enough; where there are few it is a part of it."""
    X, y = stream("noisy", 2)
    if few:
        monkeypatch.setattr(kernel_space, "MOST", 9 * len(y))
    kernel = KERNELS[name]
    run = dl.run(dl.Kernelized("perceptron", kernel), (X, y), certify=True)
    seen = kernel_space.in_kernel_space(kernel, run.evidence)
    K = matrix(kernel, run)
    Z, scale = seen.dense(), np.diagonal(K).max()
    np.testing.assert_allclose(seen.lengths() ** 2, np.diagonal(K), rtol=1e-12)
    if few:
        assert Z.shape[1] == min(9, np.linalg.matrix_rank(K))
        assert np.linalg.eigvalsh(K - Z @ Z.T).min() >= -1e-10 * scale
    else:
        np.testing.assert_allclose(Z @ Z.T, K, atol=1e-6 * scale)
    part = seen.part(np.arange(len(y)) % 3 == 0)
    np.testing.assert_array_equal(part.dense(), Z[::3])
    np.testing.assert_array_equal(part.lengths(), seen.lengths()[::3])


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", RULES)
def test_no_offer_is_below_what_was_observed(name: str, kernel: str, motion: str) -> None:
    for seed in range(3 if kernel in ("rbf", "laplacian") else 1):
        X, y = stream(motion, seed)
        run = dl.run(dl.Kernelized(RULES[name].rule, KERNELS[kernel]), (X, y), certify=True)
        observed = {"updates": run.updates, "mistakes": run.mistakes}
        found = [bound for bound, _ in offers(run)[1]]
        assert found or name not in ("perceptron", "norma")
        assert all(observed[bound.limits] <= bound.value * CLOSE for bound in found)
        for one in certified(run.learner.rule, run.evidence):
            rounds, values = one.over_time
            so_far = np.cumsum(run.evidence.updated if "updates" in one.bound.limits else run.evidence.margins <= 0.0)
            assert (so_far[rounds.astype(int) - 1] <= values * CLOSE + 1e-9).all()
            assert values[-1] == pytest.approx(one.value)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
def test_the_inputs_of_a_bound_are_those_of_a_function(kernel: str, few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of the support vectors has the stated length and losses: both from kernel sums."""
    X, y = stream("noisy", 4)
    if few:
        monkeypatch.setattr(kernel_space, "MOST", 12 * len(y))
    run = dl.run(dl.Kernelized("perceptron", KERNELS[kernel]), (X, y), certify=True)
    K = matrix(KERNELS[kernel], run)
    seen, found = offers(run)
    for bound, one in found:
        if one.moves:
            assert isinstance(bound, bounds.PNormMoving)
            continue
        assert isinstance(bound, bounds.PerceptronTightest)
        values = one.path.vectors[0] @ seen.dense().T  # the shortest function with these values on all rows
        a = np.linalg.lstsq(K, values, rcond=1e-12)[0]
        np.testing.assert_allclose(K @ a, values, atol=1e-6 * np.abs(values).max())
        length = math.sqrt(a @ K @ a)
        assert length <= one.path.longest() * (1.0 + 1e-6)
        assert bound.gamma * length * one.scale <= 1.0 + 1e-6
        np.testing.assert_allclose(bound.D, np.maximum(0.0, 1.0 - one.scale * y * values).sum(), rtol=1e-9)
        np.testing.assert_allclose(bound.S, np.diagonal(K)[run.evidence.updated].sum(), rtol=1e-12)


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("name", RULES)
def test_a_linear_kernel_is_the_linear_learner(name: str, motion: str) -> None:
    X, y = stream(motion, 5)
    plain = dl.run(type(RULES[name])(**vars(RULES[name].rule)), (X, y), certify=True)
    kernelised = dl.run(dl.Kernelized(RULES[name].rule, "linear"), (X, y), certify=True)
    assert plain.mistakes == kernelised.mistakes
    ours, theirs = (certified(run.learner.rule, run.evidence) for run in (kernelised, plain))
    assert [one.moves for one in ours] == [one.moves for one in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-6)


def test_a_kernel_that_fits_gives_the_better_certificate() -> None:
    X, y = stream("standing", 6, 600)
    by_kernel = {
        name: dl.run(dl.Kernelized("perceptron", KERNELS[name]), (X, y), certify=True).certificate().best
        for name in ("linear", "rbf")
    }
    assert by_kernel["rbf"] is not None and by_kernel["linear"] is not None
    assert by_kernel["rbf"].value < 0.8 * by_kernel["linear"].value


def test_the_bound_is_reached_and_less_would_be_wrong() -> None:
    """Rows that are orthogonal to each other, in the space of the kernel, are mistakes one after the other."""
    X, y = 10.0 * np.vstack([np.eye(40)] * 2), np.tile(np.where(np.arange(40) % 3, 1.0, -1.0), 2)
    run = dl.run(dl.Kernelized("perceptron", kernels.Polynomial(2, 0.0), bias=False), (X, y), certify=True)
    best = run.certificate().best
    assert best is not None and run.updates == 40
    assert best.value == pytest.approx(40.0, rel=1e-6)
    assert run.updates > 0.99 * best.value


@pytest.mark.parametrize(
    "inner", [dl.NORMA(0.3, 0.01, 0.1), dl.ALMA(0.3, 5.0, 0.1), dl.ProjectionPerceptron(0.05)], ids=repr
)
def test_a_path_wins_where_the_target_moves(inner: dl.Learner) -> None:
    """Inside a circle is one class; half-way the other."""
    X = np.random.default_rng(3).uniform(-1.0, 1.0, size=(2500, 2))
    turned = np.where(np.arange(2500) < 1250, 1.0, -1.0)
    outside = X[:, 0] ** 2 + X[:, 1] ** 2 - 0.6
    kept = np.abs(outside) > 0.2
    X, y = X[kept], (np.sign(outside) * turned)[kept]
    run = dl.run(dl.Kernelized(inner, kernels.Gaussian(3.0)), (X, y), certify=True)
    still, moves = run.certificate().bounds
    assert (still.moves, moves.moves) == (False, True)
    assert run.mistakes < moves.value < 0.5 * still.value
    assert moves.segments > 1 and moves.length > 0.5


def test_budgets() -> None:
    X, y = stream("noisy", 7)

    def ran(**budget: Any) -> Any:
        return dl.run(dl.Kernelized("perceptron", "rbf", **budget), (X, y), certify=True)

    whole = ran()
    assert whole.updates > 20
    assert ran(budget=whole.updates).certificate().bounds[0].value == whole.certificate().bounds[0].value
    assert ran(evict="age", age=len(y) + 1).certificate().bounds[0].value == whole.certificate().bounds[0].value
    for budget in (
        {"budget": 10},
        {"budget": 10, "evict": "smallest"},
        {"budget": 10, "evict": "random"},
        {"evict": "age", "age": 20},
    ):
        certificate = ran(**budget).certificate()
        assert certificate.bounds == ()
        assert any("once support vectors are removed, and this run removed some" in one for one in certificate.why)
    projectron = ran(evict="projectron").certificate()
    assert not projectron.bounds and "no theorem of the catalogue covers the Projectron" in str(projectron)


@pytest.mark.parametrize("budget", [5, 10_000])
@pytest.mark.parametrize("motion", MOTIONS)
def test_forgetron(motion: str, budget: int) -> None:
    for seed in range(6):
        X, y = stream(motion, 10 + seed)
        run = dl.run(dl.Kernelized("perceptron", "rbf", budget=budget, evict="forgetron"), (X, y), certify=True)
        certificate = run.certificate()
        if run.updates > budget:
            assert not certificate.bounds and "needs a budget of 83 or more, got 5" in certificate.why[0]
            continue
        found = certificate.bounds[0]  # it has forgotten nothing yet
        assert not found.moves and run.mistakes <= found.value
        assert isinstance(found.bound, bounds.PerceptronTightest)


def test_a_forgetron_that_has_forgotten() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(rng.random(400) < 0.3, -1.0, 1.0) * np.sign(X[:, 0])
    run = dl.run(dl.Kernelized("perceptron", "rbf", budget=83, evict="forgetron"), (X, y), certify=True)
    assert run.updates > 83
    (found,) = run.certificate().bounds
    assert isinstance(found.bound, bounds.ForgetronMistakes) and run.mistakes <= found.value
    best = _forgetron_by_descent(matrix(kernels.Gaussian(), run), y, math.sqrt(84.0 / math.log(84.0)) / 4.0)
    assert found.value <= 1.02 * best


def _forgetron_by_descent(K: np.ndarray, y: np.ndarray, most: float) -> float:
    """The least 2 |g|^2 + 4 sum max(0, 1 - y g(x)) with |g| <= most, by subgradients and a plain line search."""
    a, best = np.zeros(len(y)), 4.0 * len(y)
    for step in np.geomspace(0.3, 1e-3, 3000):
        values = K @ a
        a -= step * 0.1 * (4.0 * a - 4.0 * y * (y * values < 1.0))
        length = math.sqrt(max(0.0, a @ K @ a))
        a *= min(1.0, most / max(length, 1e-300))
        best = min(best, 2.0 * float(a @ K @ a) + 4.0 * float(np.maximum(0.0, 1.0 - y * (K @ a)).sum()))
    return best


def test_what_is_no_kernel_is_refused() -> None:
    X, y = stream("standing", 8)
    crooked = kernels.Callable(lambda x, z: float(np.tanh(x @ z)))
    certificate = dl.run(dl.Kernelized("perceptron", crooked), (X, y), certify=True).certificate()
    assert certificate.bounds == ()
    assert any("positive definite, but is not on the examples of this run" in one for one in certificate.why)
    good = kernels.Callable(lambda x, z: float(x @ z))
    growing = [({f"f{k}": 1.0 for k in range(1 + t % 5)}, t % 2) for t in range(30)]
    certificate = dl.run(dl.Kernelized("perceptron", good), growing, certify=True).certificate()
    assert any("the kernel must be the same on every round" in one for one in certificate.why)
    known = dl.run(dl.Kernelized("perceptron", "linear"), growing, certify=True)
    assert "no comparator gives a useful value" in known.certificate().why[0]


def test_too_many_updates_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream("noisy", 8)
    run = dl.run(dl.Kernelized("perceptron", KERNELS["function"]), (X, y), certify=True)
    monkeypatch.setattr(kernel_space, "MOST_CHECKED", 10)
    assert any("checked for at most 10 of them" in one for one in run.certificate().why)


def test_a_matrix_as_kernel() -> None:
    X, y = stream("noisy", 9)
    K = kernels.Gaussian(0.5).between(X, X)
    numbers = np.arange(len(y), dtype=float)[:, None]
    by_matrix = dl.run(dl.Kernelized("perceptron", kernels.Precomputed(K)), (numbers, y), certify=True)
    plain = dl.run(dl.Kernelized("perceptron", kernels.Gaussian(0.5)), (X, y), certify=True)
    assert by_matrix.mistakes == plain.mistakes
    assert by_matrix.certificate().bounds[0].value == pytest.approx(plain.certificate().bounds[0].value, rel=1e-6)


def test_rules_inside_without_a_theorem() -> None:
    X, y = stream("standing", 9)
    certificate = dl.run(dl.Kernelized("shrunkpa(when='margin')", "rbf"), (X, y), certify=True).certificate()
    assert certificate.bounds == () and any("mistakes only" in one for one in certificate.why)


@pytest.mark.parametrize("inner", ["pa1", "pa2"])
def test_steps_that_are_capped_or_softened(inner: str) -> None:
    run = dl.run(dl.Kernelized(inner, "rbf"), stream("standing", 9), certify=True)
    certificate = run.certificate()
    assert certificate.bounds
    for found in certificate.bounds:
        assert certificate.observed(found) <= found.value


def test_runs_of_zeros_and_none() -> None:
    run = dl.run(dl.Kernelized("perceptron", "linear", bias=False), (np.zeros((9, 3)), np.ones(9)), certify=True)
    assert run.certificate().bounds == ()
    asked = dl.run(dl.Kernelized("perceptron", lambda x, z: float(x @ z)), (np.zeros((9, 3)), np.ones(9)), certify=True)
    assert asked.certificate().bounds == ()


# products of features -------------------------------------------------------------------------------------------
def explicit(X: np.ndarray) -> np.ndarray:
    """All products of features, one for each set."""
    sets = [[i for i in range(X.shape[1]) if s >> i & 1] for s in range(2 ** X.shape[1])]
    return np.column_stack([np.prod(X[:, chosen], axis=1) for chosen in sets])


def products_run(X: np.ndarray, y: np.ndarray) -> tuple[Any, Evidence]:
    run = dl.run(dl.MultilinearPerceptron(), (X, y), certify=True)
    return run, run.evidence


@pytest.mark.parametrize("motion", MOTIONS)
def test_products(motion: str) -> None:
    for seed in range(8):
        X, y = stream(motion, 20 + seed)
        X = np.tanh(X)  # within -1 and 1, and no product of rows is 0 by chance
        run, evidence = products_run(X, y)
        seen = in_products(evidence, 4.0)
        Phi = explicit(X)
        assert sorted(map(tuple, seen.dense().T.round(9))) == sorted(map(tuple, Phi.T.round(9)))
        np.testing.assert_allclose(seen.lengths(4.0), np.sum(Phi**4, axis=1) ** 0.25, rtol=1e-12)
        np.testing.assert_allclose(seen.lengths(), np.linalg.norm(Phi, axis=1), rtol=1e-12)
        found = certified(run.learner.rule, evidence)
        twin = dl.run(dl.PNormPerceptron(4.0, bias=False), (Phi, y), certify=True)
        assert (twin.mistakes, len(found)) == (run.mistakes, len(certified(twin.learner.rule, twin.evidence)))
        for one in found:
            assert isinstance(one.bound, bounds.PNormMoving if one.moves else bounds.PNorm) and one.bound.p == 4.0
            assert run.updates <= one.value


def test_products_of_many_features() -> None:
    """Of 2^40 products the simplest are tried, and the length is that of all."""
    rng = np.random.default_rng(2)
    X = (rng.random((400, 40)) < 0.1) * 1.0
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0.0, 1.0, -1.0)
    run, evidence = products_run(X, y)
    seen = in_products(evidence, 4.0)
    assert seen.width == 1024
    np.testing.assert_allclose(seen.lengths(4.0), 2.0 ** (X.sum(axis=1) / 4.0), rtol=1e-12)
    for one in certified(run.learner.rule, evidence):
        assert run.updates <= one.value


# waves ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("learner", ["perceptron", "norma", "projection", "shrunkpa"])
def test_random_waves(learner: str) -> None:
    for seed in range(4):
        X, y = stream("noisy", 30 + seed)
        one = RULES[learner]
        waves = dl.RandomFourier(60, 0.4, seed=seed)
        run = dl.run(type(one)(**vars(one.rule), scale=waves), (X, y), certify=True, rows=37)
        assert run.evidence.width == 61
        certificate = run.certificate()
        assert certificate.bounds or learner == "shrunkpa"
        for found in certificate.bounds:
            assert certificate.observed(found) <= found.value


def test_a_refusal_comes_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_space, "KernelValues", None)
    learner = dl.Kernelized("perceptron", "rbf", budget=5, evict="projectron")
    run = dl.run(learner, stream("standing", 1), certify=True)
    with pytest.raises(NoTheoremError, match="Projectron"):
        certified(run.learner.rule, run.evidence)
