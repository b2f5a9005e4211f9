"""The scikit-learn regressors: each is its learner to the last bit, and errors change nothing."""

from __future__ import annotations

import pickle
import re
import threading
from copy import deepcopy
from decimal import Decimal
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_regression
from sklearn.ensemble import BaggingRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import driftline as dl
import driftline.sklearn as ds
from tests.support.bitwise import FORM, assert_same, snapshot
from tests.support.threads import in_threads

NAMES = [name for name in ds.__all__ if name.endswith("Regressor") and name != "TrackerRegressor"]
REGRESSORS = [getattr(ds, name) for name in NAMES]
SHARED = {"bias", "scale", "dtype", "max_iter", "shuffle", "random_state"}
STATE = np.random.default_rng(7)
X = STATE.normal(size=(120, 6)) * (STATE.random((120, 6)) < 0.7)
Y = X @ [1.0, -2.0, 0.5, 0.0, 1.0, 0.3] + 0.3 + 0.1 * STATE.normal(size=120)
W = np.arange(120) % 4 / 2.0
every_regressor = pytest.mark.parametrize("regressor", REGRESSORS)


def learned(regressor: Any) -> dict[str, Any]:
    """Everything that the learner of a regressor knows."""
    return snapshot(regressor._linear_learner.learner)


def attributes(regressor: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(regressor).items() if name.endswith("_") and name != "_linear_learner"}


# each regressor is its learner ------------------------------------------------------------------------------------
def test_every_learner_of_real_targets_has_its_regressor() -> None:
    families = {"regression"}
    rules = [one().rule for one in dl.REGISTRY.values() if one().rule.regresses]
    names = [type(rule).__name__ for rule in rules if type(rule).__module__.split(".")[2] in families]
    assert NAMES and [name.removesuffix("Regressor") + "Regressor" for name in sorted(names)] == sorted(NAMES)
    assert sorted(one.learner.__name__ for one in REGRESSORS) == sorted(names)


@every_regressor
def test_parameters_are_those_of_the_learner(regressor: Any) -> None:
    own = {name: one.default for name, one in signature(regressor.learner).parameters.items() if name != "options"}
    given = {name: one.default for name, one in signature(regressor).parameters.items()}
    assert {name: value for name, value in given.items() if name not in SHARED} == own
    assert given.keys() == own.keys() | SHARED
    assert is_regressor(regressor()) and not hasattr(regressor, "predict_proba")


@pytest.mark.parametrize(
    "options", [{}, {"scale": "unit"}, {"scale": "standard"}, {"bias": False}, {"dtype": "float32"}], ids=str
)
@every_regressor
def test_it_is_its_learner_to_the_last_bit(regressor: Any, options: dict[str, Any]) -> None:
    if "dtype" in options and not regressor.learner().rule.single:
        with pytest.raises(ValueError, match=r"dtype must be 'float64', got 'float32'\. Leave it out"):
            regressor(**options).fit(X, Y)
        return
    learner = regressor.learner(**options)
    for _ in range(2):
        learner.learn_many(X, Y)
    fitted = regressor(max_iter=2, **options).fit(X, Y)
    assert_same(snapshot(learner), learned(fitted))
    assert fitted.predict(X).tobytes() == learner.predict_many(X).tobytes()
    assert fitted.coef_.shape == (6,) and fitted.intercept_.shape == (1,)
    assert (fitted.n_features_in_, fitted.n_iter_, fitted.t_) == (6, 2, 241)
    assert fitted.score(X, Y) == r2_score(Y, learner.predict_many(X))


@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"bias": False}], ids=str)
@every_regressor
def test_weights_predict_as_the_learner_does(regressor: Any, options: dict[str, Any]) -> None:
    fitted = regressor(**options).fit(X, Y)
    length = np.maximum(np.linalg.norm(X, axis=1), 1e-9)[:, None]
    rows = X / length * 0.5**0.5 if "scale" in options else X
    np.testing.assert_allclose(fitted.predict(X), rows @ fitted.coef_ + fitted.intercept_, atol=1e-9)
    assert fitted.coef_.any() and fitted.intercept_.any() == ("bias" not in options)


@every_regressor
def test_a_plane_is_learned(regressor: Any) -> None:
    rows, y = make_regression(n_samples=2000, n_features=6, n_informative=5, bias=0.0, noise=0.1, random_state=0)
    y = y / y.std()
    assert regressor().fit(rows, y).score(rows, y) > 0.95


