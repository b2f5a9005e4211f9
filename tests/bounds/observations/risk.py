"""Online-to-batch conversion: true risks, known for Gaussian rows, compared with their bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import driftline as dl
from driftline import bounds
from driftline.internals import risk_limits as risk
from tests.bounds.observations.observation import Broken, Seen, breaks, shows

DELTA = 0.1


class Course(NamedTuple):
    """A run of the Perceptron over rows whose label is the sign of the first column, some of them wrong.

    Of the hypotheses in the order of their first rounds: these rounds, their risks, their errors on the rest and how
    many rounds each was in force; and which rounds of the run were wrong.
    """

    starts: np.ndarray
    risks: np.ndarray
    errors: np.ndarray
    lasted: np.ndarray
    wrong: np.ndarray

    @property
    def rest(self) -> np.ndarray:
        return len(self.wrong) - self.starts


@cache
def course(seed: int, T: int) -> Course:
    rng = np.random.default_rng([seed, T])
    noise = (0.0, 0.05, 0.2)[seed % 3] if T < 1000 else 0.0
    X = rng.normal(size=(T, 3))
    y = np.where((X[:, 0] >= 0.0) ^ (rng.random(T) < noise), 1.0, -1.0)
    trials = dl.Perceptron(bias=False).test_then_train(X, y)
    starts = np.concatenate([[0], np.flatnonzero(trials.updated) + 1])
    W = np.concatenate([np.zeros((1, 3)), np.cumsum((y[:, None] * X)[trials.updated], axis=0)])
    starts, W = starts[starts < T], W[: np.sum(starts < T)]
    wrong = (W @ X.T >= 0.0) != (y > 0.0)
    errors = np.sum(wrong & (np.arange(T) >= starts[:, None]), axis=1)
    with np.errstate(invalid="ignore"):
        angles = np.arccos(np.clip(W[:, 0] / np.linalg.norm(W, axis=1), -1.0, 1.0)) / math.pi
    risks = np.where(W.any(axis=1), noise + (1.0 - 2.0 * noise) * angles, 0.5)
    return Course(starts, risks, errors, np.diff(np.append(starts, T)), (trials.scores >= 0.0) != (y > 0.0))


def courses(T: int, count: int) -> Iterator[Course]:
    for seed in range(count):
        yield course(seed, T)


# one hypothesis, however chosen ---------------------------------------------------------------------------------
def certified(form: Any, limit: Any) -> Iterator[Seen]:
    """The hypothesis for which the expression itself is smallest."""
    for one in courses(300, 300):
        k = int(np.argmin(limit(one.errors, one.rest, DELTA / 300)))
        given = {"errors": int(one.errors[k]), "rest": int(one.rest[k]), "T": 300, "delta": DELTA}
        yield Seen(float(one.risks[k]), form(**given))


shows("hoeffding-certificate")(lambda: certified(bounds.HoeffdingCertificate, risk.hoeffding))
shows("chernoff-certificate")(lambda: certified(bounds.ChernoffCertificate, risk.chernoff))
shows("kl-certificate")(lambda: certified(bounds.KLCertificate, risk.kl_inverse))
shows("clopper-pearson-certificate")(lambda: certified(bounds.ClopperPearsonCertificate, risk.clopper_pearson))


@breaks("hoeffding-certificate", "chernoff-certificate", "kl-certificate", "clopper-pearson-certificate")
def an_error_without_a_penalty() -> Broken:
    """How often the risk is above the least error on the rest, and how often it may be."""
    above = 0
    for one in courses(300, 300):
        k = int(np.argmin(one.errors / one.rest))
        above += one.risks[k] > one.errors[k] / one.rest[k]
    return Broken(above, DELTA * 300)


# all of them ----------------------------------------------------------------------------------------------------
@shows("mean-risk")
def mean_risk() -> Iterator[Seen]:
    for one in courses(300, 300):
        mean = float(one.lasted @ one.risks) / 300
        yield Seen(mean, bounds.MeanRisk(k=int(one.wrong.sum()), T=300, delta=DELTA))


@breaks("mean-risk")
def the_rate_of_mistakes_alone() -> Broken:
    above = sum(float(one.lasted @ one.risks) > one.wrong.sum() for one in courses(300, 300))
    return Broken(above, DELTA * 300)


def averaged(seed: int) -> tuple[float, float]:
    """The risk |p - y| / 2 of the mean of all weights of twelve experts, and the mean loss of the run."""
    rng = np.random.default_rng(seed)
    W, X, test = rng.normal(size=(12, 2)), rng.normal(size=(150, 2)), rng.normal(size=(4000, 2))
    y = np.where((X @ [1.0, 0.3] >= 0.0) ^ (rng.random(150) < 0.1), 1.0, -1.0)
    learner, v, lost = dl.ExponentialWeights(0.5), np.zeros(12), 0.0
    for z, label in zip(np.sign(X @ W.T), y, strict=True):
        v += (learner.distribution() if learner.n_seen else np.full(12, 1.0 / 12.0)) / 150
        lost += 0.5 * abs(learner.update(z, label) - label)
    p, truth = np.sign(test @ W.T) @ v, np.sign(test @ [1.0, 0.3])
    return float(np.mean(0.9 * np.abs(p - truth) + 0.1 * np.abs(p + truth)) / 2.0), lost / 150


@shows("average-risk")
def average_risk() -> Iterator[Seen]:
    for seed in range(60):
        found, loss = averaged(seed)
        yield Seen(found, bounds.AverageRisk(loss=loss, T=150, delta=DELTA))


@breaks("average-risk")
def one_source_for_learning_and_another_for_life() -> Broken:
    """On rows whose labels are all turned over the risk is what is left of 1."""
    found, loss = averaged(0)
    return Broken(1.0 - found, bounds.AverageRisk(loss=loss, T=150, delta=DELTA).value)


# before any hypothesis is tried ---------------------------------------------------------------------------------
LONG, MANY = 4000, 30


@shows("hoeffding-risk")
def hoeffding_risk() -> Iterator[Seen]:
    for one in courses(LONG, MANY):
        penalty = np.sqrt(math.log((2.0 * LONG + 1.0) / DELTA) / (2.0 * one.rest))
        k = int(np.argmin(one.errors / one.rest + penalty))
        yield Seen(float(one.risks[k]), bounds.HoeffdingRisk(k=int(one.wrong.sum()), T=LONG, delta=DELTA))


@shows("hoeffding-suffix-risk")
def hoeffding_suffix_risk() -> Iterator[Seen]:
    for one in courses(LONG, MANY):
        k = int(np.argmin(one.errors / one.rest + np.sqrt(math.log(3.0 * LONG / DELTA) / (2.0 * one.rest))))
        for t in (0, 100, 2000):
            bound = bounds.HoeffdingSuffixRisk(k=int(one.wrong[t:].sum()), T=LONG, t=t, delta=DELTA)
            yield Seen(float(one.risks[k]), bound)


@shows("bernstein-risk")
def bernstein_risk() -> Iterator[Seen]:
    for one in courses(LONG, MANY):
        k = int(np.argmin(risk.chernoff(one.errors, one.rest, DELTA / (2.0 * LONG + 1.0))))
        yield Seen(float(one.risks[k]), bounds.BernsteinRisk(k=int(one.wrong.sum()), T=LONG, delta=DELTA))


@shows("bernstein-suffix-risk")
def bernstein_suffix_risk() -> Iterator[Seen]:
    for one in courses(LONG, MANY):
        k = int(np.argmin(risk.chernoff(one.errors, one.rest, DELTA / (3.0 * LONG))))
        for t in (0, 100, 2000):
            bound = bounds.BernsteinSuffixRisk(k=int(one.wrong[t:].sum()), T=LONG, t=t, delta=DELTA)
            yield Seen(float(one.risks[k]), bound)


@breaks("hoeffding-risk", "hoeffding-suffix-risk", "bernstein-risk", "bernstein-suffix-risk")
def a_source_that_changes() -> Broken:
    """After a drift that turns all labels over, the hypothesis is wrong wherever it was right."""
    one = course(0, LONG)
    k = int(np.argmin(risk.chernoff(one.errors, one.rest, DELTA / (2.0 * LONG + 1.0))))
    wrong = int(one.wrong.sum())
    allowed = (
        bounds.HoeffdingRisk(k=wrong, T=LONG, delta=DELTA),
        bounds.HoeffdingSuffixRisk(k=wrong, T=LONG, t=0, delta=DELTA),
        bounds.BernsteinRisk(k=wrong, T=LONG, delta=DELTA),
        bounds.BernsteinSuffixRisk(k=wrong, T=LONG, t=0, delta=DELTA),
    )
    return Broken(1.0 - float(one.risks[k]), max(one.value for one in allowed))
