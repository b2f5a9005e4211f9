"""The Tracker as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.learners import Tracker
from driftline.learners.state import add_labels, sign_of
from driftline.sklearn.estimator import checked_fit
from driftline.sklearn.shared_learner import SharedLearner, SharedLearnerClassifier


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
    exactly 0 is for the first class. Random predictions with the share of the vote,
    (1 + vote) / 2, have a better bound than the vote.

    Parameters
    ----------
    bank : {"strong", "light", "recipe"}, default="strong"
        The experts. "recipe" is the Tracker as first published.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which the losses of their rows are multiplied. "balanced", for
        ``fit``, is inverse to their numbers of rows. A weight of an unknown class is an error,
        unless every known class has a weight.
    """

    takes_missing: ClassVar[bool] = True
    shuffle = False

    bank: Literal["strong", "light", "extended", "recipe"] = "strong"
    _: KW_ONLY
    class_weight: dict[Any, float] | Literal["balanced"] | None = None

    @whole_call
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of X in order, after a reset.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The class of each row.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, as in ``partial_fit``. A class of ``y`` is known even if all its
            rows have weight 0.

        Returns
        -------
        self
            The classifier.
        """
        self._check()
        with self._columns_kept():
            class_learners, X, y, weights = self._fit_rows(X, y, sample_weight)
            self._learn(class_learners, X, y, weights, np.zeros(len(class_learners.classes), np.intp))
        self._reset(class_learners, 1, 1 + len(y))
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

    def _calibrated(self, X: Any) -> Floats:
        """The calibrated probability of each class, which is not a function of the vote."""
        class_learner = self._shared_learner()
        return class_learner.learner.predict_proba_many(X)[:, class_learner.order(self.classes_)]
