"""Certificates of Winnow and BalancedWinnow: at least the updates, with correct inputs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds
from driftline.bounds.multiplicative.balanced_winnow import log_cosh
from driftline.certify.evidence import Evidence
from driftline.certify.rules.balanced_winnow import balanced_winnow
from driftline.certify.rules.winnow import best_target
from driftline.certify.tightest import FINDERS

CLOSE = 1.0 + 1e-9
KINDS = ("any of three", "two of five", "lists")


def positive_stream(
    kind: str, seed: int, binary: bool, n: int = 24, rounds: int = 400
) -> tuple[np.ndarray, np.ndarray]:
    """Features from 0 to 1, most of them without a meaning."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    X = (rng.random((rounds, n)) < 0.3).astype(float)
    if kind == "any of three":
        y = np.where(X[:, :3].any(axis=1), 1.0, -1.0)
    elif kind == "two of five":
        y = np.where(X[:, :5].sum(axis=1) >= 2.0, 1.0, -1.0)
    else:  # only one feature of each row matters
        X[:, :8] = np.eye(8)[rng.integers(8, size=rounds)]
        y = np.where(X[:, :4].any(axis=1), 1.0, -1.0)
    return X if binary else X * rng.uniform(0.9, 1.0, X.shape), y


def rows_of(evidence: Evidence) -> np.ndarray:
    shape = len(evidence), evidence.width
    rows = csr_matrix((evidence.values, evidence.indices.astype(np.int64), evidence.indptr.astype(np.int64)), shape)
    return np.asarray(rows.toarray())


def entropy(shares: np.ndarray) -> float:
    there = shares[shares > 0.0]
    return float(-np.sum(there * np.log(there)))


def prefixes_hold(run: Any, one: Any) -> None:
    rounds, values = one.over_time
    done = np.cumsum(run.evidence.updated)[rounds.astype(int) - 1]
    assert (done <= values * CLOSE).all()
    assert values[-1] == pytest.approx(one.value)


# Winnow -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["plain", "sparse", "bias", "unit"])
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_no_run_of_winnow_exceeds_its_certificate(kind: str, binary: bool, form: str) -> None:
    highest, refused = 0.0, 0
    for seed, (theta, beta) in enumerate([(1.0, 1.2), (4.0, 1.3), (12.0, 1.1), (0.5, 1.2), (6.0, 2.0), (40.0, 1.5)]):
        X, y = positive_stream(kind, seed, binary)
        options: dict[str, Any] = {"bias": form in ("bias", "unit"), "scale": "unit" if form == "unit" else None}
        learner = dl.Winnow(theta, beta, **options)
        run = dl.run(learner, (csr_matrix(X) if form == "sparse" else X, y), certify=True, rows=90)
        certificate = run.certificate()
        refused += not certificate.bounds
        if not certificate.bounds:
            assert "mu >= 0 with mu.x >= 1 on positive rounds" in certificate.why[0] and beta > 1.25
            continue
        (best,) = certificate.bounds
        assert 0 < run.updates == certificate.observed(best) <= best.value
        highest = max(highest, certificate.ratio(best))
        prefixes_hold(run, best)
        names = [bound.name for bound, _ in FINDERS[type(learner.rule)](learner.rule, run.evidence)]
        whole = binary and form != "unit" and theta >= 1.0
        assert names == (["winnow-binary", "winnow"] if whole else ["winnow"])
        for bound, one in FINDERS[type(learner.rule)](learner.rule, run.evidence):
            verify(run, bound, one.path.vectors[0])  # type: ignore[union-attr]
    assert highest > (0.1 if form == "unit" else 0.3)  # so much of it is reached that a third of it would be wrong
    assert refused <= (2 if kind == "two of five" else 0)


