"""Multiclass learners as scikit-learn classifiers: one learner for all classes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.learners.given_weights import set_class_weights
from driftline.learners.state import bias_value, class_weights
from driftline.sklearn.classifier import checked_fit
from driftline.sklearn.former_names import former_name
from driftline.sklearn.one_vs_rest import ClassLearners
from driftline.sklearn.online import _OnlineClassifier
from driftline.sklearn.shared_learner import SharedLearner, SharedLearnerClassifier


@dataclass(repr=False, eq=False)
class _MulticlassClassifier(SharedLearnerClassifier, _OnlineClassifier):
    """Base class of linear multiclass classifiers, with scores and weights for each class.

    With two classes there is one score: that of the second class less that of the first.
    """

    def _new_learner(self) -> SharedLearner:
        """A new learner of all classes."""
        shared = {field.name for field in fields(_OnlineClassifier)}
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
        class_learner = self._class_learners.learners[0]
        assert isinstance(class_learner, SharedLearner)
        each = [class_weights(class_learner.learner, k) for k in class_learner.order(self._class_learners.classes)]
        return _per_score(np.array([constant for constant, _ in each])), _per_score(np.array([w for _, w in each]))

    def _learned_coef(self) -> Floats:
        return self._weights()[1]

    def _learned_intercept(self) -> Floats:
        each: Floats = self._weights()[0] * bias_value(self._class_learners.learners[0].learner)
        return each

    def _scores(self, class_learners: ClassLearners) -> int:
        """The number of scores."""
        return len(class_learners.classes) if len(class_learners.classes) > 2 else 1

    def _give(self, class_learners: ClassLearners, coef: Floats, intercept: Floats) -> None:
        """Set the weights of each class; of two classes, each gets half of the difference."""
        class_learner = class_learners.learners[0]
        assert isinstance(class_learner, SharedLearner)
        class_learner.add_classes(class_learners.classes)
        if len(class_learners.classes) == 2:
            coef, intercept = np.concatenate([-coef, coef]) / 2.0, np.append(-intercept, intercept) / 2.0
        bias = bias_value(class_learner.learner) or 1.0
        order = class_learner.order(class_learners.classes)
        constants = (intercept / bias).tolist()
        set_class_weights(class_learner.learner, list(zip(order, coef, constants, strict=True)))


def _per_score(W: Floats) -> Floats:
    """The rows of W for each score; with two classes the second row less the first."""
    return W if len(W) > 2 else W[-1:] - (W[:1] if len(W) == 2 else 0.0)


def __getattr__(name: str) -> Any:
    """The former name of the base class."""
    return former_name(__name__, name, "MulticlassClassifier", _MulticlassClassifier)
