"""``coef_`` and ``intercept_`` that a user sets, and their sparse form."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import driftline as dl
import driftline.sklearn as ds
from driftline.sklearn import PA1Classifier, PassiveAggressiveClassifier

rng = np.random.default_rng(3)
X = rng.normal(size=(80, 5))
Y = {2: np.where(X[:, 0] - X[:, 1] > 0.1, "yes", "no"), 3: np.array(list("cab"))[np.argmax(X[:, :3], axis=1)]}
LINEAR = [getattr(ds, name) for name in ds.__all__ if name.endswith("Classifier") and name != "TrackerClassifier"]
every_linear = pytest.mark.parametrize("classifier", LINEAR)
every_count = pytest.mark.parametrize("classes", [2, 3])


def in_order(classifier: Any, **parameters: Any) -> Any:
    return classifier(shuffle=False, **parameters)


def close(one: Any, other: Any) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


@every_count
@every_linear
def test_predictions_follow_the_weights_that_were_set(classifier: Any, classes: int) -> None:
    fitted = in_order(classifier).fit(X[:40], Y[classes][:40])
    due = 0.5 * fitted.coef_ + 0.01, 0.5 * fitted.intercept_ - 0.02
    fitted.coef_, fitted.intercept_ = due
    close(fitted.coef_, due[0])
    close(fitted.intercept_, due[1])
    scores = X @ due[0].T + due[1]
    if classifier is ds.BalancedWinnowClassifier:
        scores = np.arcsinh(scores / 2.0)
    close(fitted.decision_function(X), scores if classes > 2 else scores[:, 0])
    close(fitted.coef_, due[0])
    close(fitted.intercept_, due[1])


@every_count
@every_linear
def test_weights_that_are_set_back_change_nothing(classifier: Any, classes: int) -> None:
    """Learning goes on in the same way: the norm, the list of weights and the link are set as well."""
    first, second = (in_order(classifier).partial_fit(X[:40], Y[classes][:40]) for _ in range(2))
    coef, intercept = second.coef_, second.intercept_
    second.coef_, second.intercept_ = 0.3 * coef * (np.arange(5) != 2), 0.0 * intercept
    assert not np.allclose(second.decision_function(X), first.decision_function(X))
    second.coef_, second.intercept_ = coef, intercept
    for start, stop in pairwise([40, 41, 60, 80]):
        for one in (first, second):
            one.partial_fit(X[start:stop], Y[classes][start:stop])
        np.testing.assert_allclose(first.coef_, second.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(first.intercept_, second.intercept_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "made",
    [
        ds.PA1Classifier(),
        ds.PNormPerceptronClassifier(),
        ds.ProjectionPerceptronClassifier(),
        ds.L2PAClassifier(beta=1.5),
        ds.L2PAClassifier(beta=1.5, sigma=0.01),
        ds.L1PAClassifier(beta=3.0),
        ds.ROMMAClassifier(),
        ds.MulticlassPAClassifier(),
    ],
    ids=str,
)
def test_weights_are_all_that_these_rules_know(made: Any) -> None:
    """Learning after the weights were set does not depend on what was learned before."""
    fitted, new = clone(made).partial_fit(X[:40], Y[3][:40]), clone(made)
    new.classes_ = fitted.classes_
    coef, intercept = 0.6 * fitted.coef_ * (np.arange(5) != 2), -0.5 * fitted.intercept_
    for one in (fitted, new):
        one.coef_, one.intercept_ = coef, intercept
        one.partial_fit(X[40:], Y[3][40:])
    assert not np.allclose(fitted.coef_, coef)
    close(fitted.coef_, new.coef_)
    close(fitted.intercept_, new.intercept_)


@every_count
@every_linear
def test_a_new_classifier_predicts_with_weights_and_classes_alone(classifier: Any, classes: int) -> None:
    fitted = in_order(classifier).partial_fit(X[:40], Y[classes][:40])
    copied = in_order(classifier)
    copied.coef_, copied.intercept_ = fitted.coef_, fitted.intercept_
    with pytest.raises(NotFittedError):
        copied.predict(X)
    copied.classes_ = fitted.classes_
    check_is_fitted(copied)
    assert copied.predict(X).tolist() == fitted.predict(X).tolist()
    close(copied.decision_function(X), fitted.decision_function(X))
    assert copied.predict_proba(X).shape == (80, classes)
    copied.partial_fit(X[40:], Y[classes][40:])
    assert copied.n_features_in_ == 5 and copied.t_ == 41


@every_count
def test_the_first_partial_fit_starts_from_weights_that_were_set(classes: int) -> None:
    y = Y[classes]
    fitted = PA1Classifier().fit(X[:40], y[:40])
    resumed = PA1Classifier()
    resumed.coef_, resumed.intercept_ = fitted.coef_, fitted.intercept_
    close(resumed.coef_, fitted.coef_)
    resumed.partial_fit(X[40:], y[40:], classes=fitted.classes_)
    close(resumed.coef_, fitted.partial_fit(X[40:], y[40:]).coef_)
    reset = PA1Classifier()
    reset.coef_ = np.ones((3, 9))
    assert np.array_equal(reset.fit(X, y).coef_, PA1Classifier().fit(X, y).coef_)


@every_count
@pytest.mark.parametrize("average", [False, True])
def test_warm_start_begins_with_weights_that_were_set(classes: int, average: bool) -> None:
    options: dict[str, Any] = {"max_iter": 2, "tol": None, "shuffle": False, "average": average}
    coef, intercept = rng.normal(size=(1 if classes == 2 else 3, 5)), rng.normal(size=1 if classes == 2 else 3)
    due = PassiveAggressiveClassifier(**options).fit(X, Y[classes], coef_init=coef, intercept_init=intercept)
    fresh = PassiveAggressiveClassifier(**options, warm_start=True)
    fresh.coef_, fresh.intercept_ = coef, intercept
    fitted = PassiveAggressiveClassifier(**options, warm_start=True).fit(X, Y[classes])
    fitted.coef_, fitted.intercept_ = coef, intercept
    for warm in (fresh, fitted):
        warm.fit(X, Y[classes])
        assert np.array_equal(warm.coef_, due.coef_) and np.array_equal(warm.intercept_, due.intercept_)


@every_linear
def test_models_are_averaged(classifier: Any) -> None:
    """The parts are inside the ball of the rule, if it has one, and so is their mean."""
    parts = [in_order(classifier).fit(X[k::4], Y[3][k::4]) for k in range(4)]
    mean = deepcopy(parts[0])
    mean.coef_ = np.mean([one.coef_ for one in parts], axis=0)
    mean.intercept_ = np.mean([one.intercept_ for one in parts], axis=0)
    assert mean.score(X, Y[3]) > 0.6
    assert mean.partial_fit(X, Y[3]).score(X, Y[3]) > 0.6


def test_averaged_weights_that_were_set_are_those_of_all_rounds_so_far() -> None:
    options: dict[str, Any] = {"average": True, "shuffle": False}
    classifier = PassiveAggressiveClassifier(**options).partial_fit(X[:10], Y[2][:10])
    classifier.coef_, classifier.intercept_ = np.ones((1, 5)), [0.5]
    plain = PassiveAggressiveClassifier(shuffle=False).partial_fit(X[:10], Y[2][:10])
    plain.coef_, plain.intercept_ = np.ones((1, 5)), [0.5]
    total = 10.0 * np.append(np.ones(5), 0.5)
    for k in range(10, 30):
        plain.partial_fit(X[k : k + 1], Y[2][k : k + 1])
        total += np.append(plain.coef_[0], plain.intercept_)
    classifier.partial_fit(X[10:30], Y[2][10:30])
    close(np.append(classifier.coef_[0], classifier.intercept_), total / 30.0)


@pytest.mark.parametrize("scale", ["unit", "standard", dl.RandomFourier(20, 0.5)])
def test_weights_of_scaled_rows(scale: Any) -> None:
    first, second = (PA1Classifier(scale=scale).partial_fit(X[:40], Y[3][:40]) for _ in range(2))
    second.coef_, second.intercept_ = second.coef_, second.intercept_
    for one in (first, second):
        one.partial_fit(X[40:], Y[3][40:])
    close(first.coef_, second.coef_)
    close(first.decision_function(X), second.decision_function(X))
    if scale != "standard":
        alone = PA1Classifier(scale=scale)
        alone.coef_, alone.intercept_, alone.classes_ = first.coef_, first.intercept_, first.classes_
        close(alone.decision_function(X), first.decision_function(X))


def test_float32_weights_are_set() -> None:
    classifier = ds.L2PAClassifier(dtype="float32").fit(X, Y[2])
    classifier.coef_, classifier.intercept_ = classifier.coef_, classifier.intercept_
    assert classifier.score(X, Y[2]) > 0.8


def test_new_classes_join_weights_that_were_set() -> None:
    classifier = PA1Classifier().partial_fit(X[:40], Y[2][:40])
    before = classifier.decision_function(X)
    classifier.coef_, classifier.intercept_ = 2.0 * classifier.coef_, 2.0 * classifier.intercept_
    classifier.partial_fit(np.zeros((1, 5)), ["new"])
    scores = classifier.decision_function(X)
    assert classifier.classes_.tolist() == ["new", "no", "yes"]
    shift = scores[0, 2] - 2.0 * before[0]
    close(scores[:, 2] - shift, 2.0 * before)


# copies ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_take_over_what_was_set(copied: Any) -> None:
    classifier = PA1Classifier().fit(X, Y[2])
    classifier.coef_ = csr_matrix(np.eye(1, 5))
    other = copied(classifier)
    assert issparse(other.coef_) and np.array_equal(other.coef_.toarray(), np.eye(1, 5))
    assert np.array_equal(other.decision_function(X), classifier.decision_function(X))
    new = PA1Classifier()
    new.coef_ = np.eye(1, 5)
    assert np.array_equal(copied(new).coef_, np.eye(1, 5))
    assert not hasattr(clone(new), "coef_") and not hasattr(clone(classifier), "coef_")


@every_linear
def test_weights_that_were_read_cannot_be_written(classifier: Any) -> None:
    fitted = classifier().fit(X, Y[3])
    given = np.ones((3, 5))
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            fitted.coef_[0, 0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            fitted.intercept_[0] = 1.0
        fitted.coef_, fitted.intercept_ = given, np.zeros(3)
    given[:] = 7.0
    assert np.array_equal(fitted.coef_, np.ones((3, 5)))


# the sparse form ------------------------------------------------------------------------------------------------
@every_count
@every_linear
def test_sparse_weights_predict_the_same(classifier: Any, classes: int) -> None:
    y = Y[classes]
    fitted = in_order(classifier).fit(X, y)
    dense, scores = fitted.coef_, fitted.decision_function(X)
    assert fitted.sparsify() is fitted and issparse(fitted.coef_)
    assert np.array_equal(fitted.coef_.toarray(), dense)
    assert np.array_equal(fitted.decision_function(X), scores)
    other = in_order(classifier).fit(X, y)
    for one in (fitted, other):
        one.partial_fit(X[:9], y[:9])
    assert np.array_equal(fitted.coef_.toarray(), other.coef_)
    assert np.array_equal(fitted.densify().coef_, other.coef_)
    assert isinstance(fitted.sparsify().fit(X, y).coef_, np.ndarray)


def test_only_fitted_classifiers_have_another_form() -> None:
    for method in ("sparsify", "densify"):
        with pytest.raises(NotFittedError):
            getattr(PA1Classifier(), method)()
    assert not hasattr(ds.TrackerClassifier(), "sparsify") and not hasattr(ds.TrackerClassifier(), "coef_")


# errors ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("coef_", np.ones((2, 5)), r"coef_ must have shape \(1, 5\), got \(2, 5\)\. Set weights of another shape"),
        ("coef_", np.ones((1, 4)), r"coef_ must have shape \(1, 5\), got \(1, 4\)"),
        ("coef_", np.ones((1, 1, 5)), "coef_ must have a row for each score"),
        ("coef_", [[np.nan] * 5], "coef_ must be finite"),
        ("coef_", "zero", "coef_ must be an array of numbers, got 'zero'"),
        ("intercept_", [1.0, 2.0], r"intercept_ must have shape \(1,\), got \(2,\)"),
        ("intercept_", np.ones((1, 1)), "intercept_ must have one number for each score"),
        ("intercept_", [np.inf], "intercept_ must be finite"),
    ],
    ids=str,
)
def test_bad_weights_are_refused_and_change_nothing(name: str, value: Any, what: str) -> None:
    classifier = PA1Classifier().fit(X, Y[2])
    coef, intercept = classifier.coef_, classifier.intercept_
    with pytest.raises(ValueError, match=f"^PA1Classifier: {what}"):
        setattr(classifier, name, value)
    assert np.array_equal(classifier.coef_, coef) and np.array_equal(classifier.intercept_, intercept)


@pytest.mark.parametrize(
    ("classifier", "ball"),
    [
        (ds.L2PAClassifier(beta=2.0), "2"),
        (ds.L2PAClassifier(beta=2.0, sigma=0.1), "2"),
        (ds.L1PAClassifier(beta=2.0), "2"),
        (ds.ALMAClassifier(B=3.0), "3"),
        (ds.ALMAClassifier(B=3.0, p=4.0), "3"),
        (ds.ProjectionPerceptronClassifier(radius=1.5), "1.5"),
    ],
)
def test_weights_outside_the_ball_are_refused(classifier: Any, ball: str) -> None:
    classifier.fit(X, Y[2])
    scores = classifier.decision_function(X)
    classifier.coef_ = np.full((1, 5), 9.0)
    with pytest.raises(ValueError, match=f"the weights must have a norm of at most {ball}, .* Scale them"):
        classifier.predict(X)
    with pytest.raises(ValueError, match="the weights must have a norm of at most"):
        classifier.partial_fit(X, Y[2])
    inside = np.zeros((1, 5))
    inside[0, 0] = float(ball)
    classifier.coef_, classifier.intercept_ = inside, [0.0]
    close(classifier.decision_function(X), float(ball) * X[:, 0])
    assert not np.allclose(scores, classifier.decision_function(X))


def test_weights_that_do_not_fit_say_what_to_do() -> None:
    without = PA1Classifier(bias=False).fit(X, Y[2])
    without.intercept_ = [1.0]
    with pytest.raises(ValueError, match=r"intercept must be 0 without a constant feature, got 1\.0\. Set it to 0"):
        without.predict(X)
    wide = PA1Classifier()
    wide.coef_, wide.classes_ = np.ones((1, 4)), np.array(["no", "yes"])
    with pytest.raises(ValueError, match="columns"):
        wide.predict(X)
    with pytest.raises(ValueError, match=r"coef_ must have shape \(3, 5\), got \(1, 5\)"):
        several = PA1Classifier()
        several.coef_ = np.ones((1, 5))
        several.partial_fit(X, Y[3])
    unsorted = PA1Classifier()
    unsorted.coef_, unsorted.classes_ = np.ones((1, 5)), np.array(["yes", "no"])
    with pytest.raises(ValueError, match=r"classes_ must be sorted, without repetitions, got \['yes', 'no'\]"):
        unsorted.predict(X)