def verify(run: Any, bound: Any, mu: np.ndarray) -> None:
    """The target has the gap, size and entropy that the bound states, on all updates."""
    rule, fired = run.learner.rule, run.evidence.updated
    X, y = rows_of(run.evidence)[fired], run.evidence.y[fired]
    assert (bound.theta, bound.beta) == (rule.theta, rule.beta)
    if not (y > 0.0).any():
        assert (bound.n, bound.U, bound.delta) == (X.any(axis=0).sum() + 1, 1.0, 1.0)
        return
    assert bound.n == X.any(axis=0).sum()
    assert mu.min() >= 0.0
    assert (X[y > 0.0] @ mu).min() >= 1.0 - 1e-12
    assert (X[y < 0.0] @ mu).max(initial=0.0) <= 1.0 - bound.delta + 1e-12
    assert mu.sum() == pytest.approx(bound.U)
    if isinstance(bound, bounds.WinnowReal):
        assert entropy(mu / mu.sum()) == pytest.approx(max(bound.H, 1e-300), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_target_of_the_makers_is_no_better(kind: str) -> None:
    """That which made the labels is one of those that the programme chooses from."""
    made = {"any of three": (3, 1.0, 1.0), "two of five": (5, 0.5, 0.5), "lists": (4, 1.0, 1.0)}
    k, each, delta = made[kind]
    X, y = positive_stream(kind, 7, True)
    run = dl.run(dl.Winnow(8.0, 1.2, bias=False), (X, y), certify=True)
    target = best_target(run.evidence.part(run.evidence.updated), 1.2)
    assert target is not None
    spare = 1.0 - 1.0 / 1.2
    assert target.size / (target.delta - spare) <= k * each / (delta - spare) * CLOSE
    best = run.certificate().best
    n = int(X[run.evidence.updated].any(axis=0).sum())
    H = min(math.log(k), best.bound.H)  # type: ignore[union-attr]
    assert best is not None
    assert best.value <= bounds.WinnowReal(n=n, theta=8.0, delta=delta, U=k * each, beta=1.2, H=H).value * CLOSE


def test_winnow_with_no_positive_update() -> None:
    """Then there is no target to find: one that never occurs is good enough."""
    rng = np.random.default_rng(1)
    X = (rng.random((50, 5)) < 0.6).astype(float)
    for theta, none in ((1.0, False), (100.0, True)):
        run = dl.run(dl.Winnow(theta, 1.5, bias=False, labels=(-1, 1)), (X, -np.ones(50)), certify=True)
        best = run.certificate().best
        assert best is not None and (run.updates == 0) == none
        assert run.updates <= best.value


@pytest.mark.parametrize(
    ("X", "y", "theta", "says"),
    [
        ([[1.0, 3.0], [1.0, 0.0]], [1, -1], 1.0, "features from 0 to 1, got one of 3"),
        (
            [[1.0, 0.0], [1.0, 0.0]] * 5,
            [1, -1] * 5,
            1.0,
            "mu >= 0 with mu.x >= 1 on positive rounds and mu.x <= 1 - delta on negative ones, "
            "delta > 1 - 1/beta = 0.333, got no such mu for the updates",
        ),
        (
            [[0.5, 0.5], [0.45, 0.5]] * 20,
            [1, -1] * 20,
            0.9,
            "mu >= 0 with mu.x >= 1 on positive rounds and mu.x <= 1 - delta on negative ones, "
            "delta > 1 - 1/beta = 0.333, got no such mu for the updates",
        ),
    ],
)
def test_why_winnow_is_not_certified(X: list[list[float]], y: list[int], theta: float, says: str) -> None:
    certificate = dl.run(dl.Winnow(theta, 1.5, bias=False), (np.array(X), np.array(y)), certify=True).certificate()
    assert certificate.bounds == ()
    assert certificate.why[0] == f"no bound on mistakes: the theorem needs {says}"


# TrackingWinnow --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["plain", "sparse", "bias", "unit"])
def test_no_run_of_tracking_winnow_exceeds_its_certificate(form: str) -> None:
    """One target where it stands still; several where it moves, and then no single one does."""
    for seed, (theta, beta, floor) in enumerate([(4.0, 1.3, 0.02), (8.0, 1.5, 0.05), (2.0, 1.2, 0.001)]):
        for kind in (KINDS[0], "moving"):
            X, y = positive_stream(KINDS[0], seed, True)
            if kind == "moving":
                y[200:] = np.where(X[200:, 9:12].any(axis=1), 1.0, -1.0)
            options: dict[str, Any] = {"bias": form in ("bias", "unit"), "scale": "unit" if form == "unit" else None}
            learner = dl.TrackingWinnow(theta, beta, floor, **options)
            run = dl.run(learner, (csr_matrix(X) if form == "sparse" else X, y), certify=True, rows=90)
            certificate = run.certificate()
            assert certificate.bounds
            for one in certificate.bounds:
                assert 0 < run.updates == certificate.observed(one) <= one.value
                prefixes_hold(run, one)
            assert any(one.moves for one in certificate.bounds) or kind != "moving"
            assert any(not one.moves for one in certificate.bounds) or kind == "moving"
            for bound, one in FINDERS[type(learner.rule)](learner.rule, run.evidence):
                verify_path(run, bound, one.path)  # type: ignore[union-attr]


def verify_path(run: Any, bound: Any, path: Any) -> None:
    """The targets have the gap, size and moves that the bound states, on all updates."""
    fired, mu = run.evidence.updated, path.vectors
    X, y = rows_of(run.evidence)[fired], run.evidence.y[fired]
    piece = np.searchsorted(path.cuts[1:], np.arange(len(y)), side="right")
    sums = np.sum(X * mu[piece], axis=1)
    assert mu.min() >= 0.0 and bound.n == X.any(axis=0).sum() and bound.A == 0.0
    assert sums[y > 0.0].min() >= 1.0 - 1e-12
    assert sums[y < 0.0].max(initial=0.0) <= 1.0 - bound.delta + 1e-12
    assert (bound.N, bound.least) == (pytest.approx(X.sum(axis=1).max()), X[X > 0.0].min())
    assert mu[-1].sum() == pytest.approx(bound.U)
    moved = np.diff(mu, axis=0)
    assert (bound.up, bound.down) == pytest.approx((moved.clip(0.0).sum(), -moved.clip(None, 0.0).sum()), abs=1e-9)
    assert entropy(mu[-1] / mu[-1].sum()) == pytest.approx(bound.H, abs=1e-9)


@pytest.mark.parametrize(
    ("X", "y", "floor", "says"),
    [
        ([[1.0, 3.0], [1.0, 0.0]], [1, -1], 0.01, "features from 0 to 1, got one of 3"),
        ([[1.0, 1.0], [1.0, 1.0]], [-1, -1], 0.6, "floor |x|_1 < theta, got floor |x|_1 = 1.2 and theta = 1"),
        (
            [[1.0, 0.0], [1.0, 0.0]] * 5,
            [1, -1] * 5,
            0.01,
            "mu_t >= 0 with mu_t.x >= 1 on positive rounds and mu_t.x <= 1 - delta on negative ones, "
            "delta > 1 - (1 - floor |x|_1 / theta) / beta = 0.34, got no such mu_t for the updates",
        ),
    ],
)
def test_why_tracking_winnow_is_not_certified(X: list[list[float]], y: list[int], floor: float, says: str) -> None:
    learner = dl.TrackingWinnow(1.0, 1.5, floor, bias=False, labels=(-1, 1))
    certificate = dl.run(learner, (np.array(X), np.array(y)), certify=True).certificate()
    assert certificate.bounds == ()
    assert certificate.why[0] == f"no bound on mistakes: the theorem needs {says}"


def test_tracking_winnow_without_updates() -> None:
    run = dl.run(dl.TrackingWinnow(100.0, labels=(-1, 1)), (np.ones((5, 2)), -np.ones(5)), certify=True)
    assert run.updates == 0 and run.certificate().best is not None


# balanced Winnow --------------------------------------------------------------------------------------------------
def signed_stream(seed: int, noise: float, n: int = 20, rounds: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (rounds, n)) * (rng.random((rounds, n)) < 0.7)
    X[:, :3] = rng.choice([-1.0, 1.0], (rounds, 3))
    y = np.sign(X[:, :3].sum(axis=1))
    return X, y * np.where(rng.random(rounds) < noise, -1.0, 1.0)


@pytest.mark.parametrize("form", ["plain", "sparse", "bias", "unit"])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_no_run_of_balanced_winnow_exceeds_its_certificate(noise: float, form: str) -> None:
    highest, sharp = 0.0, 0
    for seed, eta in enumerate((0.01, 0.03, 0.1, 0.3, 1.0, 5.0)):
        X, y = signed_stream(seed, noise)
        options: dict[str, Any] = {"bias": form in ("bias", "unit"), "scale": "unit" if form == "unit" else None}
        learner = dl.BalancedWinnow(eta, **options)
        run = dl.run(learner, (csr_matrix(X) if form == "sparse" else X, y), certify=True, rows=90)
        rows = rows_of(run.evidence)
        certificate = run.certificate()
        (best,) = certificate.bounds
        assert 0 < run.updates == certificate.observed(best) <= best.value
        highest, sharp = max(highest, certificate.ratio(best)), sharp + (best.value < len(y))
        prefixes_hold(run, best)
        for bound, one in balanced_winnow(learner.rule, run.evidence):
            assert isinstance(bound, bounds.BalancedWinnowUntuned)
            assert run.updates <= bound.value
            u = one.scale * one.path.vectors[0]
            assert np.abs(u).sum() <= CLOSE
            assert (bound.n, bound.X, bound.eta) == (rows.any(axis=0).sum(), np.abs(rows).max(), eta)
            lost = np.maximum(0.0, 1.0 - y * (rows @ u) / bound.gamma).sum()
            assert lost == pytest.approx(bound.D, abs=1e-9)
            # u = u+ - u- with the entropy that is stated: what u leaves of the sum 1 is on both sides
            assert math.log(2 * bound.n) + 1e-12 >= bound.H
            if np.abs(u).sum() > 1.0 - 1e-12:
                assert entropy(np.abs(u)) == pytest.approx(bound.H, abs=1e-6)
    assert highest > (0.06 if form == "unit" else 0.25) and sharp >= 4


@pytest.mark.parametrize("times", [1.5, 4.0])
def test_fits_in_its_own_geometry_are_near_the_best(times: float) -> None:
    """Against a general optimiser, on the objective that they are to minimise."""
    X, y = signed_stream(3, 0.05, n=4, rounds=60)
    eta = 0.3
    gamma = times * log_cosh(eta) / eta
    run = dl.run(dl.BalancedWinnow(eta, bias=False), (X, y), certify=True)

    def cost(z: np.ndarray) -> float:
        shares = np.exp(z - np.max(z))
        shares /= shares.sum()
        u = shares[:4] - shares[4:]
        lost = np.maximum(0.0, gamma - y * (X @ u)).sum()
        return math.log(8) + float(np.sum(shares * np.log(np.maximum(shares, 1e-300)))) + eta * float(lost)

    start = np.random.default_rng(0)
    least = min(
        minimize(cost, start.normal(size=8), method="Nelder-Mead", options={"maxiter": 20_000, "maxfev": 20_000}).fun
        for _ in range(4)
    )
    gain = eta * gamma - log_cosh(eta)
    offers = [bound for bound, _ in balanced_winnow(run.learner.rule, run.evidence)]
    assert min(bound.value for bound in offers) <= 1.02 * least / gain


def test_one_update_is_all_that_is_allowed() -> None:
    """One feature that is always right: with a steep rate the bound is all but 1, and there is 1 update."""
    certificate = dl.run(dl.BalancedWinnow(5.0, bias=False), (np.ones((5, 1)), np.ones(5)), certify=True).certificate()
    (best,) = certificate.bounds
    assert certificate.updates == 1 and 1.0 <= best.value < 1.03


@pytest.mark.parametrize("eta", [1e-320, 1e-160, 1e-5, 50.0, 1e50, 1e100])
@pytest.mark.parametrize("size", [1e-200, 1e-30, 1.0, 1e50])
def test_extreme_rates_and_lengths(eta: float, size: float) -> None:
    X, y = signed_stream(2, 0.05, n=4, rounds=40)
    run = dl.run(dl.BalancedWinnow(eta, bias=False), (size * X, y), certify=True)
    for one in run.certificate().bounds:
        assert run.updates <= one.value


def test_zeros_give_no_bound() -> None:
    run = dl.run(dl.BalancedWinnow(bias=False), (np.zeros((5, 2)), np.ones(5)), certify=True)
    assert run.certificate().bounds == ()
