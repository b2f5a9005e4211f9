"""Any real number can be a target, in any container; anything else is refused with its row."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import driftline as dl
from tests.support.bitwise import refused

X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.0]])
Y = np.array([3.0, -1.0, 2.0])
CONTAINERS: dict[str, Any] = {
    "list": [3, -1, 2],
    "tuple": (3.0, -1.0, 2.0),
    "mixed": [3, Fraction(-1), Decimal(2)],
    "float32": Y.astype("f4"),
    "int8": Y.astype("i1"),
    "objects": Y.astype(object),
    "numpy numbers": list(Y),
    "pandas": pd.Series(Y),
    "polars": pl.Series(Y),
    "arrow": pa.array(Y),
    "masked without masks": np.ma.MaskedArray(Y),
    "reversed view": Y[::-1].copy()[::-1],
}
BAD: dict[str, Any] = {
    "nan": math.nan,
    "infinity": -math.inf,
    "large": 1.01e15,
    "whole": 10**400,
    "none": None,
    "text": "3",
    "bool": True,
    "complex": 1j,
    "list": [1.0],
    "decimal nan": Decimal("nan"),
    "date": np.datetime64("2020-01-01"),
    "time difference": np.timedelta64(5, "ns"),  # its item() is the integer 5
}


@pytest.mark.parametrize("y", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_containers(y: Any) -> None:
    learner, twin = dl.PA1Regressor(), dl.PA1Regressor()
    assert learner.learn_many(X, y).tolist() == twin.learn_many(X, Y).tolist()
    assert learner.weights() == twin.weights()


@pytest.mark.parametrize("target", BAD.values(), ids=BAD.keys())
def test_bad_targets_are_refused_with_their_row(target: Any) -> None:
    learner = dl.PA1Regressor()
    learner.learn_many(X, Y)
    with refused(learner, "a target must"):
        learner.learn_one(X[0], target)
    with refused(learner, "row 1, a target must"):
        learner.learn_many(X, [1.0, target, 2.0])


def test_bad_arrays_are_refused() -> None:
    learner = dl.PA1Regressor()
    wrong: list[tuple[Any, str]] = [
        (np.array([1.0, np.nan, np.inf]), "row 1, a target must be finite"),
        (np.array([True, False, True]), "row 0, a target must be a real number"),
        (np.array(["a", "b", "c"]), "row 0, a target must be a real number"),
        (Y.reshape(3, 1), "one target per row"),
        (np.ma.MaskedArray(Y, [False, True, False]), "must not have masked targets"),
        (Y[:2], "Give each row one target"),
        (3.0, "array or Series of targets"),
    ]
    for y, words in wrong:
        with refused(learner, words):
            learner.learn_many(X, y)


def test_a_dict_takes_the_short_way_with_a_float_and_the_long_way_with_an_int() -> None:
    rows = [{"a": 1.0, "b": 2.0}, {"b": -1.0}, {"a": 0.5}]
    learner, twin = dl.PA1Regressor(), dl.PA1Regressor()
    assert [learner.learn_one(x, y) for x, y in zip(rows, [3.0, -1.0, 2.0], strict=True)] == [
        twin.learn_one(x, y) for x, y in zip(rows, [3, -1, 2], strict=True)
    ]
    assert learner.weights() == twin.weights()
    with refused(learner, "a target must be finite"):
        learner.learn_one({"a": 1.0}, 1e300)


def test_a_regressor_has_no_labels() -> None:
    learner = dl.PA1Regressor()
    learner.learn_many(X, Y)
    assert learner.labels == () and learner.mistakes == learner.label_errors == 0
    assert learner.predict_one(X[0]) == learner.score_one(X[0]) == learner.predict_many(X)[0]
    assert learner.explain_one(X[0]).predicted == learner.predict_one(X[0])
    block = learner.learn_block(X, Y)
    assert block.regression and block.y.tolist() == Y.tolist()
    assert not block.mistaken.any() and not block.wrong.any()


@pytest.mark.parametrize("method", ["predict_proba_one", "predict_proba_many", "scores_one", "scores_many"])
def test_methods_of_classifiers_are_refused(method: str) -> None:
    learner = dl.PA1Regressor()
    learner.learn_many(X, Y)
    with refused(learner, method, "got a regressor"):
        getattr(learner, method)(X[0] if method.endswith("one") else X)
    with refused(learner, "keep_probabilities"):
        learner.learn_block(X, Y, keep_probabilities=True)
    with refused(learner, "explain_one with a label"):
        learner.explain_one(X[0], 3.0)


@pytest.mark.parametrize("options", [{"labels": (0, 1)}, {"class_weight": "balanced"}, {"class_weight": {0: 1.0}}])
def test_options_of_classifiers_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"PA1Regressor: (labels|class_weight) must be None: targets are real"):
        dl.PA1Regressor(**options)


@pytest.mark.parametrize("make", [dl.OneVsRest, dl.LabelEfficient, dl.Averaged, lambda one: dl.Committee([one])])
def test_learners_of_labels_refuse_a_regressor(make: Any) -> None:
    for given in ("pa1regressor", dl.PA1Regressor(), dl.PA1Regressor().rule):
        with pytest.raises(ValueError, match="must be a classifier, got PA1Regressor"):
            make(given)


@pytest.mark.parametrize("kind", ["m8[ns]", "M8[ns]", "m8[s]", "M8[D]", "m8"])
def test_times_are_not_numbers(kind: str) -> None:
    learner = dl.PA1Regressor()
    with refused(learner, "row 0, a target must be a real number"):
        learner.learn_many(X, np.array([3, 1, 2], kind))
