"""``coef_`` and ``intercept_`` of linear classifiers."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.sklearn.classifier import SklearnClassifier, checked_fit


class LinearClassifier(SklearnClassifier):
    """A classifier with a weight for each column."""

    @property
    @whole_call
    def coef_(self) -> Floats:
        """The weights of the columns, with a row for each score.

        They apply to rows after the scaling by ``scale``.
        """
        return self._coef()

    def _coef(self) -> Floats:
        checked_fit(self)
        return np.stack([class_learner.weights()[0] for class_learner in self._class_learners.learners])

    @property
    @whole_call
    def intercept_(self) -> Floats:
        """The intercept of each score, which comes from the constant feature."""
        return self._intercept()

    def _intercept(self) -> Floats:
        checked_fit(self)
        return np.array([class_learner.weights()[1] for class_learner in self._class_learners.learners])
