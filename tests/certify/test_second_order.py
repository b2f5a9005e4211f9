"""Certificates of the second-order Perceptron, primal and kernel: eigenvalues and losses."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds, kernels
from driftline.certify.comparators.candidates import standing
from driftline.certify.rules import second_order_perceptron
from driftline.certify.rules.second_order_perceptron import in_both, logdet_of, logdets, round_rows
from driftline.certify.spaces import kernel_space
from driftline.certify.spaces.inner_rule import inside
from driftline.certify.tightest import FINDERS, certified

CLOSE = 1.0 + 1e-9
MOTIONS = ("standing", "drifting", "noisy", "spread")


@cache
def stream(motion: str, seed: int, rounds: int = 150, n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Rows at a distance from a target, of length at most 1; where they are spread, long only across it."""
    rng = np.random.default_rng([seed, MOTIONS.index(motion)])
    angle = np.arange(rounds) * 2.0 / rounds * (motion == "drifting")
    u = np.column_stack([np.cos(angle), np.sin(angle), np.zeros((rounds, n - 2))])
    X = rng.normal(size=(rounds, n)) * ([0.1, *[1.0] * (n - 1)] if motion == "spread" else 1.0)
    X /= np.linalg.norm(X, axis=1).max()
    along = np.sum(X * u, axis=1)
    kept = np.abs(along) > 0.02
    y = np.sign(along) * np.where(rng.random(rounds) < 0.08 * (motion == "noisy"), -1.0, 1.0)
    return X[kept], y[kept]


def eigenvalues(X: np.ndarray) -> np.ndarray:
    return np.maximum(0.0, np.linalg.eigvalsh(X.T @ X))