@every_regressor
def test_fit_is_partial_fit_in_blocks(regressor: Any) -> None:
    fitted, grown = regressor().fit(X, Y), regressor()
    for start, stop in pairwise([0, 1, 2, 50, 120]):
        assert grown.partial_fit(X[start:stop], Y[start:stop]) is grown
    assert_same(learned(fitted), learned(grown))
    assert (grown.t_, grown.n_iter_) == (121, 1)
    assert_same(learned(grown.fit(X, Y)), learned(fitted))


@pytest.mark.parametrize("make", [csr_matrix, csr_array, csc_matrix, coo_array])
@every_regressor
def test_sparse_rows_are_dense_rows(regressor: Any, make: Any) -> None:
    dense, sparse = regressor(max_iter=2).fit(X, Y), regressor(max_iter=2).fit(make(X), Y)
    np.testing.assert_allclose(sparse.predict(make(X)), dense.predict(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)


def test_rows_in_random_order_keep_their_targets_and_weights() -> None:
    given = {"shuffle": True, "max_iter": 3, "random_state": 1}
    fitted = ds.PA1Regressor(**given).fit(X, Y, sample_weight=W)
    random, learner, used = np.random.RandomState(1), dl.PA1Regressor(), np.flatnonzero(W)
    for _ in range(3):
        order = used[random.permutation(len(used))]
        learner.learn_many(X[order], Y[order], W[order])
    assert_same(learned(fitted), snapshot(learner))
    grown = ds.PA1Regressor(shuffle=True, random_state=1).partial_fit(X, Y)
    order = np.random.RandomState(1).permutation(120)
    assert_same(learned(grown), learned(ds.PA1Regressor().fit(X[order], Y[order])))


# weights of rows --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scale", [None, "standard"])
@every_regressor
def test_weight_0_is_removal_and_others_multiply_the_step(regressor: Any, scale: str | None) -> None:
    learner = regressor.learner(scale=scale)
    learner.learn_many(X[W > 0.0], Y[W > 0.0], W[W > 0.0])
    for fitted in (regressor(scale=scale).fit(X, Y, sample_weight=W), regressor(scale=scale).partial_fit(X, Y, W)):
        assert_same(learned(fitted), snapshot(learner))
    before = learned(fitted)
    fitted.partial_fit(X, Y, sample_weight=np.zeros(120))
    assert_same(learned(fitted), before)


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        (np.zeros(120), "must"),
        (np.ones(119), "sample_weight must be an array of 120 numbers"),
        (np.where(np.arange(120) == 7, -1.0, 1.0), "row 7, a sample weight must be >= 0"),
        (np.where(np.arange(120) == 7, np.nan, 1.0), "row 7, a sample weight must be >= 0"),
    ],
)
def test_bad_weights_are_refused(weights: Any, what: str) -> None:
    for method in ("fit", "partial_fit"):
        regressor = ds.PA1Regressor()
        with pytest.raises(ValueError, match=what):
            getattr(regressor, method)(X, Y, sample_weight=weights)
        assert attributes(regressor) == {}


# bad targets, rows and parameters ---------------------------------------------------------------------------------
def last(value: Any) -> list[Any]:
    return [*Y.tolist()[:-1], value]


BAD = {
    "text": (np.array(["a", "b"] * 60), "row 0, a target must be a real number, got 'a'"),
    "text among numbers": (np.array(last("7.5"), dtype=object), "row 119, a target must be a real number, got '7.5'"),
    "text as a series": (pd.Series(["yes", "no"] * 60), "row 0, a target must be a real number, got 'yes'"),
    "bool": (Y > 0.0, "row 0, a target must be a real number, got (True|False)"),
    "none": (np.array(last(None), dtype=object), "(must be a real number|contains NaN)"),
    "nan": (last(np.nan), "contains NaN"),
    "infinity": (last(np.inf), "contains infinity"),
    "complex": (Y * 1j, "[Cc]omplex"),
    "huge": (last(1e16), "row 119, a target must be finite and at most 1e\\+15"),
    "two columns": (np.stack([Y, Y], axis=1), "should be a 1d array"),
    "too few": (Y[:-1], "inconsistent numbers of samples"),
}


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("bad", BAD)
@every_regressor
def test_bad_targets_are_refused_and_change_nothing(regressor: Any, bad: str, method: str) -> None:
    y, what = BAD[bad]
    new, fitted = regressor(), regressor().fit(pd.DataFrame(X, columns=list("abcdef")), Y)
    state, names = learned(fitted), fitted.feature_names_in_
    for one in (new, fitted):
        with pytest.raises(ValueError, match=what) as error:
            getattr(one, method)(pd.DataFrame(X, columns=list("abcdef")), y)
        if "a target must" in what:
            assert FORM.match(str(error.value)) and str(error.value).startswith(f"{regressor.__name__}: row ")
    assert attributes(new) == {}
    assert_same(learned(fitted), state)
    assert fitted.feature_names_in_ is names and fitted.t_ == 121


