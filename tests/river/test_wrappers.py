"""The river classifiers: river's checks, pipelines, and the same errors as a run."""

from __future__ import annotations

import copy
import inspect
import math
import os
import pickle
import random
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import (
    base,
    checks,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    imblearn,
    metrics,
    multiclass,
    preprocessing,
    utils,
)

import driftline as dl
import driftline.river as dr
from driftline.learners.options import Options
from driftline.river.float64_only import RiverSecondOrder
from tests.support.bitwise import LINEAR, assert_same, refused, snapshot
from tests.support.linear_cases import WEIGHTS, stream
from tests.support.processes import printed

REGISTRY = [*sorted(LINEAR), "secondorderperceptron", "arow", "scw", "balancedwinnow"]
POSITIVE = (dr.Winnow, dr.TrackingWinnow)
ENGINES = ("pa1", "pnormperceptron", "l1pa", "arow", "balancedwinnow")  # one learner on each engine
SETTINGS = [{}, {"bias": False}, {"scale": "unit"}, {"scale": "standard"}, {"hashing": dl.Hashing(12)}]
MULTICLASS = (
    dr.OneVsRest,
    dr.MulticlassPerceptron,
    dr.MulticlassPA,
    dr.MulticlassShrunkPA,
    dr.MulticlassL2PA,
    dr.MulticlassL1PA,
)
DATA = stream(71, rounds=300, n=5, density=0.7, weights=WEIGHTS)
NAMES = list("abcde")
ROWS = [dict(zip(NAMES, row, strict=True)) for row in DATA.X.tolist()]
Y = (DATA.y > 0).tolist()
FRAME = pd.DataFrame(ROWS, index=range(1000, 1300))
TARGET = pd.Series(Y, index=FRAME.index, name="spam")
BACKENDS = {
    "pandas": (FRAME, TARGET),
    "polars": (pl.DataFrame(ROWS), pl.Series("spam", Y)),
    "arrow": (pa.Table.from_pylist(ROWS), pa.chunked_array([Y])),
}


def wrapper(name: str) -> type[Any]:
    found: type[Any] = getattr(dr, dl.REGISTRY[name].__name__)
    return found


def errors(metric: metrics.Accuracy) -> tuple[float, float]:
    """How many examples river's accuracy has seen, and how many of them were wrong."""
    return metric.cm.total_weight, metric.cm.total_weight - metric.cm.total_true_positives


@cache
def real(name: str) -> list[tuple[dict[str, float], Any]]:
    if name == "elec2":
        path = Path(os.environ.get("DRIFTLINE_DATA", ""), "elec2", "elecNormNew.arff.zip")
        if "DRIFTLINE_DATA" not in os.environ or not path.exists():
            pytest.skip("DRIFTLINE_DATA is not set, or has no elec2")
        with zipfile.ZipFile(path) as archive:
            lines = archive.read("elecNormNew.arff").decode().partition("@data")[2].split()
        rows = [line.split(",") for line in lines[:12000]]
        return [({str(k): float(v) for k, v in enumerate(row[:-1])}, row[-1]) for row in rows]
    return list({"phishing": datasets.Phishing, "bananas": datasets.Bananas}[name]())


# river's own checks ---------------------------------------------------------------------------------------------
ONCE = {"check_pickling", "check_bounded_memory_growth"}
"""Slow checks that are run for the default parameters only: other parameters change neither."""
CHECKED = [(name, {}) for name in REGISTRY]
CHECKED += [(name, params) for name in ENGINES for params in wrapper(name)._unit_test_params() if params]


@pytest.mark.parametrize(("name", "params"), CHECKED, ids=str)
def test_rivers_own_checks(name: str, params: dict[str, Any]) -> None:
    model = wrapper(name)(**params)
    assert model._unit_test_skips() == set()
    done = []
    for check in checks.yield_checks(model):
        if params and check.__name__ in ONCE:
            continue
        random.seed(0)
        check(model.clone())
        done.append(check.__name__)
    assert {"check_learn_many_matches_learn_one", "check_predict_proba_one_binary"} <= set(done)


@pytest.mark.parametrize("name", REGISTRY)
def test_what_it_is_and_what_it_takes(name: str) -> None:
    kind = wrapper(name)
    model = kind()
    assert isinstance(model, base.Classifier) and isinstance(model, base.MiniBatchClassifier)
    assert model._supervised and not model._multiclass and model._tags == set()
    classifiers = [one for one in dr.__all__ if not one.endswith("Regressor")]
    assert kind.__name__ in classifiers
    assert len(classifiers) == len(REGISTRY) + len(MULTICLASS) + len(POSITIVE) + 1
    assert type(model.learner) is dl.REGISTRY[name]
    given = dict(inspect.signature(kind).parameters)
    own = dict(inspect.signature(dl.REGISTRY[name]).parameters)
    del own["options"]
    options = Options.__annotations__
    assert list(given) == [*own, *options]
    for one in own:
        assert (given[one].default, given[one].kind) == (own[one].default, own[one].kind), one
    assert {one: given[one].default for one in options} == {**dl.REGISTRY[name]().options, "labels": (False, True)}


