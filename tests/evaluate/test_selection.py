"""Selecting a hypothesis is exact with every shortcut, and its certificate has its confidence."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix
from scipy.stats import binom

import driftline as dl
from driftline.evaluate.hypotheses import Copies, Course, PrefixSums, Snapshots, matrix
from driftline.evaluate.selection import errors_of
from driftline.evaluate.vote import Vote
from driftline.internals.risk_limits import CERTIFICATES, clopper_pearson, kl_inverse, mean_risk, reservoir_risk
from tests.support.bitwise import assert_same, snapshot
from tests.support.learner_cases import dicts

WAVES = dl.Perceptron(scale=dl.RandomFourier(8))
every_certificate = pytest.mark.parametrize("certificate", CERTIFICATES)


def draws(seed: int, T: int = 300, n: int = 3, noise: float = 0.1, *, whole: bool = False) -> tuple[Any, Any]:
    """Independent normal rows (rounded, if whole: sums of them are exact), the sign of the first; some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, n))
    if whole:
        X = np.round(2.0 * X)
    y = np.where(X[:, 0] >= 0.0, 1.0, -1.0)
    return X, np.where(rng.random(T) < noise, -y, y)


def risk(w: np.ndarray, noise: float) -> float:
    """The true risk of weights on ``draws``: by the angle to the target; w = 0 always says +1."""
    length = np.linalg.norm(w)
    if length == 0.0:
        return 0.5
    angle = math.acos(np.clip(w[0] / length, -1.0, 1.0)) / math.pi
    return noise + (1.0 - 2.0 * noise) * angle


def primal(learner: dl.Learner, n: int = 3) -> np.ndarray:
    known = learner.weights()
    return np.array([known.get(k, 0.0) for k in range(n)])


def naive(learner: dl.Learner, X: Any, y: Any) -> tuple[list[dl.Learner], np.ndarray, np.ndarray]:
    """All hypotheses H_0, ..., H_{T-1}, the errors of each on the examples after it, and where a new one starts."""
    T = len(y)
    hypotheses, starts = [], [0]
    for i in range(T):
        hypotheses.append(deepcopy(learner))
        updates = learner.updates
        learner.learn_one(X[i], y[i])
        starts += [i + 1] * (learner.updates > updates)
    errors = [int(np.sum((h.score_many(X[t:]) >= 0.0) != (y[t:] > 0.0))) for t, h in enumerate(hypotheses)]
    return hypotheses, np.array(errors), np.array([t for t in starts if t < T])


# certificates ---------------------------------------------------------------------------------------------------------
@every_certificate
@pytest.mark.parametrize("s", [1, 2, 7, 40])
def test_a_limit_is_wrong_with_probability_delta_at_most(certificate: str, s: int) -> None:
    """Exactly, by adding up the chances of all numbers of errors at which it is below the risk."""
    k = np.arange(s + 1)
    for delta in (0.3, 0.05, 1e-4):
        limit = CERTIFICATES[certificate](k, s, delta)
        assert (np.diff(limit) >= 0.0).all()
        for q in np.linspace(0.001, 0.999, 200):
            assert binom.pmf(k, s, q)[limit < q].sum() <= delta * (1.0 + 1e-9)


def test_limits_solve_their_equations() -> None:
    k, s, delta = np.array([0, 1, 5, 50, 100]), 100, 0.01
    q = kl_inverse(k, s, delta)
    p = k / s
    kl = np.log(p[1:4] / q[1:4]) * p[1:4] + np.log((1 - p[1:4]) / (1 - q[1:4])) * (1 - p[1:4])
    assert s * kl == pytest.approx(np.full(3, math.log(100.0)), rel=1e-9)
    assert q[0] == pytest.approx(1.0 - delta ** (1.0 / s), rel=1e-12) and q[-1] == 1.0
    exact = clopper_pearson(k, s, delta)
    assert binom.cdf(k[:4], s, exact[:4]) == pytest.approx(np.full(4, delta), rel=1e-9) and exact[-1] == 1.0
    assert (exact <= q).all()
    for other in ("chernoff", "hoeffding"):
        assert (q <= CERTIFICATES[other](k, s, delta) + 1e-12).all()
    assert CERTIFICATES["hoeffding"](5, 100, delta) == pytest.approx(0.05 + math.sqrt(math.log(100.0) / 200.0))
    slack = math.log(100.0) / 100.0
    assert CERTIFICATES["chernoff"](5, 100, delta) == pytest.approx(0.05 + slack + math.sqrt(slack**2 + 0.1 * slack))