def test_targets_may_be_of_any_real_type() -> None:
    whole = np.round(4.0 * Y)
    expected = learned(ds.PA1Regressor().fit(X, whole))
    for y in (whole.astype(int), whole.astype(np.float32), pd.Series(whole), [Decimal(int(one)) for one in whole]):
        assert_same(learned(ds.PA1Regressor().fit(X, y)), expected)


@every_regressor
def test_bad_rows_are_refused_and_change_nothing(regressor: Any) -> None:
    fitted = regressor().fit(X, Y)
    before = learned(fitted)
    holed = X.copy()
    holed[3, 2] = np.nan
    for rows, what in ((holed, "contains NaN"), (X[:, :5], "5 features"), (X * 1e200, "must")):
        with pytest.raises(ValueError, match=what):
            fitted.partial_fit(rows, Y)
        assert_same(learned(fitted), before)
    with pytest.raises(ValueError, match="5 features"):
        fitted.predict(X[:, :5])


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"max_iter": 0}, "PA1Regressor: max_iter must be a whole number >= 1, got 0"),
        ({"max_iter": True}, "PA1Regressor: max_iter must be a whole number >= 1, got True"),
        ({"shuffle": 1}, "PA1Regressor: shuffle must be True or False, got 1"),
        ({"C": -1.0}, "PA1Regressor: C must be > 0, got -1"),
        ({"epsilon": -1.0}, "PA1Regressor: epsilon must be >= 0"),
        ({"scale": "log"}, "PA1Regressor: scale must be"),
    ],
    ids=str,
)
def test_parameters_are_checked_by_fit(parameters: dict[str, Any], what: str) -> None:
    for method in ("fit", "partial_fit"):
        regressor = ds.PA1Regressor(**parameters)
        with pytest.raises(ValueError, match=f"^{re.escape(what)}"):
            getattr(regressor, method)(X, Y)
        assert attributes(regressor) == {}


# weights that are set ---------------------------------------------------------------------------------------------
@every_regressor
def test_predictions_follow_the_weights_that_were_set(regressor: Any) -> None:
    coef = np.array([0.1, -0.2, 0.3, 0.0, 0.5, 0.6])
    fitted, new = regressor().fit(X, Y), regressor()
    for one in (fitted, new):
        one.coef_, one.intercept_ = coef, 0.7
        np.testing.assert_allclose(one.predict(X), X @ coef + 0.7, atol=1e-12)
        np.testing.assert_allclose(one.coef_, coef, atol=1e-15)
        np.testing.assert_allclose(one.intercept_, [0.7], atol=1e-15)
    assert fitted.fit(X, Y).coef_.tolist() == regressor().fit(X, Y).coef_.tolist()


def test_learning_goes_on_from_weights_that_were_set() -> None:
    first, second = ds.PA1Regressor().fit(X[:60], Y[:60]), ds.PA1Regressor()
    second.coef_, second.intercept_ = first.coef_, first.intercept_
    for one in (first, second):
        one.partial_fit(X[60:], Y[60:])
    np.testing.assert_allclose(first.coef_, second.coef_, rtol=1e-12)
    assert learned(first).keys() == learned(second).keys()  # a regressor calibrates no probabilities
    third = ds.PA1Regressor()
    third.intercept_ = [2.0]
    assert third.partial_fit(X[:1] * 0.0, [2.0]).intercept_ == 2.0