@pytest.mark.parametrize("name", REGISTRY)
def test_every_parameter_reaches_the_learner_and_the_clone(name: str) -> None:
    other = {
        float: lambda v: v / 2,
        int: lambda v: v - 1,
        bool: lambda v: not v,
        str: lambda v: {"margin": "mistake", "mistake": "margin", "skip": "best"}[v],
    }
    params = wrapper(name)()._get_params()
    rule = [one for one in params if one not in Options.__annotations__]
    changed = {one: 3.0 if params[one] is None else other[type(params[one])](params[one]) for one in rule}
    if name == "pnormperceptron":
        changed["p"] = 6.0
    elif name == "scw":
        changed["eta"] = 0.8  # which is a probability above a half
    elif name == "projectionperceptron":
        changed |= {"radius": 1.0, "region": dl.regions.L1Ball(2.0)}  # a region has no radius beside it
    elif "p" in changed:
        changed["p"] = 3.0
    changed |= {"bias": False, "scale": "unit", "labels": ("no", "yes"), "hashing": dl.Hashing(8), "dtype": "float32"}
    changed["class_weight"] = {"yes": 3.0}
    if not dl.REGISTRY[name]().rule.single:
        with pytest.raises(ValueError, match="dtype must be 'float64', got 'float32'"):
            wrapper(name)(**changed)
        changed["dtype"] = "float64"
    for model in (wrapper(name)(**changed), wrapper(name)().clone(changed), wrapper(name)(**changed).clone()):
        assert str(model._get_params()) == str(changed)
        assert {one: getattr(model.learner.rule, one) for one in rule} == {one: changed[one] for one in rule}
        assert str(model.learner.options) == str({one: changed[one] for one in Options.__annotations__})
        assert repr(model).startswith(f"{wrapper(name).__name__} (\n  ")
        assert all(f"  {one}=" in repr(model) for one in changed)


def test_parameters_are_given_at_the_start_or_to_a_clone() -> None:
    model = dr.PA1(C=0.5)
    with pytest.raises(ValueError, match="not a mutable attribute"):
        model.mutate({"C": 1.0})
    assert [one.C for one in utils.expand_param_grid(model, {"C": [0.1, 10.0]})] == [0.1, 10.0]
    pipeline = compose.Pipeline(preprocessing.StandardScaler(), model)
    assert pipeline.clone({"PA1": {"C": 7.0}})["PA1"].learner.rule.C == 7.0
    model.learn_one(ROWS[0], True)
    assert model.clone().learner.n_seen == 0
    assert_same(snapshot(model.clone(include_attributes=True).learner), snapshot(model.learner))
    with pytest.raises(ValueError, match=r"^PA1: C must be > 0, got -1"):
        model.clone({"C": -1.0})


# the same bits --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("params", SETTINGS, ids=str)
@pytest.mark.parametrize("name", REGISTRY)
def test_a_frame_leaves_the_bits_of_a_loop(name: str, params: dict[str, Any]) -> None:
    loop, many, weighted, scores = wrapper(name)(**params), wrapper(name)(**params), [], []
    for start, columns in ((0, NAMES[:2]), (90, NAMES), (91, NAMES[3:]), (200, NAMES[::-1])):
        stop = {0: 90, 90: 91, 91: 200, 200: 300}[start]
        block = FRAME.iloc[start:stop][columns]
        w = pd.Series(DATA.w[start:stop])
        many.learn_many(block, TARGET.iloc[start:stop], w=w)
        for x, y, one in zip(block.to_dict("records"), Y[start:stop], w.tolist(), strict=True):
            assert loop.learn_one(x, y, w=one) is None
        weighted += w.tolist()
        scores.append(
            many.predict_proba_many(block).iloc[:, 0].tolist()
            == [loop.predict_proba_one(x)[True] for x in block.to_dict("records")]
        )
    assert_same(snapshot(loop.learner), snapshot(many.learner))
    assert all(scores) and loop.learner.updates > 10 and len(set(weighted)) == len(WEIGHTS)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", REGISTRY)
