"""Passive-aggressive weights averaged over rounds, without visiting every weight in every round.

    mean of w_t over t = first..T  =  w_T - D / n
    D = sum_i max(0, i - first) u_i x_i
    n = T - first + 1

where w_t are the weights after round t, and u_i is y_i times the step of round i. The update of
round i is missing from the weights of all earlier rounds, and D sums up these missing parts. For a
block, D grows by a weighted sum of its rows, without a Python loop over rows.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.extmath import row_norms

from driftline.internals.compiled import Floats
from driftline.learners import PA1, PA2
from driftline.sklearn.class_learner import ClassLearner


class AveragedLearner(ClassLearner):
    """PA-I or PA-II with weights averaged from round ``first`` on.

    Rounds are counted from 1. Before round ``first`` the weights are not averaged.
    """

    def __init__(self, learner: PA1 | PA2, first: int) -> None:
        super().__init__(learner)
        self.first = first
        self.late = np.zeros(1)
        """D; the bias feature comes first."""

    def set_weights(self, coef: Floats, intercept: float) -> None:
        """Set the averaged weights, as if every round so far had ended with these weights."""
        super().set_weights(coef, intercept)
        self.late = np.zeros(1 + len(coef))

    def probability(self, X: Any) -> Floats | None:
        """None: the recent rounds are those of weights that are not averaged."""
        return None

    def learn(self, X: Any, y: Floats, w: Floats | None) -> Floats:
        """Learn the rows in order; return the score of each row before learning it."""
        bias = float(self.learner.options["bias"])
        before = self.learner.n_seen
        scores = super().learn(X, y, w)
        steps = self._steps(y * scores, row_norms(X, squared=True) + bias) * y
        if w is not None:
            steps *= w
        missed = np.maximum(0.0, np.arange(before + 1, before + 1 + len(y)) - float(self.first)) * steps
        late = np.append(bias * missed.sum(), X.T @ missed)
        self.late = late if before == 0 else self.late + late
        return scores

    def _steps(self, m: Floats, x_sq: Floats) -> Floats:
        """The steps of ``rules.pa1`` or ``rules.pa2`` for these margins and squared lengths."""
        C, loss = self.learner.rule.params()[1], np.maximum(0.0, 1.0 - m)
        if isinstance(self.learner, PA2):
            return loss / (x_sq + 0.5 / C)
        return np.minimum(C, np.divide(loss, x_sq, out=np.zeros_like(loss), where=x_sq > 0.0))

    def score(self, X: Any) -> Floats:
        """The score of each row by the averaged weights."""
        coef, intercept = self.weights()
        scores: Floats = X @ coef + intercept
        return scores

    def weights(self) -> tuple[Floats, float]:
        """The averaged weights of the columns and of the bias feature."""
        coef, intercept = super().weights()
        rounds = self.learner.n_seen - self.first + 1
        if rounds < 1:
            return coef, intercept
        return coef - self.late[1:] / rounds, float(intercept - self.late[0] / rounds)

    def negated(self) -> Self:
        """A copy that has learned every example with the opposite label."""
        other = super().negated()
        other.late = 0.0 - self.late
        return other
