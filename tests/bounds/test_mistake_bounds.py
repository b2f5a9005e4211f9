"""No learner exceeds the mistake bound of its theorem on streams with a known comparator."""

from __future__ import annotations

import math

import numpy as np
import pytest

import driftline as dl
from tests.oracles.projections import norm
from tests.support.linear_cases import WHEN, P, separable
from tests.support.training import learn_until_separated

SEEDS = range(4)
every_seed = pytest.mark.parametrize("seed", SEEDS)


def following(
    seed: int, angle: float, rounds: int = 1500, n: int = 5, margin: float = 0.3
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Unit rows, labels, unit targets that turn by an angle a round (y u.x >= margin), and the length of their path."""
    rng = np.random.default_rng(seed)
    plane = np.linalg.qr(rng.normal(size=(n, 2)))[0].T
    turned = angle * np.arange(rounds)[:, None]
    U = np.cos(turned) * plane[0] + np.sin(turned) * plane[1]
    across = rng.normal(size=(rounds, n))
    across -= np.sum(across * U, axis=1, keepdims=True) * U
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    height = rng.uniform(margin, min(1.0, 1.5 * margin), (rounds, 1))
    y = rng.choice([-1.0, 1.0], size=rounds)
    X = y[:, None] * (height * U + np.sqrt(1.0 - height**2) * across)
    return X, y, U, float(np.linalg.norm(np.diff(U, axis=0), axis=1).sum())


@every_seed
@pytest.mark.parametrize("p", P)
def test_perceptron_in_any_norm(p: float, seed: int) -> None:
    data, u = separable(seed, 200, 8, 0.05, p=p)
    gamma = np.min(data.y * (data.X @ u))
    learner = dl.PNormPerceptron(p, bias=False)
    learn_until_separated(learner, data.X, data.y)
    assert 10 < learner.mistakes <= (p - 1.0) / gamma**2


@pytest.mark.parametrize("n", [4, 64])
def test_orthonormal_rows_reach_the_bounds(n: int) -> None:
    """u = (1, ..., 1) has margin 1 on them and |u|^2 = n: every one of these bounds is n, and so are the mistakes."""
    for learner in (
        dl.Perceptron(bias=False),
        dl.ProjectionPerceptron(eta=n**-0.5, bias=False),
        dl.ALMA(n**-0.5, 1.0, 0.0, bias=False),
        dl.ROMMA(bias=False),
        dl.ROMMA(when="margin", bias=False),
        dl.L2PA(n**0.5, bias=False),
        dl.L2PA(n**0.5, when="margin", bias=False),
    ):
        learn_until_separated(learner, np.eye(n), np.ones(n))
        assert learner.mistakes == n


def test_wrong_labels_break_the_perceptron_bound() -> None:
    data, u = separable(0, 200, 8, 0.2)
    flips = np.where(np.random.default_rng(0).random(200) < 0.2, -1.0, 1.0)
    learner = dl.Perceptron(bias=False)
    learner.learn_many(data.X, data.y * flips)
    assert learner.mistakes > 1.0 / np.min(data.y * (data.X @ u)) ** 2


@every_seed
@pytest.mark.parametrize("when", WHEN)
def test_romma(when: str, seed: int) -> None:
    data, u = separable(seed, 200, 8, 0.05)
    learner = dl.ROMMA(when=when, bias=False)
    for _ in range(50):
        learner.learn_many(data.X, data.y)
    assert 10 < learner.mistakes <= 1.0 / np.min(data.y * (data.X @ u)) ** 2
    assert norm(learner._engine.weights()) * np.min(data.y * (data.X @ u)) <= 1.0


@every_seed
@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_self_tuning_alma(alpha: float, p: float, seed: int) -> None:
    data, u = separable(seed, 200, 8, 0.05, p=p)
    gamma = np.min(data.y * (data.X @ u))
    learner = dl.SelfTuningALMA(alpha, p=p, bias=False)
    learn_until_separated(learner, data.X, data.y, passes=2000)
    assert 10 < learner.updates <= 2.0 * (p - 1.0) / gamma**2 * (2.0 / alpha - 1.0) ** 2 + 8.0 / alpha - 4.0
    assert np.min(data.y * learner.score_many(data.X)) >= (1.0 - alpha) * gamma


@every_seed
@pytest.mark.parametrize("angle", [0.0, 0.003, 0.03])
def test_projection_perceptron_follows_a_moving_target(angle: float, seed: int) -> None:
    X, y, U, path = following(seed, angle)
    gamma = np.min(y * np.sum(U * X, axis=1))
    learner = dl.ProjectionPerceptron(eta=gamma, bias=False)
    learner.learn_many(X, y)
    assert 1 < learner.mistakes <= (1.0 + 2.0 * path) / gamma**2


def test_a_flipping_target_costs_its_path_length() -> None:
    """Orthonormal rows reach n; once the target is negated (path length 2) each row costs two mistakes more."""
    n = 16  # so that the step n**-0.5 and its sums are exact
    learner = dl.ProjectionPerceptron(eta=n**-0.5, bias=False)
    learner.learn_many(np.eye(n), np.ones(n))
    assert learner.mistakes == n
    learner.learn_many(np.vstack([np.eye(n), np.eye(n)]), -np.ones(2 * n))
    assert n * (1.0 + 2.0) <= learner.mistakes <= n * (1.0 + 2.0 * 2.0)


@every_seed
@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("angle", [0.0, 0.003])
def test_alma_and_norma(angle: float, p: float, seed: int) -> None:
    """For any rate with z = alpha' (p-1) X^2 / 2 < mu: mistakes <= Q / (alpha' (mu - z)), here with zero hinge."""
    X, y, U, _ = following(seed, angle)
    q = p / (p - 1.0)
    B = max(norm(u, q) for u in U)
    steps = [norm(step, q) for step in np.diff(U, axis=0)]
    mu, longest = np.min(y * np.sum(U * X, axis=1)), max(norm(x, p) for x in X)
    rate = mu / ((p - 1.0) * longest**2)  # so that z = mu / 2
    room = mu / 2.0
    for rho in (0.0, room):
        alma = dl.ALMA(rate, B, rho, p, bias=False)
        alma.learn_many(X, y)
        assert 0 < alma.mistakes <= (B**2 / 2.0 + B * sum(steps)) / (rate * room)
        squares = sum(step**2 for step in steps)
        lam = math.sqrt(squares / len(X)) / (B * rate)
        norma = dl.NORMA(rate / (1.0 + rate * lam), lam, rho, p, bias=False)
        norma.learn_many(X, y)
        moved = 0.25 * (squares / (rate * lam) + 2.0 * B * sum(steps) + len(X) * rate * lam * B**2) if lam else 0.0
        assert 0 < norma.mistakes <= (B**2 / 2.0 + moved) / (rate * room)


@every_seed
@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("angle", [0.0, 0.003, 0.03])
def test_constrained_pa_pays_for_the_path_of_its_target(angle: float, when: str, seed: int) -> None:
    """Sum over updates of loss^2 <= R^2 (D^2 + 2 beta V), hence as many mistakes, whenever the target moves."""
    X, y, U, _ = following(seed, angle)
    U = U / np.min(y * np.sum(U * X, axis=1))  # y u.x >= 1
    for rule, size, move in ((dl.L2PA, 2.0, 2.0), (dl.L1PA, 1.0, np.inf)):
        beta = max(norm(u, size) for u in U)
        learner = rule(beta * 1.01, when=when, bias=False)
        trials = learner.test_then_train(X, y)
        loss = np.maximum(0.0, 1.0 - trials.y * trials.scores)[trials.updated]
        path = np.linalg.norm(np.diff(U, axis=0), ord=move, axis=1).sum()
        bound = beta**2 + 2.0 * 1.01 * beta * path
        assert 1 < learner.mistakes <= bound
        assert (loss**2).sum() <= bound
        assert learner.infeasible == 0


def test_a_target_that_moves_on_every_round_breaks_the_printed_bound() -> None:
    """R^2 D^2 / (1 - 2 mu beta R^2) needs a target that moves on updates only."""
    X, y, U, _ = following(1, 0.01)
    U = U / np.min(y * np.sum(U * X, axis=1))
    beta, mu = norm(U[0]), norm(U[1] - U[0])
    assert 2.0 * mu * beta < 1.0
    learner = dl.L2PA(beta * 1.0001, bias=False)
    learner.learn_many(X, y)
    assert learner.mistakes > beta**2 / (1.0 - 2.0 * mu * beta)