def test_every_frame_means_the_same(name: str, backend: str) -> None:
    X, y = BACKENDS[backend]
    model, loop = wrapper(name)(), wrapper(name)()
    model.learn_many(X, y)
    for x, label in zip(ROWS, Y, strict=True):
        loop.learn_one(x, label)
    assert_same(snapshot(model.learner), snapshot(loop.learner))
    predicted, shares = model.predict_many(X), model.predict_proba_many(X)
    assert type(predicted) is type(y) and type(shares) is type(X)
    assert (predicted.to_pylist() if backend == "arrow" else predicted.to_list()) == [loop.predict_one(x) for x in ROWS]
    table = shares.to_pandas() if backend != "pandas" else shares
    assert table.columns.map(str).tolist() == ["True", "False"]
    assert table.to_numpy().tolist() == [list(loop.predict_proba_one(x).values()) for x in ROWS]


def test_predictions_keep_index_and_name() -> None:
    model = dr.PA1()
    assert model.predict_many(FRAME).name is None
    model.learn_many(FRAME, TARGET)
    predicted, shares = model.predict_many(FRAME[::-2]), model.predict_proba_many(FRAME[::-2])
    assert predicted.name == "spam" and predicted.dtype == bool
    assert predicted.index.equals(FRAME.index[::-2]) and shares.index.equals(FRAME.index[::-2])
    none = FRAME[:0]
    assert model.predict_many(none).to_list() == [] and model.predict_proba_many(none).shape == (0, 2)
    model.learn_many(none, TARGET[:0].rename("ham"))
    assert model.learner.n_seen == len(FRAME) and model.predict_many(none).name == "ham"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("name", REGISTRY)
def test_a_copy_goes_on_to_the_same_bits(name: str, copied: Any) -> None:
    model = wrapper(name)(scale="standard")
    model.learn_many(FRAME[:150], TARGET[:150])
    twin = copied(model)
    before = snapshot(model.learner)
    twin.learn_many(FRAME[150:], TARGET[150:])
    assert_same(snapshot(model.learner), before)
    model.learn_many(FRAME[150:], TARGET[150:])
    assert_same(snapshot(model.learner), snapshot(twin.learner))
    assert twin._get_params() == model._get_params() and twin.predict_many(FRAME).equals(model.predict_many(FRAME))


# the same errors as our run -------------------------------------------------------------------------------------
@pytest.mark.parametrize("data", ["phishing", "bananas", "elec2"])
@pytest.mark.parametrize("name", REGISTRY)
def test_river_counts_the_label_errors_of_our_run(name: str, data: str) -> None:
    """Every example, from the first on: our run learns the labels by itself, the wrapper has them declared."""
    examples = real(data)
    labels = ("UP", "DOWN") if data == "elec2" else (False, True)
    run = dl.run(dl.REGISTRY[name](), examples)
    metric = evaluate.progressive_val_score(examples, wrapper(name)(labels=labels), metrics.Accuracy())
    assert errors(metric) == (len(examples), run.label_errors)
    assert metric.get() == (len(examples) - run.label_errors) / len(examples)
    assert 0 < run.label_errors < len(examples) / 2 + 100


@pytest.mark.parametrize("lead", [1, 2, 7])
@pytest.mark.parametrize("name", REGISTRY)
def test_labels_taken_as_they_appear(name: str, lead: int) -> None:
    """River leaves out the first example; of those up to the first with another label, only that one is an error."""
    words = [(x, "bad" if y else "good") for x, y in real("phishing")]
    same, other = ([one for one in words if one[1] == label] for label in ("good", "bad"))
    examples = [*same[:lead], other[0], *[one for one in words if one is not other[0]]]
    learner = dl.REGISTRY[name]()
    trials = learner.test_then_train([x for x, _ in examples], [y for _, y in examples])
    wrong = (trials.scores >= 0.0) != (trials.y > 0.0)
    model = wrapper(name)(labels=None)
    assert model.predict_one(examples[0][0]) is None and model.predict_proba_one(examples[0][0]) == {}
    metric = evaluate.progressive_val_score(examples, model, metrics.Accuracy())
    assert errors(metric) == (len(examples) - 1, 1 + np.count_nonzero(wrong[lead + 1 :]))
    assert_same(snapshot(model.learner), snapshot(learner))


def test_frames_before_the_labels_are_known() -> None:
    for X, _ in BACKENDS.values():
        model = dr.PA1(labels=None)
        unknown = model.predict_many(X)
        assert (unknown.to_pylist() if isinstance(unknown, pa.ChunkedArray) else unknown.to_list()) == [None] * 300
        assert model.predict_proba_many(X).shape[1] == 0
        model.learn_one(ROWS[0], "spam")
        assert model.predict_proba_one(ROWS[1]) == {"spam": 1.0}
        shares = model.predict_proba_many(X)
        assert shares.shape == (300, 1) and set(np.asarray(shares["spam"])) == {1.0}
        model.learn_one(ROWS[1], "ham")
        assert list(model.predict_proba_one(ROWS[1])) == [*reversed(model.learner.labels)]


