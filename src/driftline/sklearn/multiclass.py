"""Multiclass learners as scikit-learn classifiers: one learner for all classes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners.state import bias_value, class_weights
from driftline.sklearn.classifier import checked_fit
from driftline.sklearn.online import OnlineClassifier
from driftline.sklearn.shared_learner import SharedLearner, SharedLearnerClassifier


@dataclass(repr=False, eq=False)
class MulticlassClassifier(SharedLearnerClassifier, OnlineClassifier):
    """Base class of linear multiclass classifiers, with scores and weights for each class.

    With two classes there is one score: that of the second class less that of the first.
    """

    def _new_learner(self) -> SharedLearner:
        """A new learner of all classes."""
        shared = {field.name for field in fields(OnlineClassifier)}
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in shared}
        learner: Any = self.learner(**own, bias=self.bias, scale=self.scale, dtype=self.dtype)
        return SharedLearner(learner)

    def _decisions(self, X: Any) -> Floats:
        X, class_learner = checked_fit(self, X), self._shared_learner()
        scores = class_learner.score(X)[:, class_learner.order(self.classes_)]
        return scores if len(self.classes_) > 2 else scores[:, -1] - (scores[:, 0] if len(self.classes_) == 2 else 0.0)

    def _weights(self) -> tuple[Floats, Floats]:
        """The weight of the constant feature and the weights of the columns, for each score."""
        checked_fit(self)
        class_learner = self._shared_learner()
        each = [class_weights(class_learner.learner, k) for k in class_learner.order(self.classes_)]
        return _per_score(np.array([constant for constant, _ in each])), _per_score(np.array([w for _, w in each]))

    def _coef(self) -> Floats:
        return self._weights()[1]

    def _intercept(self) -> Floats:
        each: Floats = self._weights()[0] * bias_value(self._shared_learner().learner)
        return each


def _per_score(W: Floats) -> Floats:
    """The rows of W for each score; with two classes the second row less the first."""
    return W if len(W) > 2 else W[-1:] - (W[:1] if len(W) == 2 else 0.0)
