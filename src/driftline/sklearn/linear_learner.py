"""A learner on rows with columns: its weights of the columns, and its intercept."""

from __future__ import annotations

from typing import Any

from driftline.internals.compiled import Floats
from driftline.learners import Learner
from driftline.learners.given_weights import set_weights
from driftline.learners.state import bias_value, linear_weights


class LinearLearner:
    """A learner of rows with columns, with its weights and intercept."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def set_weights(self, coef: Floats, intercept: float) -> None:
        """Set the weights of the columns, and the intercept."""
        set_weights(self.learner, coef, intercept / (bias_value(self.learner) or 1.0))

    def learn(self, X: Any, y: Floats, w: Floats | None) -> Floats:
        """Learn the rows in order; return the score of each row before learning it."""
        return self.learner.learn_many(X, y, w)

    def score(self, X: Any) -> Floats:
        """The score of each row."""
        return self.learner.score_many(X)

    def weights(self) -> tuple[Floats, float]:
        """The weights of the columns, and the intercept."""
        constant, w = linear_weights(self.learner)
        return w, constant * bias_value(self.learner)
