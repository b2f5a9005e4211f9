"""A learner of one class against the rest: the class is its positive label."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

from driftline.internals.compiled import Floats
from driftline.learners import Learner
from driftline.learners.given_weights import set_weights
from driftline.learners.state import bias_value, has_recent_rounds, linear_weights, negate_weights


class ClassLearner:
    """A learner of the labels -1 and +1 on rows with columns, with its weights and intercept."""

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

    def probability(self, X: Any) -> Floats | None:
        """The calibrated probability of the class for each row; None before the first row."""
        return self.learner.predict_proba_many(X)[:, -1] if has_recent_rounds(self.learner) else None

    def weights(self) -> tuple[Floats, float]:
        """The weights of the columns, and the intercept."""
        constant, w = linear_weights(self.learner)
        return w, constant * bias_value(self.learner)

    def negated(self) -> Self:
        """A copy that has learned every example with the opposite label."""
        other = deepcopy(self)
        negate_weights(other.learner)
        return other
