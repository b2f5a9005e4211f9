"""The contract of regressors beyond that of all learners: large blocks, options, bad values, parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.learners.large_blocks import is_large
from tests.support.bitwise import assert_same, goes_on, refused, snapshot, twins
from tests.support.learner_cases import OTHERS, Other, rows_of
from tests.support.linear_cases import WEIGHTS
from tests.support.regression_cases import NAMES, targets

REGRESSORS = [case for case in OTHERS if case.feed == "targets"]
every_regressor = pytest.mark.parametrize("case", REGRESSORS, ids=str)
every_name = pytest.mark.parametrize("name", NAMES)
LARGE = targets(41, rounds=3000, n=8, density=0.8, weights=WEIGHTS)
SMALL = targets(42, rounds=60, n=5, density=0.7, weights=WEIGHTS)


@every_name
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_large_block_gives_the_bits_of_its_parts(name: str, dtype: Any, sparse: bool) -> None:
    if dtype == "float32" and not dl.REGISTRY[name]().rule.single:
        pytest.skip("weights are float64")
    X = csr_matrix(LARGE.X) if sparse else LARGE.X
    whole, pieces = dl.REGISTRY[name](dtype=dtype), dl.REGISTRY[name](dtype=dtype)
    assert is_large(whole, X) == (dtype == "float64" and not whole.rule.engine)
    scores = whole.learn_many(X, LARGE.y, LARGE.w)
    found = [pieces.learn_many(X[i : i + 90], LARGE.y[i : i + 90], LARGE.w[i : i + 90]) for i in range(0, 3000, 90)]
    assert np.concatenate(found).tolist() == scores.tolist()
    assert_same(snapshot(whole), snapshot(pieces))


@every_name
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("value", [math.nan, math.inf, 1e70])
def test_a_bad_value_in_a_large_block_changes_nothing(name: str, sparse: bool, value: float) -> None:
    learner, twin = twins(dl.REGISTRY[name], lambda one: one.learn_many(LARGE.X[:50], LARGE.y[:50]))
    bad = LARGE.X.copy()
    bad[2500, 3] = value
    with refused(learner, "row 2500"):
        learner.learn_many(csr_matrix(bad) if sparse else bad, LARGE.y)
    wrong = LARGE.y.copy()
    wrong[2600] = math.nan
    with refused(learner, "row 2600, a target must be finite"):
        learner.learn_many(LARGE.X, wrong)
    goes_on(learner, twin, lambda one: one.learn_many(LARGE.X[:200], LARGE.y[:200]))


@every_regressor
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@pytest.mark.parametrize(
    "options",
    [{"scale": "standard"}, {"scale": dl.RandomFourier(9)}, {"hashing": dl.Hashing(4)}, {"bias": False}],
    ids=["standard", "fourier", "hashed", "unbiased"],
)
def test_weighted_blocks_are_loops_with_every_option(case: Other, kind: str, options: Any) -> None:
    one, many = case.learner(**options), case.learner(**options)
    rows = rows_of(kind, SMALL.X)
    scores = [one.learn_one(rows[k], SMALL.y[k], float(SMALL.w[k])) for k in range(60)]
    assert many.learn_many(rows, SMALL.y, SMALL.w).tolist() == scores
    assert_same(snapshot(one), snapshot(many))
    assert np.isfinite(scores).all()


@every_regressor
def test_missing_values_in_dicts_are_left_out(case: Other) -> None:
    learner, twin = case.learner(), case.learner()
    rows = rows_of("dicts", SMALL.X)
    with_missing = [{**row, "gone": None, "f9": math.nan} for row in rows]
    assert learner.learn_many(with_missing, SMALL.y).tolist() == twin.learn_many(rows, SMALL.y).tolist()
    assert learner.learn_one({**rows[0], "f9": None}, 1.0) == twin.learn_one(rows[0], 1.0)
    if not learner.rule.takes_missing:
        with refused(learner, "must be finite"):
            learner.learn_one({"f0": math.inf}, 1.0)


@every_regressor
def test_large_targets_and_weights_are_refused_or_learned(case: Other) -> None:
    learner = case.learner()
    learner.learn_many(SMALL.X, SMALL.y)
    with refused(learner, "a sample weight must be"):
        learner.learn_one(SMALL.X[0], 1.0, -1.0)
    with refused(learner, "a target must be finite"):
        learner.learn_one(SMALL.X[0], -1.1e15)
    learner.learn_one(SMALL.X[0], 1e15)
    learner.learn_one(SMALL.X[1], -1e15)
    assert np.isfinite(learner.predict_many(SMALL.X)).all()


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("paregressor", {"epsilon": -1.0}, "PARegressor: epsilon must be >= 0 and finite, got -1.0"),
    ("paregressor", {"epsilon": math.inf}, "PARegressor: epsilon must be >= 0 and finite, got inf"),
    ("pa1regressor", {"C": 0.0}, "PA1Regressor: C must be > 0, got 0.0"),
    ("pa1regressor", {"epsilon": "0.1"}, "PA1Regressor: epsilon must be a number, got '0.1'"),
    ("pa2regressor", {"C": math.nan}, "PA2Regressor: C must be a number, got nan"),
    ("normaregressor", {"alpha": 0.0}, "NORMARegressor: alpha must be > 0, got 0.0"),
    ("normaregressor", {"alpha": 2.0, "lam": 0.5}, "NORMARegressor: lam must be < 1/alpha = 0.5, got 0.5"),
    ("normaregressor", {"nu": 1.0}, "NORMARegressor: nu must be >= 0 and < 1, got 1.0"),
    ("gradientdescent", {"eta": math.inf}, "GradientDescent: eta must be finite, got inf"),
    ("gradientdescent", {"radius": 0.0}, "GradientDescent: radius must be > 0, got 0.0"),
    (
        "gradientdescent",
        {"loss": "hinge"},
        "GradientDescent: loss must be 'squared' or 'absolute' or 'epsilon', got 'hinge'",
    ),
    ("gradientdescent", {"constraint": "l0"}, "GradientDescent: constraint must be 'l2' or 'l1', got 'l0'"),
    ("recursiveleastsquares", {"forgetting": 1.1}, "RecursiveLeastSquares: forgetting must be > 0.5 and <= 1, got 1.1"),
    ("recursiveleastsquares", {"a": 0.0}, "RecursiveLeastSquares: a must be >= 1e-60 and <= 1e+100, got 0.0"),
    ("recursiveleastsquares", {"diagonal": 1}, "RecursiveLeastSquares: diagonal must be True or False, got 1"),
    ("arowregressor", {"r": -1.0}, "AROWRegressor: r must be >= 1e-60 and <= 1e+100, got -1.0"),
    ("arowregressor", {"drift": -0.1}, "AROWRegressor: drift must be >= 0 and <= 1e6, got -0.1"),
    ("arowregressor", {"most": 0}, "AROWRegressor: most must be a whole number >= 1, got 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "says"), WRONG, ids=[says for _, _, says in WRONG])
def test_a_parameter_outside_its_range_is_refused(name: str, parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.REGISTRY[name](**parameters)
    assert str(caught.value) == says


def test_every_regressor_has_a_wrong_parameter() -> None:
    assert {name for name, _, _ in WRONG} == set(NAMES)


def test_more_features_than_the_matrix_may_have_are_refused() -> None:
    for make in (dl.RecursiveLeastSquares, dl.AROWRegressor):
        learner = make(most=3)
        with refused(learner, "features must be at most 3", "Set diagonal=True"):
            learner.learn_many(SMALL.X, SMALL.y)
        make(most=3, diagonal=True).learn_many(SMALL.X, SMALL.y)