@pytest.mark.parametrize("k", [0, 1, 2, 10, 1000, 10**6])
def test_mean_risk_solves_its_equation(k: int) -> None:
    T, delta = 10**7, 0.05
    L = math.log((k + 1) * (k + 2) / delta)
    x = T * mean_risk(k, T, delta)
    assert x - k - (k * math.log(x / k) if k else 0.0) == pytest.approx(L, rel=1e-6)
    assert k < x <= k + L + math.sqrt(L**2 + 2.0 * k * L)
    assert mean_risk(k - 0.5, T, delta) == mean_risk(k, T, delta) or k == 0
    assert 200 / 1e5 < mean_risk(200, 10**5, 0.05) <= 0.0029


# exactness ------------------------------------------------------------------------------------------------------------
CONSERVATIVE = [
    dl.Perceptron(bias=False),
    dl.Perceptron(scale="unit"),
    dl.PA(when="mistake"),
    dl.ProjectionPerceptron(0.3),
    dl.PNormPerceptron(3.0),
    dl.Perceptron(scale=dl.RandomFourier(16)),
    dl.PA(when="mistake", scale=dl.RandomFourier(16)),
]
OTHERS = [
    dl.NORMA(0.5, 0.05),
    dl.L2PA(2.0),
    dl.L1PA(2.0),
    dl.ALMA(1.0, 2.0),
    dl.PA1(0.1, scale="standard"),
    dl.PA1(0.1, scale=dl.RandomFourier(16)),
    dl.NORMA(0.5, 0.05, p=3.0, scale=dl.RandomFourier(2)),
    dl.Averaged(),
    dl.Averaged(scale=dl.RandomFourier(16)),
]


@pytest.mark.parametrize(
    ("learner", "whole"), [(CONSERVATIVE[0], True), *((one, False) for one in CONSERVATIVE)], ids=repr
)
@every_certificate
def test_starts_of_runs_are_enough(learner: dl.Learner, whole: bool, certificate: Any) -> None:
    """The best of all t, tried one by one, is found: the same round, errors, certificate and bits."""
    X, y = draws(2, 150, whole=whole)
    hypotheses, errors, _ = naive(deepcopy(learner), X, y)
    limits = CERTIFICATES[certificate](errors, 150 - np.arange(150), 0.05 / 150)
    best = int(np.argmin(limits))
    assert best >= 10
    found = dl.select(learner, (X, y), assume="iid", certificate=certificate)
    assert (found.round, found.errors, found.rest) == (best, errors[best], 150 - best)
    assert found.certificate == min(1.0, limits[best])
    assert found.error == errors[best] / (150 - best)
    assert_same(snapshot(found.learner), snapshot(hypotheses[best]))  # type: ignore[arg-type]
    assert (found.predict_many(X) == hypotheses[best].predict_many(X)).all()
    assert learner.n_seen == 0


@pytest.mark.parametrize("learner", OTHERS, ids=repr)
def test_of_any_learner_the_best_start(learner: dl.Learner) -> None:
    X, y = draws(2, 120)
    hypotheses, errors, starts = naive(deepcopy(learner), X, y)
    limits = kl_inverse(errors[starts], 120 - starts, 0.1 / 120)
    best = int(np.argmin(limits))
    found = dl.select(learner, (X, y), assume="iid", delta=0.1)
    assert (found.round, found.errors, found.certificate) == (starts[best], errors[starts[best]], limits[best])
    assert found.candidates == len(starts)
    assert found.score_many(X).tolist() == hypotheses[starts[best]].score_many(X).tolist()


