"""Every linear learner agrees with its oracle: weights, scores and counters on random streams."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.oracles import linear as oracles
from tests.support.bitwise import LINEAR
from tests.support.linear_cases import CASES, WEIGHTS, Case, Stream, separable, stream, weights_of

COUNTERS = ("mistakes", "label_errors", "margin_errors", "updates", "infeasible")
STREAMS = ("sparse", "dense", "weighted")
every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_stream = pytest.mark.parametrize("name", STREAMS)

# A step that vanishes at the margin where it stops firing: rounding cannot make two roads of it.
CONTINUOUS = [
    case
    for case in CASES
    if case.parameters.get("when") == "margin"
    and case.name in ("pa", "pa1", "pa2", "l2pa", "l1pa")
    and "sigma" not in case.parameters
]


@cache
def rounds(name: str, learner: str) -> tuple[Stream, bool]:
    """The stream of that name, and whether a bias feature is added.

    Sparse rows without a bias may be zero; dense rows span two decades. The stream for ROMMA is separable: on other
    data its weights grow until rounding decides.
    """
    if learner == "romma":
        seed, n, weights = {"sparse": (11, 40, (1.0,)), "dense": (12, 8, (1.0,)), "weighted": (13, 8, WEIGHTS)}[name]
        data, _ = separable(seed, 2000, n, 0.02)
        return Stream(data.X, data.y, np.random.default_rng(seed).choice(weights, size=2000)), name == "dense"
    if name == "sparse":
        return stream(1, n=40, density=0.12), False
    if name == "dense":
        return stream(2, decades=2.0), True
    return stream(3, rounds=800, weights=WEIGHTS), False


def follow(case: Case, name: str) -> tuple[np.ndarray, oracles.Oracle, float]:
    """The scores of the oracle, the oracle after the stream, and the largest weight that it ever had."""
    data, bias = rounds(name, case.name)
    oracle = case.oracle(1 + data.X.shape[1])
    constant = np.full((len(data.X), 1), float(bias))
    scores, largest = [], 0.0
    for x, y, weight in zip(np.hstack([constant, data.X]), data.y, data.w, strict=True):
        w, updates, infeasible = oracle.w, oracle.updates, oracle.infeasible
        scores.append(oracle.learn(x, y, weight))
        largest = max(largest, float(np.abs(oracle.w).max()))
        if oracle.infeasible > infeasible and np.abs(oracle.w - w).max() <= 1e-14 * largest:
            oracle.updates = updates  # a move of the size of rounding is none
        if weight == 0.0:
            oracle.infeasible = infeasible  # such a round asks the rule nothing
    if isinstance(oracle, oracles.SelfTuningALMA):
        oracle.margin_errors = oracle.mistakes  # its margin moves, so the learner counts at 0
    return np.array(scores), oracle, largest


def run(case: Case, name: str, *, sparse: bool, **options: Any) -> tuple[np.ndarray, np.ndarray, dl.Learner]:
    """The scores of the learner, its final weights, and the learner."""
    data, bias = rounds(name, case.name)
    learner = case.learner(bias=bias, **options)
    scores = learner.learn_many(data.csr if sparse else data.X, data.y, data.w)
    return scores, weights_of(learner, data.X.shape[1]), learner


def assert_close(name: str, case: Case, scores: np.ndarray, w: np.ndarray, largest: float, tolerance: float) -> None:
    """Differences of scores and weights are small beside the largest weight."""
    data, bias = rounds(name, case.name)
    assert np.abs(w).max() <= tolerance * largest
    assert (np.abs(scores) <= tolerance * largest * (float(bias) + np.abs(data.X).sum(axis=1))).all()


def test_every_learner_has_a_case() -> None:
    assert {case.name for case in CASES} == set(LINEAR)


@pytest.mark.parametrize("name", LINEAR)
def test_every_parameter_takes_two_values(name: str) -> None:
    rules = [case.learner().rule for case in CASES if case.name == name]
    for parameter in fields(rules[0]):
        assert len({getattr(rule, parameter.name) for rule in rules}) >= 2, parameter.name


@every_stream
@every_case
def test_same_road_as_the_oracle(case: Case, name: str) -> None:
    scores, oracle, largest = follow(case, name)
    for sparse in (True, False):
        got, w, learner = run(case, name, sparse=sparse)
        assert_close(name, case, got - scores, w - oracle.w, largest, 1e-9)
        assert {k: getattr(learner, k) for k in COUNTERS} == {k: getattr(oracle, k) for k in COUNTERS}
        assert learner.n_seen == len(scores)


@every_stream
@every_case
def test_sparse_is_dense(case: Case, name: str) -> None:
    scores, w, _ = run(case, name, sparse=True)
    dense_scores, dense_w, _ = run(case, name, sparse=False)
    assert_close(name, case, scores - dense_scores, w - dense_w, np.abs(w).max(), 1e-12)


@every_stream
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("case", CONTINUOUS, ids=str)
def test_single_precision_stays_close(case: Case, sparse: bool, name: str) -> None:
    scores, w, _ = run(case, name, sparse=sparse)
    single_scores, single_w, learner = run(case, name, sparse=sparse, dtype="float32")
    assert learner._engine.v.dtype == np.float32
    assert_close(name, case, scores - single_scores, w - single_w, np.abs(w).max(), 1e-3)


@every_case
def test_the_streams_try_every_branch(case: Case) -> None:
    """Every case learns and the small balls meet infeasible rounds; zero rows and all weights occur."""
    for name in STREAMS:
        _, _, learner = run(case, name, sparse=True)
        assert learner.updates >= 15, name
        if case.parameters.get("beta") == 0.4:
            assert learner.infeasible >= 15, name
    assert (np.abs(rounds("sparse", "pa")[0].X).sum(axis=1) == 0.0).sum() >= 5
    assert set(rounds("weighted", "pa")[0].w) == set(WEIGHTS)