def test_bad_weights_that_are_set_are_refused() -> None:
    fitted = ds.PA1Regressor().fit(X, Y)
    for name, value, what in (
        ("coef_", np.ones(5), r"coef_ must have shape \(1, 6\), got \(1, 5\)\. Set weights of another shape on a new"),
        ("coef_", [np.nan] * 6, "coef_ must be finite"),
        ("coef_", ["a"] * 6, "coef_ must be an array of numbers"),
        ("intercept_", [1.0, 2.0], r"intercept_ must have shape \(1,\)"),
    ):
        with pytest.raises(ValueError, match=f"^PA1Regressor: {what}"):
            setattr(fitted, name, value)
    new = ds.PA1Regressor()
    new.coef_ = np.ones((2, 6))
    with pytest.raises(ValueError, match=r"coef_ must have shape \(1, 6\), got \(2, 6\)"):
        new.predict(X)
    assert fitted.predict(X).tobytes() == ds.PA1Regressor().fit(X, Y).predict(X).tobytes()


@pytest.mark.parametrize(("constraint", "inside"), [("l2", [0.6, 0.8, 0.0]), ("l1", [0.5, 0.4, 0.1])])
def test_weights_outside_the_ball_are_refused(constraint: Any, inside: list[float]) -> None:
    regressor = ds.GradientDescentRegressor(radius=1.0, constraint=constraint, bias=False).fit(X[:, :3], Y)
    regressor.coef_ = inside
    np.testing.assert_allclose(regressor.predict(X[:, :3]), X[:, :3] @ inside, atol=1e-12)
    regressor.coef_ = np.multiply(inside, 1.01)
    with pytest.raises(ValueError, match=r"the weights must have a norm of at most 1, the radius of the ball"):
        regressor.predict(X[:, :3])


@every_regressor
def test_weights_are_read_only_and_may_be_sparse(regressor: Any) -> None:
    fitted = regressor().fit(X, Y)
    dense, predicted = fitted.coef_, fitted.predict(X)
    with pytest.raises(ValueError, match="read-only"):
        dense[0] = 1.0
    assert fitted.sparsify().coef_.toarray().tolist() == [dense.tolist()]
    assert fitted.predict(X).tobytes() == predicted.tobytes()
    assert fitted.densify().coef_.tolist() == dense.tolist()


# scikit-learn's world ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@every_regressor
def test_copies_go_on_to_the_same_bits(regressor: Any, copied: Any) -> None:
    original = regressor(scale="standard").partial_fit(X[:60], Y[:60])
    twin = copied(original)
    for one in (original, twin):
        one.partial_fit(X[60:], Y[60:])
    assert_same(learned(original), learned(twin))
    assert clone(original).get_params() == original.get_params() and not hasattr(clone(original), "coef_")


def test_frames_name_the_columns() -> None:
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fitted = ds.PA1Regressor().fit(frame, Y)
    assert fitted.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.partial_fit(frame[list("fedcba")], Y)


def test_it_works_in_pipelines_searches_and_ensembles() -> None:
    rows, y = X * [1.0, 100.0, 1.0, 1.0, 10.0, 1.0], X @ [1.0, -2.0, 0.5, 0.0, 1.0, 0.3]
    pipeline = make_pipeline(StandardScaler(), ds.PA1Regressor())
    search = GridSearchCV(pipeline, {"pa1regressor__C": [1e-6, 1.0]}, cv=3).fit(rows, y)
    assert search.best_params_ == {"pa1regressor__C": 1.0} and search.best_score_ > 0.9
    assert cross_val_score(pipeline, rows, y, cv=3).mean() > 0.9
    assert BaggingRegressor(pipeline, 3, random_state=0).fit(rows, y).score(rows, y) > 0.9
    scaled = TransformedTargetRegressor(pipeline, transformer=StandardScaler()).fit(rows, 1e6 + 1e3 * y)
    assert scaled.score(rows, 1e6 + 1e3 * y) > 0.9


def test_readers_see_whole_blocks() -> None:
    shared, replay, done = ds.PA1Regressor(), ds.PA1Regressor(), threading.Event()
    seen: list[np.ndarray] = []
    for one in (shared, replay):
        one.partial_fit(X[:20], Y[:20])

    def learn() -> None:
        for k in range(20, 120, 5):
            shared.partial_fit(X[k : k + 5], Y[k : k + 5])
        done.set()

    def read() -> None:
        while not done.is_set():
            seen.append(shared.predict(X[:3]))
            seen.append(pickle.loads(pickle.dumps(shared)).predict(X[:3]))

    in_threads(learn, read, read)
    moments = {replay.predict(X[:3]).tobytes()}
    for k in range(20, 120, 5):
        moments.add(replay.partial_fit(X[k : k + 5], Y[k : k + 5]).predict(X[:3]).tobytes())
    assert seen and {one.tobytes() for one in seen} <= moments