@pytest.mark.parametrize("kind", ["csr", "coo", "dicts", "lists"])
@pytest.mark.parametrize("learner", [dl.Perceptron(), dl.PA1(0.5)], ids=repr)
def test_examples_of_any_kind(learner: dl.Learner, kind: str) -> None:
    X, y = draws(3, 120, 5)
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    given = {"csr": csr_matrix, "coo": coo_matrix, "dicts": dicts, "lists": np.ndarray.tolist}[kind](X)
    found, due = (dl.select(learner, (data, y.tolist()), assume="iid") for data in (given, X))
    assert (found.round, found.errors, found.certificate) == (due.round, due.errors, due.certificate)
    vote, due_vote = (dl.select(learner, (data, y), "vote", assume="iid") for data in (given, X))
    assert vote.score_many(given).tolist() == due_vote.score_many(X).tolist()
    if kind == "dicts":
        assert vote.score_many([{"a": 1.0, "new": 5.0}]).tolist() == vote.score_many([{"a": 1.0}]).tolist()


@pytest.mark.parametrize("kind", ["csr", "coo", "lists", "hashed"])
@pytest.mark.parametrize("name", ["perceptron", "pa1"])
def test_waves_of_any_kind(name: str, kind: str) -> None:
    """As of the waves themselves: an array with a column for each."""
    X, y = draws(3, 120, 5)
    scale = dl.RandomFourier(16, 0.5)
    hashing = dl.Hashing(6) if kind == "hashed" else None
    learner, plain = dl.REGISTRY[name](scale=scale, hashing=hashing), dl.REGISTRY[name]()
    made = {"csr": csr_matrix, "coo": coo_matrix, "hashed": dicts, "lists": np.ndarray.tolist}
    given, new = made[kind](X), made[kind](-X[:7])
    last = Course.of(learner, given, y).last
    waves, of_new = matrix(last, given), matrix(last, new)
    assert waves.shape == (120, 16) and last.n_features != 16
    found, due = dl.select(learner, (given, y), assume="iid"), dl.select(plain, (waves, y), assume="iid")
    assert (found.round, found.errors, found.certificate) == (due.round, due.errors, due.certificate)
    assert found.score_many(new) == pytest.approx(due.score_many(of_new), abs=1e-12)
    vote, due_vote = (
        dl.select(learner, (given, y), "vote", assume="iid"),
        dl.select(plain, (waves, y), "vote", assume="iid"),
    )
    assert vote.score_many(new).tolist() == due_vote.score_many(of_new).tolist()
    assert vote.certificate == due_vote.certificate
    mean = dl.select(learner, (given, y), "average", assume="iid", largest=1000.0)
    assert mean.certificate == dl.select(plain, (waves, y), "average", assume="iid", largest=1000.0).certificate


