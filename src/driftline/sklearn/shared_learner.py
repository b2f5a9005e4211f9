"""One driftline learner for all classes of a scikit-learn classifier."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.require import require
from driftline.learners import SeveralClasses
from driftline.learners.learner import LARGEST_WEIGHT
from driftline.learners.state import add_labels
from driftline.sklearn.classifier import SklearnClassifier
from driftline.sklearn.one_vs_rest import Sides
from driftline.sklearn.versus import Versus


class Together(Versus):
    """A multiclass learner of rows with columns."""

    learner: SeveralClasses

    def score(self, X: Any) -> Floats:
        """The score of each class for each row."""
        return self.learner.scores_many(X)

    def meet(self, classes: np.ndarray) -> None:
        """Add these classes to the known ones."""
        add_labels(self.learner, classes.tolist())

    def order(self, classes: np.ndarray) -> list[int]:
        """The index that the learner uses for each class."""
        known = self.learner.labels
        return [known.index(label) for label in classes.tolist()]


class TogetherClassifier(SklearnClassifier):
    """Base class of classifiers with one learner for all classes.

    The weight of a class multiplies the steps on its rows.
    """

    @abstractmethod
    def _side(self) -> Together:
        """A new learner of all classes."""

    def _first_sides(self, y: np.ndarray) -> Sides:
        """A new learner that knows all classes in y."""
        classes = super()._first_sides(y).classes
        return self._joined(None, classes, classes[:0])

    def _joined(self, sides: Sides | None, declared: np.ndarray, found: np.ndarray) -> Sides:
        """The learner with the declared classes added; it adds found classes while it learns."""
        side = self._side() if sides is None else sides.learners[0]
        assert isinstance(side, Together)
        if len(declared):
            side = deepcopy(side)
            side.meet(declared)
        known = [] if sides is None else [sides.classes]
        classes = np.concatenate([*known, *(one for one in (declared, found) if len(one))])
        return Sides(np.sort(classes), [side])

    def _learn(self, sides: Sides, X: Any, y: np.ndarray, weights: Floats | None, starts: np.ndarray) -> None:
        """Make one pass over the rows."""
        of_class = self._class_weights(sides.classes, y)
        if of_class is not None:
            each = of_class[np.searchsorted(sides.classes, y)]
            weights = each if weights is None else each * weights
        heaviest = 1.0 if weights is None else float(weights.max())
        what = f"a weight must be at most {LARGEST_WEIGHT:g}"
        require(heaviest <= LARGEST_WEIGHT, type(self).__name__, what, heaviest)
        sides.learners[0].learn(X, y, weights)

    def _together(self) -> Together:
        side = self._sides.learners[0]
        assert isinstance(side, Together)
        return side
