"""One class against the rest: a learner whose positive label is that class."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

from driftline.internals.compiled import Floats
from driftline.learners import Learner
from driftline.learners.state import bias_value, linear_weights, negate_weights, start_from


class Versus:
    """A learner of labels -1 and +1 that is fed columns, and its weights as a linear classifier has them."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def start(self, coef: Floats, intercept: float) -> None:
        """Begin with these weights; for rules that keep no norm of them, before anything is learned."""
        start_from(self.learner, coef, intercept)

    def learn(self, X: Any, y: Floats, w: Floats | None) -> Floats:
        """Learn the rows in order; return each score before that."""
        return self.learner.learn_many(X, y, w)

    def score(self, X: Any) -> Floats:
        """The score of each row."""
        return self.learner.score_many(X)

    def weights(self) -> tuple[Floats, float]:
        """The weights of the columns, and what the bias feature adds to every score."""
        constant, w = linear_weights(self.learner)
        return w, constant * bias_value(self.learner)

    def mirrored(self) -> Self:
        """What it would be had it learned every example with the other label."""
        other = deepcopy(self)
        negate_weights(other.learner)
        return other
