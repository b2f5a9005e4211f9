"""Valid models of every learner, as plain values and arrays: what the mutants are made from."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

import driftline as dl  # noqa: E402
from driftline.learners import Learner  # noqa: E402
from driftline.saved.model import state_of  # noqa: E402
from driftline.streams.schema.recipe import Recipe  # noqa: E402
from tests.support.learner_cases import OTHERS, Other, dicts, examples, rows_of  # noqa: E402
from tests.support.linear_cases import one_of_each  # noqa: E402

LABELS = ("no", "yes")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"scale": "standard"},
    {"scale": "unit"},
    {"hashing": dl.Hashing(4)},
    {"scale": dl.RandomFourier(9)},
    {"dtype": "float32"},
    {"bias": False},
    {"labels": LABELS},
)
RECIPE = Recipe.from_dict(
    {
        "target": "y",
        "positive": "spam*",
        "time": "when",
        "weight": None,
        "ngrams": 2,
        "na": ["", "NA"],
        "task": "classification",
        "kinds": {"a": "number", "b": "category", "body": "text", "when": "time", "id": "ignore", "$": "number"},
        "header": True,
        "open": False,
    }
)
"""The recipe of every second seed."""
FORMS = ("dicts", "dense", "csr")
SIZES = (60, 60, 12, 0)


class Seed(NamedTuple):
    """A learner, how it was made, and the form and feed of its examples."""

    name: str
    form: str
    feed: str
    meta: dict[str, Any]
    arrays: dict[str, np.ndarray]


CASES: list[Other] = [
    *OTHERS,
    *(Other(case.name, case.parameters) for case in one_of_each()),
    Other("tracker", feed="classes"),
    Other("tracker", {"bank": "recipe"}, "classes"),
    Other("tracker", feed="wide"),
    Other("tracker", {"bank": "recipe"}, feed="wide"),
    Other("batchonline", {"estimator": "RandomForestClassifier(n_estimators=3)", "first": 8}),
    Other("committee", {"learners": "arow, kernelized(perceptron, rbf, 7), labelefficient(pa1, 0.5)"}),
    Other("labelefficient", {"learner": "kernelized(perceptron, rbf, 7)", "b": 0.5}),
]
CASES += [Other(name) for name in dl.REGISTRY if all(case.name != name for case in CASES)]


def feed_of(feed: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels; "wide" rows have 300 columns, most of them 0."""
    if feed != "wide":
        return examples(feed)
    rng = np.random.default_rng(5)
    X = np.where(rng.random((60, 300)) < 0.05, rng.normal(size=(60, 300)), 0.0)
    return X, np.where(X.sum(axis=1) > 0.0, 1.0, -1.0)


def rows_in(form: str, X: np.ndarray) -> Any:
    """The rows as dicts, an array or a CSR matrix."""
    if form != "dicts":
        return rows_of(form, X)
    return dicts(X) if X.shape[1] <= 5 else rows_of("dicts", X)


@cache
def seed_of(case: int, options: int, form: int, size: int) -> Seed | None:
    """The model of a case with these options; None where the learner does not take them."""
    given, chosen, how = CASES[case], OPTIONS[options], FORMS[form]
    X, y = feed_of(given.feed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner: Learner = given.learner(**chosen)
            if SIZES[size]:
                labels = y[: SIZES[size]]
                if "labels" in chosen:
                    labels = np.array(LABELS)[(labels > 0).astype(int)]
                learner.learn_many(rows_in(how, X[: SIZES[size]]), labels)
            if (case + options) % 2:
                learner.recipe = RECIPE
            meta, arrays = state_of(learner)
    except ValueError:
        return None
    name = f"{given} {chosen} {how} {SIZES[size]}"
    return Seed(name, how, given.feed, meta, {key: np.array(array) for key, array in arrays.items()})


def seed_numbered(number: int) -> Seed:
    """A seed for each number: all cases in turn, each in one of its variants."""
    case, variant = number % len(CASES), number // len(CASES)
    for step in range(len(OPTIONS)):
        options = (variant + step) % len(OPTIONS)
        found = seed_of(case, options, (variant + case) % len(FORMS), (variant // 3 + case) % len(SIZES))
        if found is not None:
            return found
    found = seed_of(case, 0, 0, 0)
    assert found is not None, CASES[case]
    return found
