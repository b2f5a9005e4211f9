"""scikit-learn's own tests of PassiveAggressiveClassifier, with ours in its place.

``EXCEPTIONS`` lists the tests that ours fails, by name and arguments, and why. Each of them must
fail, so that the list has no needless entry; docs/guide/sklearn.md names them.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from driftline.sklearn import PassiveAggressiveClassifier
from tests.support.paths import ROOT

WHERE = "sklearn.linear_model.tests.test_passive_aggressive"
PRIVATE = "it asks for private attributes, such as _average_coef"
BIAS = "the bias is a feature and counts in the length of a row, as in the papers"
EXCEPTIONS: dict[tuple[str, str, Any], str] = {
    ("test_classifier_accuracy", "average", True): PRIVATE,
    ("test_classifier_partial_fit", "average", True): PRIVATE,
    ("test_classifier_correctness", "loss", "hinge"): BIAS,
    ("test_classifier_correctness", "loss", "squared_hinge"): BIAS,
    ("test_passive_aggressive_classifier_vs_sgd", "loss", "hinge"): BIAS,
    ("test_passive_aggressive_classifier_vs_sgd", "loss", "squared_hinge"): BIAS,
    ("test_classifier_undefined_methods", "response_method", "predict_proba"): "it has predict_proba",
    ("test_class_deprecation", "Estimator", PassiveAggressiveClassifier): "it is not deprecated",
}


def installed() -> ModuleType | None:
    try:
        return importlib.import_module(WHERE)
    except ImportError:
        return None


def cases(module: ModuleType) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each test of a classifier, by name, with each combination of its parameters."""
    for name, test in vars(module).items():
        if not name.startswith("test_") or "regressor" in name:
            continue
        marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
        axes = []
        for mark in marks:
            names, values = mark.args
            several = not isinstance(names, str)
            axes.append([dict(zip(names, one, strict=True)) if several else {names: one} for one in values])
        for chosen in product(*axes):
            arguments = {key: value for part in chosen for key, value in part.items()}
            if "Estimator" in arguments:
                if "Classifier" not in arguments["Estimator"].__name__:
                    continue
                arguments["Estimator"] = PassiveAggressiveClassifier
            yield name, arguments


def excepted(name: str, arguments: dict[str, Any]) -> tuple[str, str, Any] | None:
    """The entry of EXCEPTIONS for a test, if there is one."""
    listed = [key for key in EXCEPTIONS if key[0] == name and arguments.get(key[1]) == key[2]]
    return listed[0] if listed else None


def parameters() -> list[Any]:
    module = installed()
    if module is None:
        return [pytest.param("", {}, marks=pytest.mark.skip(reason="scikit-learn's tests are absent"))]
    found = []
    for name, arguments in cases(module):
        key = excepted(name, arguments)
        label = "-".join([name, *(getattr(value, "__name__", str(value)) for value in arguments.values())])
        fails = (AssertionError, pytest.fail.Exception)
        marks = () if key is None else (pytest.mark.xfail(reason=EXCEPTIONS[key], raises=fails),)
        found.append(pytest.param(name, arguments, id=label, marks=marks))
    return found


@pytest.mark.parametrize(("name", "arguments"), parameters())
def test_theirs(name: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(WHERE)
    monkeypatch.setattr(module, "PassiveAggressiveClassifier", PassiveAggressiveClassifier)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        getattr(module, name)(**arguments)


@pytest.mark.skipif(installed() is None, reason="scikit-learn's tests are absent")
def test_the_tests_are_found() -> None:
    module = installed()
    assert module is not None
    found = list(cases(module))
    names = {name for name, _ in found}
    assert {"test_classifier_accuracy", "test_wrong_class_weight_label", "test_class_weights"} <= names
    assert not [name for name in names if "regressor" in name]
    assert {excepted(name, arguments) for name, arguments in found} == {None, *EXCEPTIONS}


@pytest.mark.parametrize("name", sorted({name for name, _, _ in EXCEPTIONS}))
def test_the_guide_names_every_exception(name: str) -> None:
    assert f"`{name}" in (ROOT / "docs" / "guide" / "sklearn.md").read_text()


# what the tests on private names test apart from these names ----------------------------------------------------
@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_averaged_weights_are_accurate(make: Any, fit_intercept: bool) -> None:
    rows, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    rows, y = make(rows[order]), y[order]
    classifier = PassiveAggressiveClassifier(
        average=True, fit_intercept=fit_intercept, max_iter=30, tol=None, random_state=1
    ).fit(rows, y)
    assert classifier.score(rows, y) > 0.79
    grown = PassiveAggressiveClassifier(average=True, fit_intercept=fit_intercept, random_state=0)
    for _ in range(30):
        grown.partial_fit(rows, y, classes=np.unique(y))
    assert grown.score(rows, y) > 0.79
