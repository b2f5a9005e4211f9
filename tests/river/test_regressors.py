"""The river regressors: river's checks, pipelines, and the same bits as the learner."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import random
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import base, checks, compose, datasets, ensemble, evaluate, feature_extraction, metrics, preprocessing, utils

import driftline as dl
import driftline.river as dr
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.linear_cases import WEIGHTS
from tests.support.regression_cases import targets

NAMES = [name for name in dr.__all__ if name.endswith("Regressor") and name != "TrackerRegressor"]
OPTIONS = ("bias", "scale", "hashing", "dtype")
DATA = targets(71, rounds=300, n=5, density=0.7, weights=WEIGHTS)
FEATURES = list("abcde")
ROWS = [dict(zip(FEATURES, row, strict=True)) for row in DATA.X.tolist()]
Y = DATA.y.tolist()
FRAME = pd.DataFrame(ROWS, index=range(1000, 1300))
TARGET = pd.Series(Y, index=FRAME.index, name="price")
BACKENDS = {
    "pandas": (FRAME, TARGET),
    "polars": (pl.DataFrame(ROWS), pl.Series("price", Y)),
    "arrow": (pa.Table.from_pylist(ROWS), pa.chunked_array([Y])),
}
every_regressor = pytest.mark.parametrize("name", NAMES)


def wrapper(name: str) -> type[Any]:
    found: type[Any] = getattr(dr, name)
    return found


def learner_class(name: str) -> type[dl.Learner]:
    return type(wrapper(name)().learner)


# river's own checks -----------------------------------------------------------------------------------------------
SKIPPED = {
    # with forgetting, the limit on D in P = U D U^T depends on the order of the features
    "RecursiveLeastSquaresRegressor": {"check_shuffle_features_no_impact"},
}
ONCE = {"check_pickling", "check_bounded_memory_growth"}  # as for classifiers
CHECKED = [(name, params) for name in NAMES for params in wrapper(name)._unit_test_params()]


@pytest.mark.parametrize(("name", "params"), CHECKED, ids=str)
def test_rivers_own_checks(name: str, params: dict[str, Any]) -> None:
    model = wrapper(name)(**params)
    assert model._unit_test_skips() == set()
    done = []
    for check in checks.yield_checks(model):
        if check.__name__ in SKIPPED.get(name, ()) or (params and check.__name__ in ONCE):
            continue
        random.seed(0)
        check(model.clone())
        done.append(check.__name__)
    assert {"check_learn_many_matches_learn_one", "check_predict_one_pure"} <= set(done)


@every_regressor
def test_what_it_is_and_what_it_takes(name: str) -> None:
    kind, learner = wrapper(name), learner_class(name)
    model = kind()
    assert isinstance(model, base.MiniBatchRegressor) and not isinstance(model, base.Classifier)
    assert kind.__name__ == learner.__name__.removesuffix("Regressor") + "Regressor" and learner().rule.regresses
    assert not hasattr(model, "predict_proba_one") and not hasattr(model, "labels")
    given = dict(inspect.signature(kind).parameters)
    own = dict(inspect.signature(learner).parameters)
    del own["options"]
    assert list(given) == [*own, *OPTIONS]
    for one in own:
        assert (given[one].default, given[one].kind) == (own[one].default, own[one].kind), one
    assert {one: given[one].default for one in OPTIONS} == {one: learner().options[one] for one in OPTIONS}


@every_regressor
def test_parameters_reach_the_learner_and_the_clone(name: str) -> None:
    changed = {"bias": False, "scale": "unit", "hashing": dl.Hashing(8)}
    if learner_class(name)().rule.single:
        changed["dtype"] = "float32"
    else:
        with pytest.raises(ValueError, match="dtype must be 'float64', got 'float32'"):
            wrapper(name)(dtype="float32")
    numbers = {k: v for k, v in wrapper(name)()._get_params().items() if type(v) is float and 0.0 < v < math.inf}
    changed |= {k: v * 0.9 for k, v in numbers.items()}
    for model in (wrapper(name)(**changed), wrapper(name)().clone(changed), wrapper(name)(**changed).clone()):
        assert {k: str(v) for k, v in model._get_params().items() if k in changed} == {
            k: str(v) for k, v in changed.items()
        }
        assert {k: getattr(model.learner.rule, k) for k in numbers} == {k: changed[k] for k in numbers}
        assert {k: str(model.learner.options[k]) for k in OPTIONS if k in changed} == {
            k: str(changed[k]) for k in OPTIONS if k in changed
        }


def test_parameters_are_searched() -> None:
    assert [one.C for one in utils.expand_param_grid(dr.PA1Regressor(), {"C": [0.1, 10.0]})] == [0.1, 10.0]
    with pytest.raises(ValueError, match=r"^PA1Regressor: C must be > 0, got -1"):
        dr.PA1Regressor().clone({"C": -1.0})


# the same bits ----------------------------------------------------------------------------------------------------
@every_regressor
def test_it_is_its_learner_to_the_last_bit(name: str) -> None:
    model, learner = wrapper(name)(), learner_class(name)()
    assert model.predict_one(ROWS[0]) == 0.0
    for x, y, w in zip(ROWS, Y, DATA.w.tolist(), strict=True):
        assert model.predict_one(x) == learner.predict_one(x)
        learner.learn_one(x, y, w)
        assert model.learn_one(x, y, w) is None
    assert_same(snapshot(model.learner), snapshot(learner))
    assert learner.updates > 10 and type(model.predict_one(ROWS[0])) is float


@pytest.mark.parametrize("params", [{}, {"bias": False}, {"scale": "standard"}, {"hashing": dl.Hashing(12)}], ids=str)
@every_regressor
def test_a_frame_leaves_the_bits_of_a_loop(name: str, params: dict[str, Any]) -> None:
    loop, many = wrapper(name)(**params), wrapper(name)(**params)
    for start, stop, columns in ((0, 90, FEATURES[:2]), (90, 91, FEATURES), (91, 300, FEATURES[::-1])):
        block, w = FRAME.iloc[start:stop][columns], pd.Series(DATA.w[start:stop])
        many.learn_many(block, TARGET.iloc[start:stop], w=w)
        for x, y, one in zip(block.to_dict("records"), Y[start:stop], w.tolist(), strict=True):
            loop.learn_one(x, y, w=one)
        assert many.predict_many(block).tolist() == [loop.predict_one(x) for x in block.to_dict("records")]
    assert_same(snapshot(loop.learner), snapshot(many.learner))


@pytest.mark.parametrize("backend", BACKENDS)
@every_regressor
def test_every_frame_means_the_same(name: str, backend: str) -> None:
    X, y = BACKENDS[backend]
    model, loop = wrapper(name)(), wrapper(name)()
    model.learn_many(X, y)
    for x, target in zip(ROWS, Y, strict=True):
        loop.learn_one(x, target)
    assert_same(snapshot(model.learner), snapshot(loop.learner))
    predicted = model.predict_many(X)
    assert type(predicted) is type(y)
    assert (predicted.to_pylist() if backend == "arrow" else predicted.to_list()) == [loop.predict_one(x) for x in ROWS]


def test_predictions_keep_index_and_name() -> None:
    model = dr.PA1Regressor()
    assert model.predict_many(FRAME).tolist() == [0.0] * 300 and model.predict_many(FRAME).name is None
    model.learn_many(FRAME, TARGET)
    predicted = model.predict_many(FRAME[::-2])
    assert predicted.name == "price" and predicted.dtype == float and predicted.index.equals(FRAME.index[::-2])
    assert model.predict_many(FRAME[:0]).to_list() == []


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@every_regressor
def test_a_copy_goes_on_to_the_same_bits(name: str, copied: Any) -> None:
    model = wrapper(name)(scale="standard")
    model.learn_many(FRAME[:150], TARGET[:150])
    twin, before = copied(model), snapshot(model.learner)
    twin.learn_many(FRAME[150:], TARGET[150:])
    assert_same(snapshot(model.learner), before)
    model.learn_many(FRAME[150:], TARGET[150:])
    assert_same(snapshot(model.learner), snapshot(twin.learner))
    assert twin._get_params() == model._get_params()


# in river's company -----------------------------------------------------------------------------------------------
@every_regressor
def test_after_a_scaler(name: str) -> None:
    """The errors that river counts are those of the learner."""
    model = preprocessing.StandardScaler() | wrapper(name)()
    scaler, learner, losses = preprocessing.StandardScaler(), learner_class(name)(), []
    examples = list(datasets.TrumpApproval())
    for x, y in examples:
        losses.append(abs(y - learner.predict_one(scaler.transform_one(x))))
        scaler.learn_one(x)
        learner.learn_one(scaler.transform_one(x), y)
    metric = evaluate.progressive_val_score(examples, model, metrics.MAE())
    assert metric.get() == pytest.approx(sum(losses) / len(losses), rel=1e-12)
    assert metric.get() < 40.0 / 2 and "Prediction: " in model.debug_one(examples[0][0])
    assert_same(snapshot(model[name].learner), snapshot(learner))


def test_inside_other_regressors() -> None:
    examples = [(x, y) for x, y in datasets.TrumpApproval().take(300)]
    for model in (
        preprocessing.TargetStandardScaler(preprocessing.StandardScaler() | dr.PA1Regressor()),
        preprocessing.StandardScaler() | ensemble.BaggingRegressor(dr.PA1Regressor(), n_models=3, seed=1),
        compose.Pipeline(preprocessing.StandardScaler(), dr.PA1Regressor(C=10.0)),
    ):
        assert evaluate.progressive_val_score(examples, model, metrics.MAE()).get() < 10.0


def test_features_named_by_tuples() -> None:
    bag = feature_extraction.BagOfWords(ngram_range=(1, 2))
    model = bag | dr.PA1Regressor()
    model.learn_one("free money", 3.0)
    assert f"{('free', 'money')}" in model["PA1Regressor"].learner.weights()
    assert model.predict_one("free money") > 2.0
    tuples = pd.DataFrame([[1.0, 2.0]], columns=pd.Index([("a", "b"), "c"], tupleize_cols=False))
    many, one = dr.PA1Regressor(), dr.PA1Regressor()
    many.learn_many(tuples, pd.Series([2.0]))
    one.learn_one({("a", "b"): 1.0, "c": 2.0}, 2.0)
    assert many.learner.weights() == one.learner.weights()


# refusals ---------------------------------------------------------------------------------------------------------
BAD: dict[str, tuple[Any, str]] = {
    "text": (lambda m: m.learn_one(ROWS[0], "7.5"), "a target must be a real number, got '7.5'. Convert it to a float"),
    "no target": (lambda m: m.learn_one(ROWS[0], None), "a target must be a real number, got None"),
    "bool": (lambda m: m.learn_one(ROWS[0], True), "a target must be a real number, got True"),
    "nan": (lambda m: m.learn_one(ROWS[0], math.nan), "a target must be finite and at most 1e+15"),
    "tuple and text": (lambda m: m.learn_one({("p", "q"): 1.0}, "x"), "a target must be a real number, got 'x'"),
    "weight": (lambda m: m.learn_one(ROWS[0], 1.0, w=-1.0), "a sample weight must be >= 0"),
    "infinite": (lambda m: m.learn_one({"new": math.inf}, 1.0), "feature 'new' must be finite, got inf. Clip"),
    "text in a frame": (
        lambda m: m.learn_many(FRAME[:3], pd.Series(["a", "b", "c"], name="x")),
        "row 0, a target must be a real number, got 'a'",
    ),
    "infinity in a frame": (
        lambda m: m.learn_many(FRAME[:3], pd.Series([1.0, math.inf, 2.0], name="x")),
        "row 1, a target must be finite",
    ),
    "short": (lambda m: m.learn_many(FRAME, TARGET[:3].rename("x")), "X and y must have the same length"),
    "list": (lambda m: m.predict_many(ROWS), "X must be a pandas or polars frame or an Arrow table, got list"),
}


@pytest.mark.parametrize("bad", BAD)
@every_regressor
def test_refused_and_unchanged(name: str, bad: str) -> None:
    call, words = BAD[bad]
    model = wrapper(name)()
    model.learn_many(FRAME[:50], TARGET[:50])
    with refused(model.learner, words):
        call(model)
    assert model.predict_many(FRAME[:2]).name == "price"


@every_regressor
def test_memory_is_its_own(name: str) -> None:
    """The compiled code is not counted, the weights are."""
    model = wrapper(name)(**({"diagonal": True} if "diagonal" in inspect.signature(wrapper(name)).parameters else {}))
    for x, y in zip(ROWS, Y, strict=True):
        model.learn_one(x, y)
        model.predict_one(x)
    small = model._raw_memory_usage
    assert sum(array.nbytes for array in model.learner._engine.arrays().values()) < small < 40_000
    model.learn_one({f"f{k}": 1.0 for k in range(5000)}, 1.0)
    assert 5000 * 8 < model._raw_memory_usage - small < 5000 * 400
