"""A driftline learner of several classes as a scikit-learn classifier: one learner for all of them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from driftline.compat.one_vs_rest import Sides
from driftline.compat.sklearn_classifier import checked_fit
from driftline.compat.sklearn_online import OnlineClassifier
from driftline.compat.versus import Versus
from driftline.compiled import Floats
from driftline.engines.state import BIAS, FIRST
from driftline.learners import SeveralClasses
from driftline.learners.learner import HEAVIEST
from driftline.rules.check import require


class Together(Versus):
    """A learner of several classes that is fed columns."""

    learner: SeveralClasses

    def meet(self, classes: np.ndarray) -> None:
        """Know these classes from now on."""
        for label in classes.tolist():
            self.learner._labels.sign(label)
        self.learner._engine.found(len(self.learner.labels))

    def order(self, classes: np.ndarray) -> list[int]:
        """The learner's number of each class."""
        known = self.learner.labels
        return [known.index(label) for label in classes.tolist()]


@dataclass(repr=False, eq=False)
class MulticlassClassifier(OnlineClassifier):
    """What the classifiers share whose learner knows all classes: rows have scores, and weights, for each of them.

    Of two classes there is one score, that of the second less that of the first. The weight of a class multiplies the
    steps on its rows.
    """

    def _side(self) -> Together:
        """A learner of all classes that knows nothing."""
        shared = {field.name for field in fields(OnlineClassifier)}
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in shared}
        learner: Any = self.learner(**own, bias=self.bias, scale=self.scale, dtype=self.dtype)
        return Together(learner)

    def _first_sides(self, y: np.ndarray) -> Sides:
        """A learner that knows nothing but all classes in y."""
        classes = super()._first_sides(y).classes
        return self._joined(None, classes, classes[:0])

    def _joined(self, sides: Sides | None, declared: np.ndarray, found: np.ndarray) -> Sides:
        """The learner, which knows the declared classes; those that are found it will meet in the rows."""
        side = self._side() if sides is None else sides.learners[0]
        assert isinstance(side, Together)
        if len(declared):
            side = deepcopy(side)
            side.meet(declared)
        known = [] if sides is None else [sides.classes]
        classes = np.concatenate([*known, *(one for one in (declared, found) if len(one))])
        return Sides(np.sort(classes), [side])

    def _learn(self, sides: Sides, X: Any, y: np.ndarray, weights: Floats | None, starts: np.ndarray) -> None:
        """One pass over the rows."""
        of_class = self._class_weights(sides.classes, y)
        if of_class is not None:
            each = of_class[np.searchsorted(sides.classes, y)]
            weights = each if weights is None else each * weights
        heaviest = 1.0 if weights is None else float(weights.max())
        require(heaviest <= HEAVIEST, type(self).__name__, f"a weight must be at most {HEAVIEST:g}", heaviest)
        sides.learners[0].learn(X, y, weights)

    def decision_function(self, X: Any) -> Floats:
        """The scores of each row, one for each class; of two classes, how far the second is above the first."""
        X, side = checked_fit(self, X), self._together()
        scores = side.score(X)[:, side.order(self.classes_)]
        return scores if len(self.classes_) > 2 else scores[:, -1] - (scores[:, 0] if len(self.classes_) == 2 else 0.0)

    def _together(self) -> Together:
        side = self._sides.learners[0]
        assert isinstance(side, Together)
        return side

    def _weights(self) -> Floats:
        """The weights of each score, the bias feature's first, in the layout of v."""
        checked_fit(self)
        side = self._together()
        W = np.array([side.learner._engine.weights_of(k) for k in side.order(self.classes_)])
        return W if len(W) > 2 else W[-1:] - (W[:1] if len(W) == 2 else 0.0)

    @property
    def coef_(self) -> Floats:
        """The weights of the columns, one row a score, as they apply to examples that are scaled as ``scale`` says."""
        return self._weights()[:, FIRST : FIRST + self._together().learner._width]

    @property
    def intercept_(self) -> Floats:
        """What the bias feature adds to each score."""
        each: Floats = self._weights()[:, 0] * self._together().learner._engine.state[BIAS]
        return each