# probabilities --------------------------------------------------------------------------------------------------
def test_probabilities_are_those_of_the_learner() -> None:
    model = dr.PA1(bias=False)
    assert model.predict_proba_one({}) == {True: 0.5, False: 0.5}
    for x, y in zip(ROWS, Y, strict=True):
        model.learn_one(x, y)
        shares = model.predict_proba_one(x)
        assert shares == model.learner.predict_proba_one(x)
        assert list(shares) == [True, False] and math.isclose(sum(shares.values()), 1.0)


# in river's company ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", REGISTRY)
def test_after_a_scaler(name: str) -> None:
    model = preprocessing.StandardScaler() | wrapper(name)()
    scaler, learner, wrong = preprocessing.StandardScaler(), dl.REGISTRY[name](labels=(False, True)), 0
    examples = real("phishing")
    for x, y in examples:
        wrong += (learner.score_one(scaler.transform_one(x)) >= 0.0) != y
        scaler.learn_one(x)
        learner.learn_one(scaler.transform_one(x), y)
    metric = evaluate.progressive_val_score(examples, model, metrics.Accuracy())
    assert errors(metric) == (len(examples), wrong)
    assert_same(snapshot(model[wrapper(name).__name__].learner), snapshot(learner))
    assert "True: 0." in model.debug_one(examples[0][0])


def test_a_pipeline_of_frames() -> None:
    model = preprocessing.StandardScaler() | dr.PA1()
    scaler, learner = preprocessing.StandardScaler(), dl.PA1(labels=(False, True))
    for start in range(0, 300, 100):
        X, y = FRAME[start : start + 100], TARGET[start : start + 100]
        model.learn_many(X, y)
        scaler.learn_many(X)
        learner.learn_many(scaler.transform_many(X), y)
    assert_same(snapshot(model["PA1"].learner), snapshot(learner))
    assert model.predict_many(FRAME).to_list() == learner.predict_many(scaler.transform_many(FRAME)).tolist()
    shares = learner.predict_proba_many(scaler.transform_many(FRAME))
    assert model.predict_proba_many(FRAME).to_numpy().tolist() == shares[:, ::-1].tolist()


TEXTS = ["free money now", "lunch at noon", "free lunch, free money", "meeting at noon", "money for lunch"] * 4
SPAM = [True, False, True, False, True] * 4


@pytest.mark.parametrize("grams", [(1, 1), (1, 2), (2, 2)])
def test_text(grams: tuple[int, int]) -> None:
    """Words and pairs of words; river names a pair by a tuple, which is spelled out."""
    bag = feature_extraction.BagOfWords(ngram_range=grams)
    model, learner = bag.clone() | dr.PA1(), dl.PA1(labels=(False, True))
    wrong = 0
    for text, y in zip(TEXTS, SPAM, strict=True):
        x = {str(k): float(v) for k, v in bag.transform_one(text).items()}
        wrong += learner.predict_one(x) != y
        learner.learn_one(x, y)
    metric = evaluate.progressive_val_score(zip(TEXTS, SPAM, strict=True), model, metrics.Accuracy())
    assert errors(metric) == (20, wrong)
    assert model["PA1"].learner.weights() == learner.weights()
    assert (f"{('free', 'money')}" in learner.weights()) is (grams != (1, 1))
    shares = model.predict_proba_one("free money")
    assert shares[True] > 0.5 and model.predict_one("free money") is True
    many = bag.clone() | dr.PA1()
    many.learn_many(pd.Series(TEXTS), pd.Series(SPAM))
    assert many["PA1"].learner.weights() == pytest.approx(learner.weights(), abs=1e-12)
    assert many.predict_many(pd.Series(TEXTS)).to_list() == [many.predict_one(text) for text in TEXTS]


def test_features_named_by_tuples() -> None:
    model = feature_extraction.RBFSampler(n_components=20, seed=1) | dr.PA1()
    sampler, learner = feature_extraction.RBFSampler(n_components=20, seed=1), dl.PA1(labels=(False, True))
    for x, y in zip(ROWS, Y, strict=True):
        model.learn_one(x, y)
        learner.learn_one({str(k): v for k, v in sampler.transform_one(x).items()}, y)
    assert_same(snapshot(model["PA1"].learner), snapshot(learner))


