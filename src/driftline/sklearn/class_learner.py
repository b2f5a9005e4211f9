"""A learner of one class against the rest: the class is its positive label."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

from driftline.internals.compiled import Floats
from driftline.learners.state import has_recent_rounds, negate_weights
from driftline.sklearn.linear_learner import LinearLearner


class ClassLearner(LinearLearner):
    """A learner of the labels -1 and +1 on rows with columns."""

    def probability(self, X: Any) -> Floats | None:
        """The calibrated probability of the class for each row; None before the first row."""
        return self.learner.predict_proba_many(X)[:, -1] if has_recent_rounds(self.learner) else None

    def negated(self) -> Self:
        """A copy that has learned every example with the opposite label."""
        other = deepcopy(self)
        negate_weights(other.learner)
        return other
