"""``predict_proba`` of every classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import driftline as dl
import driftline.sklearn as ds
from driftline.sklearn import PA1Classifier, PassiveAggressiveClassifier, TrackerClassifier
from driftline.sklearn.probabilities import agreeing, probabilities

rng = np.random.default_rng(4)
X = rng.normal(size=(100, 4))
Y = {2: np.where(X[:, 0] > 0.2, "yes", "no"), 3: np.array(list("cab"))[np.argmax(X[:, :3], axis=1)]}
EVERY = [getattr(ds, name) for name in ds.__all__ if name.endswith("Classifier")]
every = pytest.mark.parametrize("classifier", EVERY)
every_count = pytest.mark.parametrize("classes", [2, 3])


@every_count
@every
def test_rows_sum_to_1_and_the_largest_is_predicted(classifier: Any, classes: int) -> None:
    """The calibrated probabilities of a Tracker do not decide what it predicts."""
    fitted = classifier().fit(X, Y[classes])
    for rows in (X, csr_matrix(X), np.zeros((2, 4))):
        shares = fitted.predict_proba(rows)
        assert shares.shape == (rows.shape[0], classes) and (shares >= 0.0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
        likeliest = fitted.classes_[np.argmax(shares, axis=1)]
        if classifier is TrackerClassifier:
            assert np.mean(likeliest == fitted.predict(rows)) >= (0.9 if rows.shape[0] > 2 else 0.0)
        else:
            assert likeliest.tolist() == fitted.predict(rows).tolist()


@every
def test_two_classes_have_the_probabilities_of_the_learner(classifier: Any) -> None:
    fitted = classifier().fit(X, Y[2])
    if classifier is PassiveAggressiveClassifier:
        due = 1.0 / (1.0 + np.exp(-fitted.decision_function(X)))
        np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], due, rtol=1e-12)
        return
    learner = fitted._class_learners.learners[0].learner
    for row, share in zip(X, fitted.predict_proba(X), strict=True):
        due = learner.predict_proba_one(row)
        named = [due.get("no", due.get(-1.0)), due.get("yes", due.get(1.0))]
        likeliest, chosen = int(named[1] > named[0]), list(fitted.classes_).index(fitted.predict([row])[0])
        if likeliest != chosen:
            named = [0.5, 0.5]  # that of the predicted class is raised to the largest
        assert share.tolist() == pytest.approx(named, rel=1e-12)


@pytest.mark.parametrize("name", ["pa1", "norma", "arow"])
def test_several_classes_have_those_of_their_learners(name: str) -> None:
    fitted = getattr(ds, f"{dl.REGISTRY[name].__name__}Classifier")().fit(X, Y[3])
    each = [one.learner.predict_proba_many(X)[:, 1] for one in fitted._class_learners.learners]
    due = np.stack(each, axis=1) / np.sum(each, axis=0)[:, None]
    shares = fitted.predict_proba(X)
    agree = np.argmax(due, axis=1) == np.argmax(shares, axis=1)
    assert agree.mean() > 0.8
    np.testing.assert_allclose(shares[agree], due[agree], rtol=1e-12)


@settings(max_examples=100, deadline=None)
@given(arrays(np.float64, (4, 3), elements=st.floats(0.01, 1.0)), arrays(np.float64, (4, 3), elements=st.floats(-2, 2)))
def test_the_predicted_class_has_the_largest_probability(shares: np.ndarray, scores: np.ndarray) -> None:
    shares = shares / shares.sum(axis=1, keepdims=True)
    found = agreeing(shares.copy(), scores)
    assert np.array_equal(np.argmax(found, axis=1), np.argmax(scores, axis=1))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    same = np.argmax(shares, axis=1) == np.argmax(scores, axis=1)
    assert np.array_equal(found[same], shares[same])


@every
def test_one_class_alone_is_certain(classifier: Any) -> None:
    assert classifier().partial_fit(X[:2], ["b", "b"]).predict_proba(X).tolist() == [[1.0]] * 100
    with pytest.raises(NotFittedError):
        classifier().predict_proba(X)


near = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e-17, -1e-17, 1.0, np.nextafter(1.0, 2.0), 800.0, -800.0, 1e300])


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, (4, 3), elements=near | st.floats(-2.0, 2.0)), st.booleans())
def test_ties_are_decided_as_by_predict(scores: np.ndarray, voting: bool) -> None:
    """Scores that differ may have equal exponentials or shares."""
    scores = np.clip(scores, -1.0, 1.0) if voting else scores
    shares = probabilities(scores, 3, voting)
    assert np.array_equal(np.argmax(shares, axis=1), np.argmax(scores, axis=1))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    two = probabilities(scores[:, 0], 2, voting)
    assert np.array_equal(np.argmax(two, axis=1), scores[:, 0] > 0.0)
    np.testing.assert_allclose(two.sum(axis=1), 1.0, rtol=1e-12)


# in scikit-learn ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("made", [PassiveAggressiveClassifier(random_state=0), PA1Classifier(), TrackerClassifier()])
def test_probabilities_in_ensembles_searches_and_calibration(made: Any) -> None:
    frame = pd.DataFrame(X, columns=list("uvwx"))
    for y in Y.values():
        voting = VotingClassifier([("a", made), ("b", PA1Classifier(C=0.1))], voting="soft").fit(frame, y)
        assert voting.score(frame, y) > 0.7
        shares = cross_val_predict(make_pipeline(StandardScaler(), made), frame, y, cv=3, method="predict_proba")
        assert shares.shape == (100, len(set(y))) and log_loss(y, shares) < 2.0
        calibrated = CalibratedClassifierCV(made, cv=2).fit(frame, y)
        assert log_loss(y, calibrated.predict_proba(frame)) < 1.0
    search = GridSearchCV(made, {"class_weight": [None, "balanced"]}, cv=2, scoring="roc_auc").fit(X, Y[2])
    assert search.best_score_ > 0.7
    assert cross_val_score(made, X, Y[3], cv=2, scoring="roc_auc_ovr").mean() > 0.7
    stacked = StackingClassifier([("a", made)], LogisticRegression(), cv=2, stack_method="predict_proba").fit(X, Y[2])
    assert stacked.score(X, Y[2]) > 0.7