def test_drift_retraining() -> None:
    """Without drift it is our run; where the labels turn round, a new model is better than the old one."""
    examples = real("phishing")
    alone = drift.DriftRetrainingClassifier(dr.PA1(), drift.NoDrift(), train_in_background=False)
    learner, wrong = dl.PA1(labels=(False, True)), 0
    for x, y in examples:  # river predicts the most probable label
        wrong += next(iter(learner.predict_proba_one(x))) != y
        learner.learn_one(x, y)
    found = errors(evaluate.progressive_val_score(examples, alone, metrics.Accuracy()))
    assert found == (len(examples), wrong)
    turned = examples * 3 + [(x, not y) for x, y in examples] * 2
    old, new = dr.SelfTuningALMA(), drift.DriftRetrainingClassifier(dr.SelfTuningALMA(), drift.binary.DDM())
    scores = [evaluate.progressive_val_score(turned, model, metrics.Accuracy()).get() for model in (old, new)]
    assert new.model.learner.n_seen < len(turned)
    assert scores[1] > scores[0]


def test_one_versus_rest() -> None:
    examples = [(dict(zip("abc", row, strict=True)), int(np.argmax(row))) for row in DATA.X[:, :3].tolist()]
    model = multiclass.OneVsRestClassifier(dr.PA1())
    learners: dict[int, dl.Learner] = {}
    for x, y in examples:
        learners.setdefault(y, dl.PA1())
        if len(learners) == 3:
            shares = {label: learner.predict_proba_one(x).get(True, 0.0) for label, learner in learners.items()}
            assert model.predict_one(x) == max(shares, key=shares.__getitem__)
        for label, learner in learners.items():
            learner.learn_one(x, label == y)
        model.learn_one(x, y)
    many = multiclass.OneVsRestClassifier(dr.PA1())
    X, y = pd.DataFrame([x for x, _ in examples]), pd.Series([y for _, y in examples])
    many.learn_many(X, y)
    assert many.predict_many(X).to_list() == [many.predict_one(x) for x, _ in examples]
    assert np.mean(many.predict_many(X) == y) > 0.8


