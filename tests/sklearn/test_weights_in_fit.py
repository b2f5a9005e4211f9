"""Sample weights in ``fit``, and weights of classes: those of the Tracker, and those of unknown classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight

import driftline as dl
import driftline.sklearn as ds
from driftline.sklearn import PA1Classifier, PassiveAggressiveClassifier, TrackerClassifier
from driftline.sklearn.class_weights import weights_of_classes
from tests.support.bitwise import assert_same, snapshot

rng = np.random.default_rng(8)
X = rng.normal(size=(90, 4))
TWO = np.where(X[:, 0] + 0.4 * rng.normal(size=90) > 0.3, "yes", "no")
FOUR = np.array(list("dbca"))[np.argmax(X, axis=1)]
WEIGHTS = rng.choice([0.0, 0.5, 1.0, 3.0], 90)
EVERY = [getattr(ds, name) for name in ds.__all__ if name.endswith("Classifier")]
every = pytest.mark.parametrize("classifier", EVERY)
every_labels = pytest.mark.parametrize("y", [TWO, FOUR], ids=["two", "four"])


def in_order(classifier: Any, **parameters: Any) -> Any:
    if classifier is PassiveAggressiveClassifier:
        parameters |= {"shuffle": False, "max_iter": 1, "tol": None}
    return classifier(**parameters)


def same(one: Any, other: Any) -> None:
    pairs = zip(one._class_learners.learners, other._class_learners.learners, strict=True)
    for a, b in pairs:
        assert_same(snapshot(a.learner), snapshot(b.learner))


# weights of rows ------------------------------------------------------------------------------------------------
@every_labels
@every
def test_fit_is_partial_fit_with_the_same_weights(classifier: Any, y: np.ndarray) -> None:
    fitted = in_order(classifier).fit(X, y, sample_weight=WEIGHTS)
    same(fitted, in_order(classifier).partial_fit(X, y, classes=np.unique(y), sample_weight=WEIGHTS))
    same(in_order(classifier).fit(X, y), in_order(classifier).fit(X, y, sample_weight=np.ones(90)))
    scores = in_order(classifier).fit(X, y).decision_function(X)
    assert not np.array_equal(fitted.decision_function(X), scores)
    assert fitted.t_ == 1 + np.count_nonzero(WEIGHTS)


@pytest.mark.parametrize("average", [False, True])
def test_every_pass_of_the_drop_in_takes_the_weights(average: bool) -> None:
    options: dict[str, Any] = {"shuffle": False, "average": average}
    fitted = PassiveAggressiveClassifier(max_iter=3, tol=None, **options).fit(X, FOUR, sample_weight=WEIGHTS)
    grown = PassiveAggressiveClassifier(**options)
    for _ in range(3):
        grown.partial_fit(X, FOUR, classes=list("abcd"), sample_weight=WEIGHTS)
    assert np.array_equal(fitted.coef_, grown.coef_)


def test_shuffled_rows_keep_their_weights() -> None:
    for classifier in (PA1Classifier(shuffle=True, random_state=3), PassiveAggressiveClassifier(random_state=3)):
        kept = WEIGHTS > 0.0
        fitted = classifier.fit(X, TWO, sample_weight=np.where(TWO == "yes", 1.0, 0.25)).coef_
        by_class = classifier.set_params(class_weight={"no": 0.25}).fit(X, TWO).coef_
        assert np.array_equal(fitted, by_class)
        classifier.set_params(class_weight=None)
        coef = classifier.fit(X, FOUR, sample_weight=WEIGHTS).coef_
        assert np.array_equal(coef, classifier.fit(X[kept], FOUR[kept], sample_weight=WEIGHTS[kept]).coef_)


def test_early_stopping_with_weights() -> None:
    heavy = PassiveAggressiveClassifier(early_stopping=True, random_state=0).fit(X, TWO, sample_weight=WEIGHTS)
    even = PassiveAggressiveClassifier(early_stopping=True, random_state=0).fit(X, TWO)
    assert not np.array_equal(heavy.coef_, even.coef_) and heavy.score(X, TWO) > 0.7


@every
def test_a_class_without_weight_is_known(classifier: Any) -> None:
    w = np.where(FOUR == "d", 0.0, 1.0)
    fitted = in_order(classifier).fit(X, FOUR, sample_weight=w)
    assert fitted.classes_.tolist() == list("abcd") and fitted.predict_proba(X).shape == (90, 4)
    if classifier is not TrackerClassifier:
        balanced = in_order(classifier, class_weight="balanced").fit(X, FOUR, sample_weight=w)
        assert balanced.coef_.shape == (4, 4)


@every
def test_bad_weights_are_refused_and_change_nothing(classifier: Any) -> None:
    fitted = in_order(classifier).fit(X, FOUR)
    scores = fitted.decision_function(X)
    for weights, what in (
        (np.zeros(90), r"a sample weight must be > 0, got weights of zero only\. Leave sample_weight out"),
        (np.ones(89), "sample_weight must be an array of 90 numbers"),
        (-np.ones(90), "row 0, a sample weight must be >= 0"),
        (np.full(90, np.nan), "row 0, a sample weight must be >= 0"),
    ):
        with pytest.raises(ValueError, match=f"^{classifier.__name__}: {what}"):
            fitted.fit(X[:, :3], TWO, sample_weight=weights)
    assert np.array_equal(fitted.decision_function(X), scores)
    assert fitted.n_features_in_ == 4 and fitted.classes_.tolist() == list("abcd")


def test_an_error_of_fit_leaves_the_names_of_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("uvwx"))
    fitted = PA1Classifier().fit(frame, FOUR)
    with pytest.raises(ValueError, match="got one class"):
        fitted.fit(X[:, :2], ["a"] * 90)
    assert fitted.feature_names_in_.tolist() == list("uvwx") and fitted.n_features_in_ == 4
    new = PA1Classifier()
    with pytest.raises(ValueError, match="got one class"):
        new.fit(frame, ["a"] * 90)
    assert not hasattr(new, "n_features_in_") and not hasattr(new, "feature_names_in_")


# weights of classes ---------------------------------------------------------------------------------------------
@every
def test_a_weight_of_an_unknown_class_is_an_error(classifier: Any) -> None:
    what = rf"^{classifier.__name__}: class_weight must have weights of the classes .*, got a weight of 'maybe'\. Corr"
    made = in_order(classifier, class_weight={"maybe": 2.0, "yes": 1.0})
    with pytest.raises(ValueError, match=what):
        made.fit(X, TWO)
    with pytest.raises(ValueError, match=what):
        made.partial_fit(X, TWO, classes=["no", "yes"])
    assert not hasattr(made, "classes_") and not hasattr(made, "n_features_in_")
    every_class = {"maybe": 2.0, "yes": 1.0, "no": 0.5}
    assert in_order(classifier, class_weight=every_class).fit(X, TWO).classes_.tolist() == ["no", "yes"]
    assert made.partial_fit(X, TWO).partial_fit(X[:1], ["maybe"]).classes_.tolist() == ["maybe", "no", "yes"]


def test_a_weight_of_a_number_among_strings_is_an_error() -> None:
    """No later row can have this class."""
    with pytest.raises(ValueError, match="got a weight of 1"):
        PA1Classifier(class_weight={1: 2.0}).partial_fit(X, TWO)
    with pytest.raises(ValueError, match="got a weight of '1'"):
        TrackerClassifier(class_weight={"1": 2.0}).partial_fit(X, TWO == "yes")
    assert PA1Classifier(class_weight={"later": 2.0}).partial_fit(X, TWO).classes_.tolist() == ["no", "yes"]


def test_balanced_weights_are_scikit_learns() -> None:
    for y in (TWO, FOUR, np.repeat([3, 5, 8], [1, 80, 9])):
        classes = np.unique(y)
        due = compute_class_weight("balanced", classes=classes, y=y)
        found = weights_of_classes("balanced", classes, y)
        assert found is not None and np.array_equal(found, [*due, 1.0])


@every_labels
def test_weights_of_classes_multiply_the_losses_of_a_tracker(y: np.ndarray) -> None:
    classes = np.unique(y)
    of_class = dict(zip(classes.tolist(), [2.0, 0.5, 1.0, 3.0], strict=False))
    each = np.array([of_class[label] for label in y])
    fitted = TrackerClassifier(class_weight=of_class).fit(X, y)
    learner = dl.Tracker(labels=tuple(classes.tolist()))
    learner.learn_many(X, y, each)
    assert_same(snapshot(learner), snapshot(fitted._class_learners.learners[0].learner))
    grown = TrackerClassifier(class_weight=of_class)
    for part in (slice(0, 30), slice(30, 90)):
        grown.partial_fit(X[part], y[part], classes=classes)
    same(fitted, grown)
    balanced = compute_class_weight("balanced", classes=classes, y=y)
    by_hand = TrackerClassifier(class_weight=dict(zip(classes.tolist(), balanced.tolist(), strict=True))).fit(X, y)
    same(TrackerClassifier(class_weight="balanced").fit(X, y), by_hand)


def test_bad_weights_of_a_trackers_classes_are_named() -> None:
    for weight, what in (("even", "class_weight must be None, a dict or 'balanced'"), ({"no": -1.0}, "must be >= 0")):
        with pytest.raises(ValueError, match=f"^TrackerClassifier: .*{what}"):
            TrackerClassifier(class_weight=weight).fit(X, TWO)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="class_weight must be None or a dict for partial_fit"):
        TrackerClassifier(class_weight="balanced").partial_fit(X, TWO)


def test_a_light_class_is_predicted_less_by_a_tracker() -> None:
    light = TrackerClassifier(class_weight={"yes": 0.05}).fit(X, TWO)
    assert np.mean(light.predict(X) == "yes") < np.mean(TrackerClassifier().fit(X, TWO).predict(X) == "yes")


# in scikit-learn ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("classifier", [PA1Classifier, PassiveAggressiveClassifier, TrackerClassifier])
def test_weights_are_routed(classifier: Any) -> None:
    made = in_order(classifier)
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), made.set_fit_request(sample_weight=True))
        pipeline[0].set_fit_request(sample_weight=False)
        pipeline.fit(X, TWO, sample_weight=WEIGHTS)
        scaled = pipeline[0].transform(X)
        same(pipeline[-1], in_order(classifier).fit(scaled, TWO, sample_weight=WEIGHTS))
        made.set_score_request(sample_weight=False)
        search = GridSearchCV(made, {"class_weight": [None, {"yes": 2.0}]}, cv=2)
        search.fit(X, TWO, sample_weight=WEIGHTS)
        same(search.best_estimator_, in_order(classifier, **search.best_params_).fit(X, TWO, sample_weight=WEIGHTS))
        found = cross_validate(made, X, TWO, cv=2, params={"sample_weight": WEIGHTS}, return_estimator=True)
        assert len(found["estimator"]) == 2
        made.set_partial_fit_request(classes=True, sample_weight=True)


def test_boosting_passes_its_weights() -> None:
    boosted = AdaBoostClassifier(PA1Classifier(scale="standard"), n_estimators=3, random_state=0).fit(X, TWO)
    assert boosted.score(X, TWO) > 0.8
