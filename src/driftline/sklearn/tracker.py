"""The Tracker as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass
from math import nextafter
from typing import Any, ClassVar, Literal, Self

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.learners import Tracker
from driftline.learners.state import add_labels, sign_of
from driftline.sklearn.classifier import checked_fit
from driftline.sklearn.shared_learner import SharedLearner, SharedLearnerClassifier

BELOW_HALF = nextafter(0.5, 0.0)


class SharedTracker(SharedLearner):
    """A Tracker of rows with columns."""

    learner: Tracker

    def score(self, X: Any) -> Floats:
        """The vote on each row; with more than two classes a vote for each class."""
        return super().score(X) if self.learner.rule.several else self.learner.score_many(X)

    def add_classes(self, classes: np.ndarray) -> None:
        """Add these classes to the known ones."""
        labels = classes.tolist()
        if not self.learner.labels and len(labels) > 2:
            self.learner = Tracker(**self.learner.parameters, labels=tuple(labels))
            return
        add_labels(self.learner, labels)


@dataclass(repr=False, eq=False)
class TrackerClassifier(SharedLearnerClassifier):
    """Nothing to tune, under any drift: the Tracker, for any number of classes.

    NaN is a missing value. A value that is absent from a sparse row is also missing if its column
    had values in most rows; otherwise it is 0. Rows are learned in their order, once. A sample
    weight multiplies the loss of its row. The learner is ``driftline.Tracker``.

    ``fit`` knows all classes from the first row on, and so does ``partial_fit`` if they are
    declared. ``decision_function`` returns the vote, from -1 to 1. With two classes, a vote of
    exactly 0 is for the first class.

    Parameters
    ----------
    bank : {"extended", "recipe"}, default="extended"
        The experts. "recipe" is the Tracker as first published.
    """

    takes_missing: ClassVar[bool] = True
    class_weight = None
    shuffle = False

    bank: Literal["extended", "recipe"] = "extended"

    @whole_call
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rows of X in order, after a reset.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The class of each row.

        Returns
        -------
        self
            The classifier.
        """
        X, y = self._rows(X, y, True)
        class_learners = self._new_class_learners(y)
        self._learn(class_learners, X, y, None, np.zeros(len(class_learners.classes), np.intp))
        self._keep(class_learners, 1, 1 + len(y))
        return self

    def _new_learner(self) -> SharedTracker:
        """A new learner of all classes."""
        return SharedTracker(Tracker(self.bank))

    def _decisions(self, X: Any) -> Floats:
        X, class_learner = checked_fit(self, X), self._shared_learner()
        scores, order = class_learner.score(X), class_learner.order(self.classes_)
        if scores.ndim == 2:
            return scores[:, order]
        return scores if sign_of(class_learner.learner, self.classes_[-1]) > 0.0 else 0.0 - scores

    @whole_call
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, (1 + vote) / 2; it is not calibrated.

        With more than two classes these shares are normalised to sum to 1. Random predictions with
        these probabilities have a better bound than the vote.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (rows, classes)
            The probabilities.
        """
        scores, learner = self._decisions(X), self._shared_learner().learner
        if learner.rule.several:
            return learner._probabilities(scores)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        less = np.minimum((1.0 - np.minimum(np.abs(scores), 1.0)) / 2.0, BELOW_HALF)
        return np.where(
            (scores > 0.0)[:, None], np.stack([less, 1.0 - less], axis=1), np.stack([1.0 - less, less], axis=1)
        )
