"""ALMA and NORMA against fixed, drifting and jumping targets: Theorems 1 to 4."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import driftline as dl
from driftline import bounds
from tests.support.adversary import MOTIONS, Targets, candidates, targets, worst

N, ROUNDS, MU = 20, 300, 0.2
P = (2.0, 3.0, 2.0 * math.log(N))
SEEDS = range(4)
Rounds = list[tuple[float, np.ndarray]]


class Played(NamedTuple):
    """What a learner did, and what the targets lost at margin MU."""

    mistakes: int
    margin_errors: int
    loss: float
    K: float


@cache
def stream(p: float, motion: str, noise: float, seed: int) -> tuple[Targets, Rounds, np.ndarray]:
    """Targets, the rows to choose from in every round, and the signs that make some labels wrong."""
    rng = np.random.default_rng([seed, int(100 * p), MOTIONS.index(motion), int(100 * noise)])
    found = targets(rng, motion, p, ROUNDS, N)
    return found, list(candidates(rng, found, MU)), np.where(rng.random(ROUNDS) < noise, -1.0, 1.0)


def play(learner: dl.Learner, found: Targets, rounds: Rounds, flips: np.ndarray, adversarial: bool) -> Played:
    """Learn the worst row of every round, or just the first."""
    rho, K, loss = learner.rule.margin, 0.0, 0.0
    for u, (y, rows), flip in zip(found.U, rounds, flips, strict=True):
        x = worst(learner, rows, y) if adversarial else rows[0]
        K += max(0.0, MU - flip * y * (u @ x))
        loss += max(0.0, rho - flip * y * learner.learn_one(x, flip * y))
    return Played(learner.mistakes, learner.margin_errors, loss, K)


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("motion", MOTIONS)
def test_tuned(motion: str, noise: float, p: float) -> None:
    """The prescribed rates need K in advance: every wrong label loses at most MU + 1."""
    could_fail = []
    for seed in SEEDS:
        found, rounds, flips = stream(p, motion, noise, seed)
        most = float(np.sum(flips < 0.0)) * (MU + 1.0)
        given = {"X": 1.0 + 1e-12, "B": 1.0 + 1e-12, "mu": MU, "K": most, "p": p}
        moved = {"D1": found.D1, "D2": found.D2, "T": ROUNDS}
        for kind, mistakes, margin in (
            (dl.ALMA, bounds.ALMAMistakes(**given, D=found.D1), bounds.ALMAMargin(**given, D=found.D1, rho=MU / 2)),
            (dl.NORMA, bounds.NORMAMistakes(**given, **moved), bounds.NORMAMargin(**given, **moved, rho=MU / 2)),
        ):
            tuning = mistakes.tuning()
            for part in (0.0, 0.5, 1.0):
                learner = kind(**{**tuning, "rho": part * tuning["rho"]}, bias=False)
                played = play(learner, found, rounds, flips, adversarial=seed % 2 == 0)
                assert most >= played.K
                assert 0 < played.mistakes <= mistakes.value
                could_fail.append(mistakes.value < ROUNDS)
            played = play(kind(**margin.tuning(), bias=False), found, rounds, flips, adversarial=seed % 2 == 0)
            assert 0 < played.margin_errors <= margin.value
    assert any(could_fail) or (motion != "standing" and p > 2.0)


@pytest.mark.parametrize("p", P)
def test_any_rate_forgetting_and_margin(p: float) -> None:
    """(K + Q / alpha') / (mu - z) with the loss that the targets really have; margin errors and loss share it."""
    rng = np.random.default_rng(int(100 * p))
    ratios = []
    for motion in MOTIONS:
        for seed in SEEDS:
            found, rounds, flips = stream(p, motion, (0.0, 0.03)[seed % 2], seed)
            for part in (0.0, float(rng.random()), 1.0 - 1e-9):
                z = MU * rng.uniform(0.05, 0.95)
                rho, rate, zeta = (MU - z) * part, 2.0 * z / (p - 1.0), 10.0 ** rng.uniform(-4.0, 0.0)
                lam = zeta / rate
                alma = play(dl.ALMA(rate, 1.0, rho, p, bias=False), found, rounds, flips, adversarial=seed < 2)
                alpha = rate / (1.0 + zeta)
                norma = play(dl.NORMA(alpha, lam, rho, p, bias=False), found, rounds, flips, adversarial=seed < 2)
                given = {"X": 1.0 + 1e-12, "B": 1.0, "mu": MU, "p": p, "rho": rho}
                for played, bound in (
                    (alma, bounds.ALMAUntuned(**given, K=alma.K, D=found.D1, alpha=rate)),
                    (
                        norma,
                        bounds.NORMAUntuned(
                            **given, K=norma.K, D1=found.D1, D2=found.D2, T=ROUNDS, alpha=alpha, lam=lam
                        ),
                    ),
                ):
                    assert 0 < played.mistakes <= bound.value
                    # what the proof shows: loss at rho, and mu - rho - z for every margin error
                    spent = played.loss + played.margin_errors * (MU - rho - bound.z)
                    assert spent <= bound.value * (MU - bound.z) * (1.0 + 1e-9)
                    ratios.append(spent / (bound.value * (MU - bound.z)))
    assert max(ratios) > {2.0: 0.4, 3.0: 0.25}.get(p, 0.15)


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("motion", MOTIONS)
def test_perceptrons(motion: str, noise: float, p: float) -> None:
    """Updates within what the way of the targets allows, and some part of that is reached."""
    ratios = []
    for seed in SEEDS:
        found, rounds, flips = stream(p, motion, noise, seed)
        for adversarial in (False, True):
            learner = dl.PNormPerceptron(p, bias=False)
            K, S = 0.0, 0.0
            for u, (y, rows), flip in zip(found.U, rounds, flips, strict=True):
                x = worst(learner, rows, y) if adversarial else rows[0]
                before = learner.updates
                learner.learn_one(x, flip * y)
                if learner.updates > before:
                    K += max(0.0, MU - flip * y * (u @ x))
                    S += float(np.linalg.norm(x, p) ** 2)
            bound = bounds.PNormMoving(p=p, S=S, gamma=MU, D=K / MU, V=found.D1)
            assert learner.updates <= bound.value
            ratios.append(learner.updates / bound.value)
    assert max(ratios) > 0.1


# tight cases, and conditions that are dropped ------------------------------------------------------------------
def flipping(learner: dl.Learner, flips: int, rounds: int) -> float:
    """The loss at the learner's margin where x = 1 and the target, 1 at first, is negated so many times."""
    y = np.repeat((-1.0) ** np.arange(flips + 1), rounds)
    trials = learner.test_then_train(np.ones((len(y), 1)), y)
    return float(np.maximum(0.0, learner.rule.margin - y * trials.scores).sum())


@pytest.mark.parametrize("steps", [2, 8, 64])
@pytest.mark.parametrize("flips", [0, 1, 7])
def test_alma_on_a_target_that_flips_reaches_what_its_proof_allows(flips: int, steps: int) -> None:
    """With rho = mu - z the proof bounds the loss alone: 1 / (2 alpha) at first, 2 / alpha for each flip, exactly."""
    given = {"X": 1.0, "B": 1.0, "mu": 1.0, "D": 2.0 * flips, "alpha": 1.0 / steps}
    bound = bounds.ALMAUntuned(**given, rho=1.0 - 0.5 / steps)
    learner = dl.ALMA(1.0 / steps, 1.0, bound.rho, bias=False)
    loss = flipping(learner, flips, 3 * steps)
    assert loss == pytest.approx(bound.value * (1.0 - bound.z), rel=1e-12)
    assert learner.mistakes <= bound.value
    if flips:  # the path must be paid for
        still = bounds.ALMAUntuned(**{**given, "D": 0.0}, rho=bound.rho)
        assert loss > still.value * (1.0 - still.z)


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize("flips", [0, 1, 5])
def test_the_perceptron_pays_for_a_target_that_flips(flips: int, n: int) -> None:
    """Orthonormal rows, and u negated when w is longest: all of the bound at first, 0.58 of it after one flip."""
    X, y = np.vstack([np.eye(n)] * 2 * (flips + 1)), np.repeat((-1.0) ** np.arange(flips + 1), 2 * n)
    learner = dl.Perceptron(bias=False)
    learner.learn_many(X, y)
    paid, unpaid = (bounds.PNormMoving(S=learner.updates, gamma=n**-0.5, D=0.0, V=2.0 * k) for k in (flips, 0))
    assert learner.updates <= paid.value * (1.0 + 1e-12)
    if flips == 0:
        assert learner.updates == pytest.approx(paid.value)
    else:
        assert learner.updates > unpaid.value
        assert flips > 1 or learner.updates / paid.value == pytest.approx(3.0**-0.5)


def test_norma_on_a_target_that_flips_comes_near_to_what_its_proof_allows() -> None:
    ratios = []
    for rate in (1.0, 0.25, 0.1):
        for zeta in (0.01, 0.1, 0.3, 1.0):
            for flips, rounds in ((0, 300), (6, 4), (6, 30), (6, 300)):
                alpha, lam, T = rate / (1.0 + zeta), zeta / rate, (flips + 1) * rounds
                moved = {"D1": 2.0 * flips, "D2": 4.0 * flips, "T": T, "alpha": alpha, "lam": lam}
                bound = bounds.NORMAUntuned(X=1.0, B=1.0, mu=1.0, rho=(1.0 - rate / 2.0) * (1.0 - 1e-12), **moved)
                learner = dl.NORMA(alpha, lam, bound.rho, bias=False)
                allowed = bound.value * (1.0 - bound.z)
                ratios.append(flipping(learner, flips, rounds) / allowed)
                assert learner.mistakes <= bound.value
    assert 0.7 < max(ratios) <= 1.0


@pytest.mark.parametrize("n", [4, 16])
def test_a_path_that_is_not_paid_for_breaks_the_bounds(n: int) -> None:
    """Coordinates change sign one after another: the mistakes stay below the bounds with the path, not without."""
    signs, y = np.ones(n), []
    for flip in range(2 * n):
        y += list(signs) * 8
        signs[flip % n] *= -1.0
    X, flips = np.vstack([np.eye(n)] * 8 * 2 * n), 2 * n - 1
    given = {"X": 1.0, "B": 1.0, "mu": n**-0.5}
    D1, D2 = flips * 2.0 * n**-0.5, flips * 4.0 / n
    pairs: list[tuple[type[dl.ALMA] | type[dl.NORMA], bounds.Bound, bounds.Bound]] = [
        (dl.ALMA, bounds.ALMAMistakes(**given, D=D1), bounds.ALMAMistakes(**given)),
        (
            dl.NORMA,
            bounds.NORMAMistakes(**given, D1=D1, D2=D2, T=len(y)),
            bounds.NORMAMistakes(**given, T=len(y)),
        ),
    ]
    for kind, paid, unpaid in pairs:
        for part in (0.0, 1.0):
            learner = kind(**{**paid.tuning(), "rho": part * paid.tuning()["rho"]}, bias=False)
            learner.learn_many(X, np.array(y))
            assert unpaid.value < learner.mistakes <= paid.value


def test_a_rate_that_is_too_high_has_no_bound() -> None:
    """ALMA in the plane, rows in turn on both sides of the target: a rate far above the prescribed one never learns."""
    mu = 0.5
    height = math.sqrt(1.0 - mu**2)
    X, y = np.array([[mu, height], [mu, -height]] * 200), np.ones(400)
    bound = bounds.ALMAMistakes(X=1.0, B=1.0, mu=mu)
    good = dl.ALMA(**bound.tuning(), bias=False)
    good.learn_many(X, y)
    assert good.mistakes <= bound.value
    wild = dl.ALMA(100.0, 1.0, 0.0, bias=False)
    wild.learn_many(X, y)
    assert wild.mistakes > bound.value
    with pytest.raises(ValueError, match=r"ALMAUntuned: alpha \(p - 1\) X\^2 / 2 < mu must hold"):
        bounds.ALMAUntuned(X=1.0, B=1.0, mu=mu, alpha=100.0)


# the rate that Theorem 4 prints ---------------------------------------------------------------------------------
def printed(bound: bounds.NORMAMistakes) -> dict[str, float]:
    """The tuning with the rate as Theorem 4 prints it: alpha' / (1 - alpha' lam)."""
    tuning = bound.tuning()
    rate = tuning["alpha"] / (1.0 - tuning["alpha"] * tuning["lam"])
    return {**tuning, "alpha": rate / (1.0 - rate * tuning["lam"])}


def test_the_rate_as_printed_is_no_rate() -> None:
    """A target that moves by its own length on each round makes it negative, half of that makes it forget too much."""
    for step, fault in ((1.5, "alpha must be > 0"), (0.7, "lam must be")):
        bound = bounds.NORMAMistakes(X=1.0, B=1.0, mu=1.0, D1=100 * step, D2=100 * step**2, T=100)
        with pytest.raises(ValueError, match=fault):
            dl.NORMA(**printed(bound))
        tuning = dl.NORMA(**bound.tuning()).rule
        assert tuning.alpha / (1.0 - tuning.alpha * tuning.lam) == pytest.approx(1.0)  # the rate of the proof


def test_the_rate_as_printed_learns_nothing() -> None:
    """Rows in turn on both sides of a target that is negated now and then: every single round is a mistake.

    The proof has no bound for that rate; with the prescribed one there are few mistakes.
    """
    mu, rounds, flips = 0.6, 300, 15
    height = math.sqrt(1.0 - mu**2)
    side = np.where(np.arange(rounds) % 2, height, -height)
    signs = np.repeat((-1.0) ** np.arange(flips), rounds // flips)
    X, y = np.column_stack([mu * signs, side]), np.ones(rounds)
    given = {"X": 1.0, "B": 1.0, "mu": mu, "D1": 2.0 * flips, "D2": 4.0 * flips, "T": rounds}
    bound = bounds.NORMAMistakes(**given)
    good, bad = (dl.NORMA(**tuning, bias=False) for tuning in (bound.tuning(), printed(bound)))
    good.learn_many(X, y)
    bad.learn_many(X, y)
    assert good.mistakes < rounds / 3
    assert bad.mistakes == rounds
    with pytest.raises(ValueError, match=r"NORMAUntuned: alpha' \(p - 1\) X\^2 / 2 < mu must hold"):
        bounds.NORMAUntuned(**given, alpha=bad.rule.alpha, lam=bad.rule.lam)
    bounds.NORMAUntuned(**given, alpha=good.rule.alpha, lam=good.rule.lam)