def test_waves_of_names_change_as_these_become_known() -> None:
    """So a hypothesis is tried as it was, when names that came later were strangers to it."""
    rng = np.random.default_rng(4)
    X = [{f"n{k}": 1.0 for k in rng.integers(0, 3 + i // 4, 3)} for i in range(120)]
    y = rng.choice([-1.0, 1.0], 120)
    learner = dl.PA1(scale=dl.RandomFourier(8))
    _, errors, starts = naive(deepcopy(learner), X, y)
    limits = kl_inverse(errors[starts], 120 - starts, 0.05 / 120)
    found = dl.select(learner, (X, y), assume="iid")
    assert found.certificate == limits.min() and found.round == starts[np.argmin(limits)]
    course = Course.of(learner, X, y)
    assert isinstance(course.hypotheses(np.arange(2)), Copies)
    with pytest.raises(
        ValueError, match=r"^select: for rule='vote' the learner must be .* over names, got PA1.*\. Set"
    ):
        dl.select(learner, (X, y), "vote", assume="iid")


def test_errors_are_those_of_the_learner_that_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the product by which all are tried rounds a score of 0 to the other side."""
    X, y = draws(2, 150, whole=True)
    exact, due = PrefixSums.scores, dl.select(dl.Perceptron(bias=False), (X, y), assume="iid")
    monkeypatch.setattr(PrefixSums, "scores", lambda *given: exact(*given) - 1e-12)
    found = dl.select(dl.Perceptron(bias=False), (X, y), assume="iid")
    for one in (found, due):
        said, rest = one.predict_many(X[one.round :]), y[one.round :]
        assert one.errors == np.sum(said != rest)
        assert one.certificate == kl_inverse(one.errors, one.rest, 0.05 / 150)
    course = Course.of(dl.Perceptron(bias=False), X, y)
    every = np.arange(len(course.starts))
    by_product, _ = errors_of(course, PrefixSums(course, every), course.starts, None)
    assert by_product[course.starts == found.round] != found.errors


def test_prefix_sums_are_snapshots_are_copies() -> None:
    X, y = draws(4, 200, noise=0.3)
    for learner in (dl.Perceptron(), dl.Perceptron(bias=False), dl.Perceptron(scale="unit"), WAVES):
        course = Course.of(learner, X, y)
        every = np.arange(len(course.starts))
        some = every[::3]
        assert len(every) > 60
        for those in (every, some):
            kept = [kind(course, those) for kind in (PrefixSums, Snapshots, Copies)]
            within = np.flatnonzero(those < 40)
            sums, weights, copies = (one.scores(X, within) for one in kept)
            assert np.abs(sums - weights).max() <= 1e-12 * np.abs(sums).max()
            assert np.abs(sums - copies).max() <= 1e-12 * np.abs(sums).max()
        assert isinstance(course.hypotheses(every), PrefixSums)
    assert isinstance(Course.of(dl.Perceptron(dtype="float32"), X, y).hypotheses(np.arange(9)), Snapshots)


@dataclass
class Said:
    """Hypotheses whose every answer is given beforehand: right or wrong on each example."""

    course: Course
    wrong: np.ndarray

    def scores(self, X: Any, those: np.ndarray) -> np.ndarray:
        at = X[:, 0].astype(int)
        return np.where(self.wrong[those][:, at], -1.0, 1.0).T * self.course.signs[at][:, None]


@every_certificate
@pytest.mark.parametrize("seed", range(20))
def test_dropping_hopeless_hypotheses_changes_nothing(seed: int, certificate: str) -> None:
    """Whatever they do: errors come in bursts, so that who is behind is often ahead in the end."""
    rng = np.random.default_rng(seed)
    T, size = 2500, 40
    X = np.arange(T, dtype=float)[:, None]
    course = Course.of(dl.Perceptron(), X, rng.choice([-1.0, 1.0], T))
    starts = np.sort(rng.choice(T - 1, size, replace=False))
    starts[0] = 0
    share = rng.uniform(0.0, 0.3, (size, 1)) * np.sin(X.T / 400.0 + rng.uniform(0.0, 6.0, (size, 1))) ** 2
    said = Said(course, rng.random((size, T)) < share)

    def criterion(errors: Any, rest: Any) -> Any:
        return CERTIFICATES[certificate](errors, rest, 0.1 / T)

    errors, whole = errors_of(course, said, starts, None)
    assert errors.tolist() == [said.wrong[j, start:].sum() for j, start in enumerate(starts)]
    some, left = errors_of(course, said, starts, criterion)
    assert whole.all() and not left.all()
    limits = criterion(errors, T - starts)
    assert np.argmin(limits) == np.argmin(np.where(left, criterion(some, T - starts), np.inf))
    assert (some[left] == errors[left]).all()
    assert (some[~left] < errors[~left]).any()  # they were spared some work
    assert limits[~left].min() > limits.min()


# what is made of all --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("learner", [dl.Perceptron(), dl.PA1(0.3), dl.NORMA(0.5, 0.02)], ids=repr)
def test_a_vote_counts_the_rounds_in_force(learner: dl.Learner) -> None:
    X, y = draws(5, 150)
    new, _ = draws(6, 80)
    hypotheses, _, starts = naive(deepcopy(learner), X, y)
    votes = sum(np.where(one.score_many(new) >= 0.0, 1.0, -1.0) for one in hypotheses)
    found = dl.select(learner, (X, y), "vote", assume="iid", delta=0.1)
    assert found.score_many(new) == pytest.approx(votes / 150, abs=1e-12)
    assert (found.predict_many(new) == np.where(votes >= 0.0, 1.0, -1.0)).all()
    assert found.round is None and found.error is None and found.candidates == len(starts)
    assert found.certificate == min(1.0, 2.0 * mean_risk(found.mistakes, 150, 0.1))
    assert found.score_many(new[:0]).shape == (0,)


def test_the_average_is_averaged() -> None:
    X, y = draws(7, 400)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    base = dl.ALMA(0.1, 1.0, 1.0, bias=False)  # |w| <= 1 and |x| <= 1: no hinge loss above 2
    found = dl.select(base, (X, y), "average", assume="iid", largest=2.0, delta=0.1)
    average = dl.Averaged(dl.ALMA(0.1, 1.0, 1.0, bias=False))
    average.learn_many(X, y)
    assert found.score_many(X).tolist() == average.score_many(X).tolist()
    run = dl.run(deepcopy(base), (X, y))
    assert found.certificate == pytest.approx(run.hinge / 400 + 2.0 * math.sqrt(math.log(10.0) / 800.0))
    assert found.mistakes == run.label_errors
    assert dl.select(base, (X, y), "average", assume="iid").certificate is None


def test_an_average_over_a_running_scale_has_no_certificate() -> None:
    """Its weights are of examples that were scaled otherwise in each round: no mean of scores, so no convexity."""
    X, y = draws(7, 100)
    learner = dl.PA1(0.1, scale="standard")
    message = r"^select: scale must not be 'standard', .* got PA1\(.*\. Leave out largest, or set rule='penal"
    with pytest.raises(ValueError, match=message):
        dl.select(learner, (X, y), "average", assume="iid", largest=1000.0)
    assert dl.select(learner, (X, y), "average", assume="iid").certificate is None
    unit = dl.select(dl.PA1(0.1, scale="unit"), (X, y), "average", assume="iid", largest=1000.0)
    assert unit.certificate is not None


def test_the_last_has_no_certificate() -> None:
    X, y = draws(8)
    learner = dl.PA1()
    found = dl.select(learner, (X, y), "last", assume="iid")
    learner.learn_many(X, y)
    assert_same(snapshot(found.learner), snapshot(learner))  # type: ignore[arg-type]
    assert (found.round, found.rest, found.errors, found.certificate) == (300, 0, None, None)


def test_hypotheses_drawn_at_random() -> None:
    X, y = draws(9, 600, noise=0.3)
    learner = dl.Perceptron()
    course = Course.of(learner, X, y)
    every = dl.select(learner, (X, y), assume="iid")
    assert every.candidates == len(course.starts) > 200
    assert dl.select(learner, (X, y), assume="iid", most=len(course.starts)).promise is None
    rounds = np.sort(np.random.default_rng(3).choice(600, 40, replace=False))
    in_force = np.unique([course.starts[course.starts <= t].max() for t in rounds])
    found = dl.select(learner, (X, y), assume="iid", most=40, seed=3, certificate="hoeffding", delta=0.1)
    assert found.candidates == len(in_force) <= 40
    assert found.round in in_force
    assert found.promise == reservoir_risk(found.mistakes, 600, 0.1, 600 - rounds)
    penalties = np.sqrt(math.log(6.0 * 600 / 0.1) / (2.0 * (600 - rounds)))
    due = mean_risk(found.mistakes, 600, 0.1 / 3) + math.sqrt(math.log(30.0) / 80.0) + 2.0 * penalties.mean()
    assert found.promise == pytest.approx(due)
    again = dl.select(learner, (X, y), assume="iid", most=40, seed=4)
    assert again.promise is None and again.certificate is not None and again.certificate >= every.certificate
    vote = dl.select(learner, (X, y), "vote", assume="iid", most=40, seed=3)
    assert isinstance(vote.learner, Vote) and vote.learner.votes.sum() == 40
    said = [np.where(one.score_many(X) >= 0.0, 1.0, -1.0) for one in naive(dl.Perceptron(), X[:600], y)[0]]
    assert vote.score_many(X) == pytest.approx(np.mean([said[t] for t in rounds], axis=0), abs=1e-12)


@pytest.mark.parametrize("learner", [dl.Averaged("pa1"), dl.PA1(scale="standard")], ids=repr)
def test_no_promise_where_hypotheses_change_between_updates(learner: dl.Learner) -> None:
    """Those drawn are then not those tried; and Hoeffding's certificate chooses by itself."""
    X, y = draws(9, 300, noise=0.3)
    found = dl.select(learner, (X, y), assume="iid", most=40, seed=3, certificate="hoeffding", delta=0.1)
    assert found.promise is None and found.certificate is not None
    assert found.candidates < len(Course.of(learner, X, y).starts)


def test_any_learner_can_be_selected_from() -> None:
    X, y = draws(10, 200, noise=0.0)
    found = dl.select(dl.Averaged("pa1"), (X, y), assume="iid", most=20)
    assert found.certificate is not None and found.certificate < 0.3


# coverage -------------------------------------------------------------------------------------------------------------
def test_certificates_hold_as_often_as_they_say() -> None:
    """300 runs at delta = 0.1; without the penalty nearly all would be violated."""
    violated = dict.fromkeys([*CERTIFICATES, "drawn", "promise", "vote"], 0)
    bare = 0
    for seed in range(300):
        noise = (0.0, 0.05, 0.2)[seed % 3]
        X, y = draws(seed, 200, noise=noise)
        for name in CERTIFICATES:
            found = dl.select(dl.Perceptron(bias=False), (X, y), assume="iid", delta=0.1, certificate=name)
            true = risk(primal(found.learner), noise)  # type: ignore[arg-type]
            violated[name] += true > found.certificate
            if name == "kl":
                bare += true > found.error
        drawn = dl.select(
            dl.Perceptron(bias=False), (X, y), assume="iid", delta=0.1, certificate="hoeffding", most=10, seed=seed
        )
        true = risk(primal(drawn.learner), noise)  # type: ignore[arg-type]
        violated["drawn"] += true > drawn.certificate
        violated["promise"] += drawn.promise is not None and true > drawn.promise
        vote = dl.select(dl.Perceptron(bias=False), (X, y), "vote", assume="iid", delta=0.1)
        if vote.certificate < 1.0 and seed % 10 == 0:
            new, _ = draws(1000 + seed, 2000)
            wrong = np.mean((vote.score_many(new) >= 0.0) != (new[:, 0] >= 0.0))
            violated["vote"] += noise + (1.0 - 2.0 * noise) * wrong > vote.certificate
    assert max(violated.values()) <= 30, violated
    assert bare > 150


def test_the_mean_risk_holds_as_often_as_it_says() -> None:
    violated = bare = 0
    for seed in range(300):
        X, y = draws(seed, 150, noise=0.05)
        learner, risks = dl.Perceptron(bias=False), []
        for i in range(150):
            risks.append(risk(primal(learner), 0.05))
            learner.learn_one(X[i], y[i])
        violated += np.mean(risks) > mean_risk(learner.label_errors, 150, 0.1)
        bare += np.mean(risks) > learner.label_errors / 150
    assert violated <= 30 < 60 < bare


# bad input ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("assume", [None, "stationary", True])
def test_independence_must_be_said(assume: Any) -> None:
    X, y = draws(0, 20)
    with pytest.raises(
        ValueError, match=r"^select: assume must be 'iid', got .*\. The certificate holds only .*independent"
    ) as caught:
        dl.select(dl.Perceptron(), (X, y), assume=assume)
    assert "shuffle" in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"rule": "best"}, "rule must be 'last' or 'average' or 'vote' or 'penalised', got 'best'"),
        ({"certificate": "bernstein"}, "certificate must be 'kl' or .*, got 'bernstein'"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"delta": "a"}, "delta must be a number, got 'a'"),
        ({"most": 0}, "most must be a whole number >= 1, got 0"),
        ({"most": 2.5}, "most must be a whole number >= 1, got 2.5"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"seed": None}, "seed must be a whole number >= 0, got None"),
        ({"rule": "average", "largest": 0.5}, r"largest must be at least the hinge loss .* of the run, got 0.5"),
        ({"data": [1, 2]}, r"data must be a pair \(X, y\), got .*\. Pass"),
        ({"data": (np.zeros((0, 2)), [])}, "data must have at least one example, got 0"),
        ({"learner": "pa1"}, "learner must be a driftline learner, got 'pa1'"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], what: str) -> None:
    given = {"learner": dl.Perceptron(), "data": draws(0, 30), "assume": "iid"} | wrong
    with pytest.raises(ValueError, match=f"^select: {what}"):
        dl.select(**given)


