"""Driftline learners as scikit-learn classifiers that learn in the order of the rows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.sklearn.class_learner import ClassLearner
from driftline.sklearn.former_names import former_name
from driftline.sklearn.linear_classifier import LinearClassifier
from driftline.sklearn.online_estimator import _OnlineEstimator


@dataclass(repr=False, eq=False)
class _OnlineClassifier(_OnlineEstimator, LinearClassifier):
    """Base class of the online classifiers of ``driftline.sklearn``.

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which the steps on their rows are multiplied. "balanced", for
        ``fit``, is inverse to their numbers of rows. Weights are divided by the largest of them
        and 1, so that no step is longer than that of the rule. Of more than two classes, each is
        weighted in its own learner only. A weight of an unknown class is an error, unless every
        known class has a weight.
    """

    poor_score: ClassVar[bool] = False
    """Whether the default parameters do badly on overlapping classes of long, unscaled rows."""

    _: KW_ONLY
    class_weight: dict[Any, float] | Literal["balanced"] | None = None

    @whole_call
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of X in ``max_iter`` passes, after a reset.

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
            starts = np.zeros(len(class_learners.classes), np.intp)
            for rows, labels, each in self._in_passes(X, y, weights, self.max_iter):
                self._learn(class_learners, rows, labels, each, starts)
        self._reset(class_learners, self.max_iter, 1 + self.max_iter * len(y))
        return self

    def _class_weights(self, classes: np.ndarray, y: np.ndarray) -> Floats | None:
        """The weight of each class, and last that of the rest, divided by the largest.

        None if all are 1.
        """
        each = super()._class_weights(classes, y)
        return each if each is None else each / each.max()

    def _new_learner(self) -> ClassLearner:
        """A new learner of one class against the rest."""
        return ClassLearner(self.learner(**self._learner_parameters(), labels=(-1.0, 1.0)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.poor_score
        return tags


def __getattr__(name: str) -> Any:
    """The former name of the base class."""
    return former_name(__name__, name, "OnlineClassifier", _OnlineClassifier)
