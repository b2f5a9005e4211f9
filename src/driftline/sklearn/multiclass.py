"""A driftline learner of several classes as a scikit-learn classifier: one learner for all of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners.state import bias_value, class_weights
from driftline.sklearn.classifier import checked_fit
from driftline.sklearn.online import OnlineClassifier
from driftline.sklearn.shared_learner import Together, TogetherClassifier


@dataclass(repr=False, eq=False)
class MulticlassClassifier(TogetherClassifier, OnlineClassifier):
    """What the linear ones of them share: rows have scores, and weights, for each class.

    Of two classes there is one score, that of the second less that of the first.
    """

    def _side(self) -> Together:
        """A learner of all classes that knows nothing."""
        shared = {field.name for field in fields(OnlineClassifier)}
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in shared}
        learner: Any = self.learner(**own, bias=self.bias, scale=self.scale, dtype=self.dtype)
        return Together(learner)

    def decision_function(self, X: Any) -> Floats:
        """The scores of each row, one for each class; of two classes, how far the second is above the first."""
        X, side = checked_fit(self, X), self._together()
        scores = side.score(X)[:, side.order(self.classes_)]
        return scores if len(self.classes_) > 2 else scores[:, -1] - (scores[:, 0] if len(self.classes_) == 2 else 0.0)

    def _weights(self) -> tuple[Floats, Floats]:
        """The weight of the bias feature and the weights of the columns, one row a score."""
        checked_fit(self)
        side = self._together()
        each = [class_weights(side.learner, k) for k in side.order(self.classes_)]
        return _per_score(np.array([constant for constant, _ in each])), _per_score(np.array([w for _, w in each]))

    @property
    def coef_(self) -> Floats:
        """The weights of the columns, one row a score, as they apply to examples that are scaled as ``scale`` says."""
        return self._weights()[1]

    @property
    def intercept_(self) -> Floats:
        """What the bias feature adds to each score."""
        each: Floats = self._weights()[0] * bias_value(self._together().learner)
        return each


def _per_score(W: Floats) -> Floats:
    """Of two classes there is one score: the second class less the first."""
    return W if len(W) > 2 else W[-1:] - (W[:1] if len(W) == 2 else 0.0)
