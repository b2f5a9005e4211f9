"""Classifiers with a weight for each column: their learners take over weights that were set."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import require
from driftline.sklearn.classifier import SklearnClassifier
from driftline.sklearn.estimator import checked_fit
from driftline.sklearn.linear_weights import LinearEstimator
from driftline.sklearn.one_vs_rest import ClassLearners


class LinearClassifier(SklearnClassifier, LinearEstimator):
    """A classifier with a weight for each column."""

    # given weights ----------------------------------------------------------------------------
    def __sklearn_is_fitted__(self) -> bool:
        return self._is_learned() or (self._given_coef is not None and hasattr(self, "classes_"))

    def _is_learned(self) -> bool:
        return hasattr(self, "_class_learners")

    def _known(self) -> ClassLearners | None:
        """The learners, with the weights that were set; None if the classifier is not fitted."""
        if self._given_coef is None and self._given_intercept is None:
            return super()._known()
        if self._is_learned():
            class_learners = deepcopy(self._class_learners)
            self._give(class_learners, self._coef(), self._intercept())
        elif self._given_coef is not None and hasattr(self, "classes_"):
            given = np.asarray(self.classes_)
            class_learners = self._new_class_learners(given)
            same = np.array_equal(class_learners.classes, given)
            require(same, type(self).__name__, "classes_ must be sorted, without repetitions", given.tolist())
            self._start(class_learners, self._given_coef.shape[1])
            self.classes_ = class_learners.classes
        else:
            return None
        self._class_learners = class_learners
        self._given_coef = self._given_intercept = None
        return class_learners

    def _start(self, class_learners: ClassLearners, columns: int) -> None:
        """Give the weights that were set to new learners."""
        self._give_first(class_learners, columns, "coef_", self._given_coef, "intercept_", self._given_intercept)

    def _give_first(
        self,
        class_learners: ClassLearners,
        columns: int,
        coef_name: str,
        coef: Any,
        intercept_name: str,
        intercept: Any,
    ) -> None:
        """Give initial weights to new learners, unless there are none."""
        size = self._scores(class_learners)
        weights = self._first_weights(size, columns, coef_name, coef, intercept_name, intercept)
        if weights is not None:
            self._give(class_learners, *weights)

    def _keep(self, class_learners: ClassLearners, passes: int, t: int) -> None:
        """Store the learners; weights that were set before are now learned or discarded."""
        super()._keep(class_learners, passes, t)
        self._given_coef = self._given_intercept = None

    def _reset(self, class_learners: ClassLearners, passes: int, t: int) -> None:
        """Store the learners of ``fit``; ``coef_`` is an array again."""
        super()._reset(class_learners, passes, t)
        self._sparse_coef = False

    # weights ----------------------------------------------------------------------------------
    def _scores(self, class_learners: ClassLearners) -> int:
        """The number of scores."""
        return len(class_learners.learners)

    def _give(self, class_learners: ClassLearners, coef: Floats, intercept: Floats) -> None:
        """Set the weights of the learners."""
        for class_learner, row, constant in zip(class_learners.learners, coef, intercept, strict=True):
            class_learner.set_weights(row, float(constant))

    def _learned_coef(self) -> Floats:
        checked_fit(self)
        return np.stack([class_learner.weights()[0] for class_learner in self._class_learners.learners])

    def _learned_intercept(self) -> Floats:
        checked_fit(self)
        return np.array([class_learner.weights()[1] for class_learner in self._class_learners.learners])
