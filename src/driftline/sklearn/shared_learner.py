"""One driftline learner for all classes of a scikit-learn classifier."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners import SeveralClasses
from driftline.learners.state import add_labels, has_recent_rounds
from driftline.sklearn.class_learner import ClassLearner
from driftline.sklearn.class_weights import check_heaviest
from driftline.sklearn.classifier import SklearnClassifier
from driftline.sklearn.one_vs_rest import ClassLearners


class SharedLearner(ClassLearner):
    """A multiclass learner of rows with columns."""

    learner: SeveralClasses

    def score(self, X: Any) -> Floats:
        """The score of each class for each row."""
        return self.learner.scores_many(X)

    def add_classes(self, classes: np.ndarray) -> None:
        """Add these classes to the known ones."""
        add_labels(self.learner, classes.tolist())

    def order(self, classes: np.ndarray) -> list[int]:
        """The index that the learner uses for each class."""
        known = self.learner.labels
        return [known.index(label) for label in classes.tolist()]


class SharedLearnerClassifier(SklearnClassifier):
    """Base class of classifiers with one learner for all classes.

    The weight of a class multiplies the steps on its rows.
    """

    @abstractmethod
    def _new_learner(self) -> SharedLearner:
        """A new learner of all classes."""

    def _new_class_learners(self, y: np.ndarray) -> ClassLearners:
        """A new learner that knows all classes in y."""
        classes = super()._new_class_learners(y).classes
        return self._joined(None, classes, classes[:0])

    def _joined(self, class_learners: ClassLearners | None, declared: np.ndarray, found: np.ndarray) -> ClassLearners:
        """The learner with the declared classes added; it adds found classes while it learns."""
        class_learner = self._new_learner() if class_learners is None else class_learners.learners[0]
        assert isinstance(class_learner, SharedLearner)
        if len(declared):
            class_learner = deepcopy(class_learner)
            class_learner.add_classes(declared)
        known = [] if class_learners is None else [class_learners.classes]
        classes = np.concatenate([*known, *(one for one in (declared, found) if len(one))])
        return ClassLearners(np.sort(classes), [class_learner])

    def _learn(
        self, class_learners: ClassLearners, X: Any, y: np.ndarray, weights: Floats | None, starts: np.ndarray
    ) -> None:
        """Make one pass over the rows."""
        of_class = self._class_weights(class_learners.classes, y)
        if of_class is not None:
            each = of_class[np.searchsorted(class_learners.classes, y)]
            weights = each if weights is None else each * weights
        heaviest = 1.0 if weights is None else float(weights.max())
        check_heaviest(type(self).__name__, heaviest)
        class_learners.learners[0].learn(X, y, weights)

    def _calibrated(self, X: Any) -> Floats | None:
        """The calibrated probability of each class; None before the first row."""
        class_learner = self._shared_learner()
        if not has_recent_rounds(class_learner.learner):
            return None
        return class_learner.learner.predict_proba_many(X)[:, class_learner.order(self.classes_)]

    def _shared_learner(self) -> SharedLearner:
        class_learner = self._learned().learners[0]
        assert isinstance(class_learner, SharedLearner)
        return class_learner