WRAPPED = {
    "bagging": lambda model: ensemble.BaggingClassifier(model, 3, seed=1),
    "adaptive bagging": lambda model: ensemble.ADWINBaggingClassifier(model, 3, seed=1),
    "leveraging bagging": lambda model: ensemble.LeveragingBaggingClassifier(model, 3, seed=1),
    "random patches": lambda model: ensemble.SRPClassifier(model, 3, seed=1),
    "boosting": lambda model: ensemble.AdaBoostClassifier(model, 3, seed=1),
    "voting": lambda model: ensemble.VotingClassifier([model, dr.ROMMA(), dr.Perceptron()]),
    "under-sampling": lambda model: imblearn.RandomUnderSampler(model, {False: 0.5, True: 0.5}, seed=1),
    "over-sampling": lambda model: imblearn.RandomOverSampler(model, {False: 0.5, True: 0.5}, seed=1),
    "hard sampling": lambda model: imblearn.HardSamplingClassifier(model, size=10, p=0.1, seed=1),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_inside_other_classifiers(name: str) -> None:
    """Whoever calls it most often gets 56 % right, and one model alone about 86 %."""
    model = WRAPPED[name](dr.PA1(C=0.1))
    assert evaluate.progressive_val_score(real("phishing"), model, metrics.Accuracy()).get() > 0.83


def test_sample_weights_come_through_the_evaluation() -> None:
    weighted = [(x, y, {"w": w}) for x, y, w in zip(ROWS, Y, DATA.w.tolist(), strict=True)]
    model, learner = dr.PA1(), dl.PA1(labels=(False, True))
    evaluate.progressive_val_score(weighted, model, metrics.Accuracy())
    learner.learn_many(ROWS, Y, DATA.w)
    assert_same(snapshot(model.learner), snapshot(learner))


def test_metrics_of_shares() -> None:
    loss = evaluate.progressive_val_score(real("phishing"), dr.PA1(C=0.1), metrics.LogLoss())
    area = evaluate.progressive_val_score(real("phishing"), dr.PA1(C=0.1), metrics.ROCAUC())
    assert loss.get() < math.log(2.0) and area.get() > 0.85


# memory ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", REGISTRY)
def test_memory_is_its_own(name: str) -> None:
    """The compiled code is not counted, the weights are."""
    model = wrapper(name)(**({"diagonal": True} if issubclass(wrapper(name), RiverSecondOrder) else {}))
    for x, y in zip(ROWS, Y, strict=True):
        model.learn_one(x, y)
        model.predict_one(x)
    small = model._raw_memory_usage
    assert sum(array.nbytes for array in model.learner._engine.arrays().values()) < small < 40_000
    assert model._memory_usage.endswith(" KiB")
    model.learn_one({f"f{k}": 1.0 for k in range(5000)}, True)
    assert 5000 * 8 < model._raw_memory_usage - small < 5000 * 400


# refusals -------------------------------------------------------------------------------------------------------
INFINITE = FRAME[:3].assign(b=math.inf)
TWICE = FRAME[:3].set_axis(["a", "a", "c", "d", "e"], axis="columns")
BAD: dict[str, tuple[Any, str]] = {
    "third label": (
        lambda m: m.learn_one(ROWS[0], "x"),
        "a label must be False or True, got 'x'. Correct it, declare another pair",
    ),
    "no label": (lambda m: m.learn_one(ROWS[0], None), "a label must be a value, got None. Drop"),
    "infinite": (lambda m: m.learn_one({"new": math.inf}, True), "feature 'new' must be finite, got inf. Clip"),
    "list value": (
        lambda m: m.learn_one({"a": []}, True),
        "feature 'a' must be a number, bool or string, got []. Pass None",
    ),
    "weight": (lambda m: m.learn_one(ROWS[0], True, w=-1.0), "a sample weight must be >= 0"),
    "name": (lambda m: m.learn_one({None: 1.0}, True), "a feature's name must be a str or int, got None. Use str"),
    "tuple and infinite": (
        lambda m: m.learn_one({("p", "q"): math.inf}, True),
        "feature \"('p', 'q')\" must be finite",
    ),
    "tuple and label": (lambda m: m.learn_one({("p", "q"): 1.0}, "x"), "a label must be False or True, got 'x'"),
    "asked of None": (lambda m: m.predict_one(None), "x must be a dict, a 1-d array or a sparse row, got NoneType"),
    "asked of infinite": (lambda m: m.predict_proba_one({"a": math.inf}), "feature 'a' must be finite, got inf"),
    "infinite frame": (
        lambda m: m.learn_many(INFINITE, TARGET[:3].rename("x")),
        "row 0, column 'b' must be finite, got inf",
    ),
    "third in a frame": (lambda m: m.learn_many(FRAME[:3], pd.Series([True, False, 7])), "row 2, a label must be"),
    "short": (
        lambda m: m.learn_many(FRAME, TARGET[:3].rename("x")),
        "X and y must have the same length, got 300 and 3",
    ),
    "weights": (lambda m: m.learn_many(FRAME, TARGET.rename("x"), w=[1.0]), "w must be a number or an array of 300"),
    "twice": (
        lambda m: m.learn_many(TWICE, TARGET[:3].rename("x")),
        "columns must have different names, got 'a' twice",
    ),
    "asked of twice": (lambda m: m.predict_many(TWICE), "columns must have different names, got 'a' twice"),
    "list": (
        lambda m: m.learn_many(ROWS, Y),
        "X must be a pandas or polars frame or an Arrow table, got list. Pass one",
    ),
    "lazy": (lambda m: m.predict_many(pl.LazyFrame(ROWS)), "or an Arrow table, got LazyFrame"),
    "array": (lambda m: m.predict_proba_many(DATA.X), "or an Arrow table, got ndarray"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", REGISTRY)
def test_refused_and_unchanged(name: str, bad: str) -> None:
    call, words = BAD[bad]
    model = wrapper(name)()
    model.learn_many(FRAME[:50], TARGET[:50])
    with refused(model.learner, words):
        call(model)
    assert model.predict_many(FRAME[:2]).name == "spam"


@pytest.mark.parametrize("name", REGISTRY)
def test_a_missing_value_is_an_absent_feature(name: str) -> None:
    given, plain = wrapper(name)(), wrapper(name)()
    frames, rows = wrapper(name)(), []
    for k, x in enumerate(ROWS[:60]):
        hole = list(x)[k % len(x)]
        rows.append({**x, hole: math.nan, "never": math.nan})
        given.learn_one({**x, hole: None if k % 2 else math.nan, "never": None}, Y[k])
        plain.learn_one({feature: value for feature, value in x.items() if feature != hole}, Y[k])
    frames.learn_many(pd.DataFrame(rows), TARGET[:60])
    assert_same(snapshot(given.learner), snapshot(plain.learner))
    assert frames.learner.n_features == plain.learner.n_features
    x = {**ROWS[60], "a": None}
    assert given.predict_proba_one(x) == plain.predict_proba_one({k: v for k, v in x.items() if v is not None})


def test_an_infeasible_example_is_refused_if_asked_for() -> None:
    model = dr.L2PA(beta=0.1, infeasible="raise")
    with refused(model.learner, "x must be feasible"):
        model.learn_one({"a": 0.1}, False)
    with refused(model.learner, "row 0 must be feasible"):
        model.learn_many(pd.DataFrame({"a": [0.1]}), pd.Series([False]))


# imports --------------------------------------------------------------------------------------------------------
def test_river_is_imported_only_when_asked_for() -> None:
    assert printed("import sys, driftline; print('river' in sys.modules)").strip() == "False"
    message = printed(
        "import sys; sys.modules['river'] = None\n"
        "try:\n    import driftline.river\nexcept ImportError as error:\n    print(error)"
    )
    assert message.strip() == 'driftline.river needs river: pip install "driftline[river]"'
    broken = printed(
        "import sys; sys.modules['narwhals'] = None\n"
        "try:\n    import driftline.river\nexcept ImportError as error:\n    print(error)"
    )
    assert "narwhals" in broken and "needs river" not in broken


def test_words_are_counted() -> None:
    """A Counter is a dict to the learner."""
    model, plain = dr.PA1(), dr.PA1()
    model.learn_one(Counter("abca"), True)
    plain.learn_one({"a": 2.0, "b": 1.0, "c": 1.0}, True)
    assert model.learner.weights() == plain.learner.weights()


# several classes --------------------------------------------------------------------------------------------------
every_multiclass = pytest.mark.parametrize("kind", MULTICLASS)


@every_multiclass
def test_rivers_own_checks_of_several_classes(kind: Any) -> None:
    for params in kind._unit_test_params():
        model = kind(**params)
        assert model._multiclass and model._unit_test_skips() == set()
        done = []
        for check in checks.yield_checks(model):
            if params and check.__name__ in ONCE:
                continue
            random.seed(0)
            check(model.clone())
            done.append(check.__name__)
        assert "check_learn_many_matches_learn_one" in done


@every_multiclass
def test_river_counts_the_label_errors_of_several_classes(kind: Any) -> None:
    examples = [(x, y) for x, y in datasets.ImageSegments().take(600)]
    model, metric = kind(scale="standard"), metrics.Accuracy()
    learner = dl.REGISTRY[kind.__name__.lower()](scale="standard")
    run = dl.run(learner, examples)
    evaluate.progressive_val_score(iter(examples), model, metric)
    assert errors(metric) == (len(examples) - 1, run.label_errors - 1)  # the first has no prediction
    assert_same(snapshot(model.learner), snapshot(learner))
    x = examples[0][0]
    shares = model.predict_proba_one(x)
    assert len(shares) == 7 and sum(shares.values()) == pytest.approx(1.0)
    assert shares == learner.predict_proba_one(x) and list(shares.values()) == sorted(shares.values(), reverse=True)
    frame = pd.DataFrame([x for x, _ in examples[:20]])
    many = model.predict_proba_many(frame)
    for i in range(20):
        assert many.loc[i].to_dict() == pytest.approx(model.predict_proba_one(examples[i][0]), rel=1e-9)
    assert model.predict_many(frame).tolist() == [model.predict_one(x) for x, _ in examples[:20]]


def test_a_classifier_for_each_class_is_cloned_with_its_base() -> None:
    model = dr.OneVsRest("pa1(C=0.5)")
    assert model.clone().learner.rule == model.learner.rule == dl.OneVsRest("pa1(C=0.5)").rule
    assert dr.OneVsRest(dl.PA1(0.5).rule).clone().learner.rule == model.learner.rule
    assert dr.MulticlassPA(0.5, "pa2", "max").clone().learner.rule == dl.MulticlassPA(0.5, "pa2", "max").rule


# Winnow -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", POSITIVE)
def test_winnow_takes_what_is_not_negative(kind: Any) -> None:
    learner = dl.REGISTRY[kind.__name__.lower()]
    for params in kind._unit_test_params():
        model = kind(**params)
        assert model._tags == {base.tags.POSITIVE_INPUT} and model._unit_test_skips() == set()
        for check in checks.yield_checks(model):
            if params and check.__name__ in ONCE:
                continue
            random.seed(0)
            check(model.clone())
    examples = real("phishing")
    metric = evaluate.progressive_val_score(examples, kind(2.0, 1.2), metrics.Accuracy())
    assert errors(metric) == (len(examples), dl.run(learner(2.0, 1.2), examples).label_errors)
    assert kind(2.0, 1.2).clone().learner.rule == learner(2.0, 1.2).rule
    model = kind()
    with refused(model.learner, "must have no negative feature, got -1.0"):
        model.learn_one({"a": -1.0}, True)


# the Tracker ------------------------------------------------------------------------------------------------------
TRACKED = {
    "two": [(dict(zip(NAMES, row, strict=True)), y) for row, y in zip(DATA.X.tolist(), Y, strict=True)],
    "three": [(dict(zip(NAMES, row, strict=True)), "xyz"[int(np.argmax(row[:3]))]) for row in DATA.X.tolist()],
}
for stream_of in TRACKED.values():
    for i in range(0, 300, 7):
        stream_of[i][0]["abc"[i % 3]] = None


@pytest.mark.parametrize("params", list(dr.Tracker._unit_test_params()), ids=str)
def test_rivers_own_checks_of_a_tracker(params: dict[str, Any]) -> None:
    model = dr.Tracker(**params)
    assert model._multiclass is ("labels" not in params)
    skipped = {"check_shuffle_features_no_impact"} if model.bank == "strong" else set()
    assert model._unit_test_skips() == skipped
    done = []
    for check in checks.yield_checks(model):
        if check.__name__ in skipped or (params and check.__name__ in ONCE):
            continue
        random.seed(0)
        check(model.clone())
        done.append(check.__name__)
    assert "check_learn_many_matches_learn_one" in done
    assert ("check_predict_proba_one_binary" in done) is ("labels" in params)


@pytest.mark.parametrize("data", TRACKED)
@pytest.mark.parametrize("bank", ["strong", "light"])
def test_a_tracker_is_the_learner_on_dicts(data: str, bank: Any) -> None:
    """Values that are None, sample weights, and labels as they come."""
    model, learner = dr.Tracker(bank), dl.Tracker(bank)
    assert model.predict_one({"a": 1.0}) is None and model.predict_proba_one({"a": 1.0}) == {}
    for (x, y), w in zip(TRACKED[data], DATA.w.tolist(), strict=True):
        assert model.predict_one(x) == learner.predict_one(x)
        assert model.predict_proba_one(x) == learner.predict_proba_one(x)
        learner.learn_one(x, y, w)
        assert model.learn_one(x, y, w) is None
    assert_same(snapshot(model.learner), snapshot(learner))
    assert learner.n_missing > 0 and learner.labels == model.learner.labels
    assert len(learner.labels) == {"two": 2, "three": 3}[data]


@pytest.mark.parametrize("data", TRACKED)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_tracker_takes_frames_and_is_copied(data: str, copied: Any) -> None:
    X, y = pd.DataFrame([x for x, _ in TRACKED[data]]), pd.Series([y for _, y in TRACKED[data]], name="y")
    assert X.isna().any().any()
    many, loop = dr.Tracker(), dr.Tracker()
    assert many.predict_many(X).to_list() == [None] * 300 and many.predict_proba_many(X).shape == (300, 0)
    many.learn_many(X[:1], y[:1])
    assert many.predict_proba_many(X).to_numpy().tolist() == [[1.0]] * 300
    many.learn_many(X[1:150], y[1:150])
    twin = copied(many)
    for one in (many, twin):
        one.learn_many(X[150:], y[150:])
    for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
        loop.learn_one(row, label)
    assert_same(snapshot(many.learner), snapshot(loop.learner))
    assert_same(snapshot(twin.learner), snapshot(loop.learner))
    assert many.predict_many(X).to_list() == [loop.predict_one(row) for row in X.to_dict("records")]
    shares = many.predict_proba_many(X)
    for i, row in enumerate(X.to_dict("records")):
        assert shares.loc[i].to_dict() == pytest.approx(loop.predict_proba_one(row), rel=1e-12)


def test_river_counts_the_label_errors_of_a_tracker() -> None:
    examples = real("phishing")
    run = dl.run(dl.Tracker(), examples)
    metric = evaluate.progressive_val_score(examples, dr.Tracker(labels=(False, True)), metrics.Accuracy())
    assert errors(metric) == (len(examples), run.label_errors) and run.label_errors < 0.12 * len(examples)


def test_parameters_of_a_tracker_reach_the_clone() -> None:
    for labels in (None, ("no", "yes"), ("a", "b", "c")):
        params = {"bank": "recipe", "labels": labels, "hashing": dl.Hashing(8), "class_weight": "balanced"}
        for model in (dr.Tracker(**params), dr.Tracker().clone(params), dr.Tracker(**params).clone()):
            assert str(model._get_params()) == str(params)
            assert model.learner.parameters == {"bank": "recipe"}
            assert model.learner.options["labels"] == labels and model.learner.options["hashing"] == dl.Hashing(8)
    grown = dr.Tracker("recipe")
    for x, y in TRACKED["three"][:50]:
        grown.learn_one(x, y)
    assert grown.clone().learner.labels == () and grown.clone().learner.parameters == {"bank": "recipe"}
    two = dr.Tracker(labels=(False, True))
    with refused(two.learner, "a label must be False or True, got 'x'. Correct it, leave labels out"):
        two.learn_one({"a": 1.0}, "x")