@pytest.mark.parametrize("a", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("motion", MOTIONS)
def test_every_offer_is_true_and_holds(motion: str, a: float) -> None:
    for seed in range(8):
        X, y = stream(motion, seed)
        bias, sparse = seed % 2 == 0, seed % 3 == 0
        learner = dl.SecondOrderPerceptron(a, bias=bias)
        run = dl.run(learner, (csr_matrix(X) if sparse else X, y), certify=True, rows=61)
        rows, fired = run.evidence.dense(), run.evidence.updated
        logdet = float(np.sum(np.log1p(eigenvalues(rows[fired]) / a)))
        assert learner.logdet == pytest.approx(logdet, rel=1e-6)
        kinds = set()
        for bound, one in FINDERS[type(learner.rule)](learner.rule, run.evidence):
            kinds.add(type(bound))
            assert isinstance(bound, bounds.SecondOrder | bounds.SecondOrderSeparable)
            assert run.updates <= bound.value * CLOSE
            assert bound.logdet == pytest.approx(logdet, rel=1e-9)
            assert bound.a == a and not one.moves
            (v,) = one.path.vectors
            u = v / np.linalg.norm(v)
            if isinstance(bound, bounds.SecondOrder):
                assert bound.lambda_u == pytest.approx(np.sum((rows[fired] @ u) ** 2), rel=1e-9, abs=1e-12)
                lost = np.maximum(0.0, 1.0 - y * (rows @ u) / bound.gamma).sum()
                np.testing.assert_allclose(bound.D, lost, rtol=1e-9, atol=1e-9)
                for gamma in (0.9 * bound.gamma, 1.1 * bound.gamma):  # no other scale is better
                    other = np.maximum(0.0, 1.0 - y * (rows @ u) / gamma).sum()
                    assert replace(bound, gamma=gamma, D=float(other)).value >= bound.value * (1.0 - 1e-9)
            else:
                assert np.linalg.norm(rows, axis=1).max() <= 1.0 + 1e-9
                assert (y * (rows @ u)).min() >= bound.gamma * (1.0 - 1e-9)
        assert bounds.SecondOrder in kinds or motion == "drifting" or (motion, a) == ("spread", 100.0)
        for found in certified(learner.rule, run.evidence):
            rounds, values = found.over_time
            assert (np.cumsum(fired)[rounds.astype(int) - 1] <= values * CLOSE + 1e-9).all()
            assert values[-1] == pytest.approx(found.value)


def test_both_theorems_are_tried() -> None:
    X, y = stream("standing", 1)
    run = dl.run(dl.SecondOrderPerceptron(0.01, bias=False), (X, y), certify=True)
    rule = run.learner.rule
    found = {type(bound) for bound, _ in FINDERS[type(rule)](rule, run.evidence)}
    assert found == {bounds.SecondOrder, bounds.SecondOrderSeparable}
    longer = dl.run(dl.SecondOrderPerceptron(0.01, bias=False), (1.5 * X, y), certify=True)
    found = {type(bound) for bound, _ in FINDERS[type(rule)](rule, longer.evidence)}
    assert found == {bounds.SecondOrder}


def test_less_than_the_first_order_where_eigenvalues_are_spread() -> None:
    """Examples are long across the target only: 1 / gamma^2 is large, the sum of logarithms is not."""
    for seed in range(4):
        X, y = stream("spread", seed, 1500, 4)
        first, second = (
            dl.run(learner, (X, y), certify=True)
            for learner in (dl.Perceptron(bias=False), dl.SecondOrderPerceptron(0.1, bias=False))
        )
        bound_1, bound_2 = (run.certificate().best for run in (first, second))
        assert bound_1 is not None and bound_2 is not None
        assert second.updates < first.updates
        assert second.updates <= bound_2.value < 0.8 * bound_1.value


def test_a_grows_to_the_perceptron() -> None:
    X, y = stream("noisy", 3)
    first = dl.run(dl.Perceptron(), (X, y), certify=True).certificate().best
    second = dl.run(dl.SecondOrderPerceptron(1e7), (X, y), certify=True).certificate().best
    assert first is not None and second is not None
    assert second.value == pytest.approx(first.value, rel=1e-4)


def test_round_rows_give_the_better_comparator() -> None:
    X, y = stream("spread", 3, 1000, 6)
    run = dl.run(dl.SecondOrderPerceptron(0.01), (X, y), certify=True)
    rule, evidence = run.learner.rule, run.evidence
    assert sum(1 for _ in in_both(evidence, evidence.updated, 0.01)) == 2 * sum(1 for _ in standing(evidence))
    found = [(bound.value, one.worth) for bound, one in FINDERS[type(rule)](rule, evidence)]
    plain = [one.worth for one in standing(evidence)]
    assert min(found)[0] < 0.9 * min(value for value, worth in found if worth in plain)


def test_rows_become_round() -> None:
    X, y = stream("spread", 5)
    run = dl.run(dl.SecondOrderPerceptron(1e-6, bias=False), (X, y), certify=True)
    whitened = round_rows(run.evidence, run.evidence.updated, 1e-6)
    assert whitened is not None
    rows, factor = whitened
    fired = rows.dense()[run.evidence.updated]
    np.testing.assert_allclose((fired.T @ fired)[1:, 1:], np.eye(5), atol=1e-3)
    np.testing.assert_allclose(rows.dense() @ factor.T, run.evidence.dense(), atol=1e-12)


def test_orthogonal_rows_reach_it_and_less_would_be_wrong() -> None:
    X, y = np.vstack([np.eye(60)] * 2), np.tile(np.where(np.arange(60) % 3, 1.0, -1.0), 2)
    run = dl.run(dl.SecondOrderPerceptron(50.0, bias=False), (X, y), certify=True)
    best = run.certificate().best
    assert best is not None and run.updates == 60
    assert 0.98 * best.value < run.updates <= best.value


@pytest.mark.parametrize("motion", MOTIONS)
def test_with_a_linear_kernel_it_is_the_primal_one(motion: str) -> None:
    X, y = stream(motion, 7)
    primal = dl.run(dl.SecondOrderPerceptron(0.5), (X, y), certify=True)
    dual = dl.run(dl.KernelSecondOrder(0.5, "linear"), (X, y), certify=True)
    assert primal.updates == dual.updates
    ours, theirs = dual.certificate().bounds, primal.certificate().bounds
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-5)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("kernel", [kernels.Gaussian(2.0), kernels.Laplacian(1.0), kernels.Polynomial(2)], ids=repr)
def test_with_a_kernel(kernel: Any, few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of logarithms is that of the kernel matrix, or more where the landmarks are few."""
    if few:
        monkeypatch.setattr(kernel_space, "MOST", 2000)
    for motion in MOTIONS:
        for seed in range(2):
            X, y = stream(motion, seed)
            run = dl.run(dl.KernelSecondOrder(0.3, kernel), (X, y), certify=True)
            fired = run.evidence.updated
            K = kernel.between(*[run.evidence.dense()[fired][:, 0 if kernel.sees_bias else 1 :]] * 2)
            true = float(np.sum(np.log1p(np.maximum(0.0, np.linalg.eigvalsh(K)) / 0.3)))
            rule, seen = inside(run.learner.rule, run.evidence)
            stated = logdet_of(seen, fired, 0.3)
            if not few:
                assert stated == pytest.approx(true, rel=1e-5)
            assert true * (1.0 - 1e-9) <= stated
            for bound, _ in FINDERS[type(rule)](rule, seen):
                assert run.updates <= bound.value * CLOSE


@pytest.mark.parametrize("kernel", [False, True])
def test_the_sum_of_logarithms_along_a_run(kernel: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By pivots, by spreads and by lengths: the first two exactly, the last no less, and the same at the end."""
    X, y = stream("noisy", 8)
    learner = dl.KernelSecondOrder(0.2, kernels.Polynomial(2)) if kernel else dl.SecondOrderPerceptron(0.2)
    run = dl.run(learner, (X, y), certify=True)
    _, seen = inside(learner.rule, run.evidence)
    fired, at = run.evidence.updated, np.arange(0, len(y), 7)
    rows = run.evidence.dense()
    G = kernels.Polynomial(2).between(rows, rows) if kernel else rows @ rows.T
    true = [np.linalg.slogdet(np.eye(n) + G[: t + 1, : t + 1][fired[: t + 1]][:, fired[: t + 1]] / 0.2)[1]
            for t, n in zip(at, np.cumsum(fired)[at], strict=True)]  # fmt: skip
    np.testing.assert_allclose(logdets(seen, fired, 0.2)[at], true, rtol=1e-6)
    monkeypatch.setattr(second_order_perceptron, "MOST_PIVOTS", 0)
    np.testing.assert_allclose(logdets(seen, fired, 0.2)[at], true, rtol=1e-6)
    monkeypatch.setattr(second_order_perceptron, "WORK", 1.0)
    coarse = logdets(seen, fired, 0.2)
    assert (coarse[at] >= np.array(true) * (1.0 - 1e-6)).all() and coarse[at[1]] > 1.01 * true[1]
    assert coarse[-1] == pytest.approx(logdet_of(seen, fired, 0.2))


def test_too_many_rows_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream("noisy", 9)
    run = dl.run(dl.SecondOrderPerceptron(), (X, y), certify=True)
    monkeypatch.setattr(second_order_perceptron, "MOST", 10)
    assert round_rows(run.evidence, run.evidence.updated, 1.0) is None
    (found,) = certified(run.learner.rule, run.evidence)
    assert run.updates <= found.value


def test_the_diagonal_is_refused() -> None:
    certificate = dl.run(dl.SecondOrderPerceptron(diagonal=True), stream("noisy", 1), certify=True).certificate()
    assert certificate.bounds == ()
    assert certificate.why[0] == (
        "no bound on mistakes: the theorem is about the full matrix, not its diagonal (diagonal=True)"
    )
    for other, why in ((dl.AROW(diagonal=True), "diagonal"), (dl.SCW(), "no theorem of the catalogue covers")):
        refused = dl.run(other, stream("noisy", 1), certify=True).certificate()
        assert refused.bounds == () and why in refused.why[0]