def test_wrong_learners() -> None:
    X, y = draws(0, 2000, noise=0.5)
    used = dl.Perceptron()
    used.learn_one(X[0], y[0])
    with pytest.raises(ValueError, match=r"^select: learner must be new, got Perceptron\("):
        dl.select(used, (X, y), assume="iid")
    with pytest.raises(ValueError, match=r"^select: for rule='vote' the learner must be linear, .* got Averaged"):
        dl.select(dl.Averaged(), (X, y), "vote", assume="iid")
    with pytest.raises(ValueError, match=r"^select: copies of a Averaged must be at most 1000, got \d+ .*\. Set most"):
        dl.select(dl.Averaged("pa1"), (X, y), assume="iid")
    with pytest.raises(ValueError, match=r"^Averaged: learner must be a rule of two numbers"):
        dl.select(dl.L1PA(), (X, y), "average", assume="iid")
    wide = csr_matrix((np.ones(2000), (np.arange(2000), np.arange(2000) * 1000)), (2000, 2_000_000))
    with pytest.raises(ValueError, match=r"^select: hypotheses times features must be .*, got \d+ times .*\. Set most"):
        dl.select(dl.PA1(), (wide, y), assume="iid")
    assert dl.select(dl.Perceptron(), (wide, y), assume="iid").candidates > 500
    with pytest.raises(ValueError, match="X and y must have the same length"):
        dl.select(dl.PA1(), (X, y[:-1]), assume="iid")


def test_a_third_label_that_a_tracker_meets_is_refused() -> None:
    """Certificates count the errors of a score of two labels."""
    X, _ = draws(0, 60)
    y = np.array(["a", "b", "c"])[np.argmax(X, axis=1)]
    with pytest.raises(ValueError, match="data must have at most two labels, got 3"):
        dl.select(dl.Tracker(), (X, y), assume="iid")


def test_one_example() -> None:
    for rule in ("last", "average", "vote", "penalised"):
        found = dl.select(dl.Perceptron(), (np.ones((1, 2)), ["a"]), rule, assume="iid")  # type: ignore[arg-type]
        assert found.predict_many(np.ones((2, 2))).tolist() == ["a", "a"]
        assert found.certificate in (None, 1.0) or found.certificate > 0.95
