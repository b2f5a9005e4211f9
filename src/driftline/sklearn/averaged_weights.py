"""Passive-aggressive weights averaged over the rounds, without a look at every weight on every round.

    mean of w_t over t = first..T  =  w_T - D / n,      D = sum_i max(0, i - first) u_i x_i,      n = T - first + 1

where w_t are the weights after round t, and u_i = y_i times the step of round i: what is learned in round i is missing
from the rounds before it. So D grows by the rows of a block, weighted, and no block is walked through in Python.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.extmath import row_norms

from driftline.internals.compiled import Floats
from driftline.learners import PA1, PA2
from driftline.sklearn.versus import Versus


class Averaged(Versus):
    """PA-I or PA-II with weights averaged from round ``first`` on, the first round being 1; till then not averaged."""

    def __init__(self, learner: PA1 | PA2, first: int) -> None:
        super().__init__(learner)
        self.first = first
        self.late = np.zeros(1)
        """D, the bias feature first."""

    def learn(self, X: Any, y: Floats, w: Floats | None) -> Floats:
        """Learn the rows in order; return each score before that."""
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
        """The steps of rounds with these margins and squared lengths: ``rules.pa1`` or ``rules.pa2``, all at once."""
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

    def mirrored(self) -> Self:
        """What it would be had it learned every example with the other label."""
        other = super().mirrored()
        other.late = 0.0 - self.late
        return other
