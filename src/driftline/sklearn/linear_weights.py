"""The weights of linear classifiers, as scikit-learn's have them."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats
from driftline.sklearn.classifier import SklearnClassifier, checked_fit


class LinearClassifier(SklearnClassifier):
    """A classifier whose learners have a weight for each column."""

    @property
    def coef_(self) -> Floats:
        """The weights of the columns, one row a score, as they apply to examples that are scaled as ``scale`` says."""
        checked_fit(self)
        return np.stack([side.weights()[0] for side in self._sides.learners])

    @property
    def intercept_(self) -> Floats:
        """What the bias feature adds to each score."""
        checked_fit(self)
        return np.array([side.weights()[1] for side in self._sides.learners])
