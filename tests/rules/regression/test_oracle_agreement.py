"""Every regressor agrees with its oracle: weights, predictions and counters on random streams."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.rules.experts.expert_rule import ExpertRule
from tests.oracles import regression as oracles
from tests.support.linear_cases import WEIGHTS, Stream, weights_of
from tests.support.regression_cases import CASES, NAMES, RegressionCase, targets

COUNTERS = ("mistakes", "label_errors", "margin_errors", "updates", "infeasible")
STREAMS = ("sparse", "dense", "weighted")
every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_stream = pytest.mark.parametrize("name", STREAMS)


@cache
def rounds(name: str) -> tuple[Stream, bool]:
    """The stream of that name, and whether a bias feature is added."""
    if name == "sparse":
        return targets(1, n=40, density=0.12), False
    if name == "dense":
        return targets(2, decades=1.0), True
    return targets(3, rounds=600, weights=WEIGHTS), False


def follow(case: RegressionCase, name: str) -> tuple[np.ndarray, oracles.Oracle]:
    """The predictions of the oracle, and the oracle after the stream."""
    data, bias = rounds(name)
    oracle = case.oracle(1 + data.X.shape[1])
    rows = np.hstack([np.full((len(data.X), 1), float(bias)), data.X])
    return np.array([oracle.learn(*one) for one in zip(rows, data.y, data.w, strict=True)]), oracle


def run(case: RegressionCase, name: str, *, sparse: bool, **options: Any) -> tuple[np.ndarray, np.ndarray, dl.Learner]:
    """The predictions of the learner, its final weights, and the learner."""
    data, bias = rounds(name)
    learner = case.learner(bias=bias, **options)
    scores = learner.learn_many(data.csr if sparse else data.X, data.y, data.w)
    return scores, weights_of(learner, data.X.shape[1]), learner


def test_every_regressor_has_a_case() -> None:
    rules = {name: learner().rule for name, learner in dl.REGISTRY.items()}
    own = sorted(name for name, rule in rules.items() if rule.regresses and not isinstance(rule, ExpertRule))
    assert [name for name in own if name != "trackerregressor"] == NAMES  # its oracle is by itself


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_takes_two_values(name: str) -> None:
    rules = [case.learner().rule for case in CASES if case.name == name]
    for parameter in fields(rules[0]):
        if parameter.name != "most":
            assert len({getattr(rule, parameter.name) for rule in rules}) >= 2, parameter.name


@every_stream
@every_case
def test_same_road_as_the_oracle(case: RegressionCase, name: str) -> None:
    scores, oracle = follow(case, name)
    for sparse in (True, False):
        got, w, learner = run(case, name, sparse=sparse)
        assert np.allclose(got, scores, rtol=1e-8, atol=1e-8)
        assert np.allclose(w, oracle.w, rtol=1e-8, atol=1e-8)
        assert {k: getattr(learner, k) for k in COUNTERS} == {k: getattr(oracle, k) for k in COUNTERS}
        assert learner.n_seen == len(scores)


@every_case
def test_float32_stays_close(case: RegressionCase) -> None:
    if not case.learner().rule.single:
        pytest.skip("weights are float64")
    data, _ = rounds("dense")
    double, _, _ = run(case, "dense", sparse=False)
    single, _, learner = run(case, "dense", sparse=False, dtype="float32")
    assert np.isfinite(single).all()
    assert abs(np.abs(single - data.y).mean() - np.abs(double - data.y).mean()) < 0.01
    assert learner._engine.v.dtype == np.float32
