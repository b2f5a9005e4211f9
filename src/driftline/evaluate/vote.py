"""The majority vote of the hypotheses of a run.

Each hypothesis has one vote for every round in which it was used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.evaluate.blocks import blocks
from driftline.evaluate.hypotheses import Course
from driftline.internals.compiled import Floats
from driftline.learners.state import labels_for

ENTRIES = 1 << 22  # scores that are computed at a time


class Vote:
    """A majority vote. The score is the share of positive votes less that of negative votes.

    Parameters
    ----------
    course
        The run.
    those
        The positions of the hypotheses in ``course.starts``.
    votes
        The number of votes of each hypothesis.
    """

    def __init__(self, course: Course, those: np.ndarray, votes: np.ndarray) -> None:
        self.last = course.last
        self.hypotheses = course.hypotheses(those)
        self.votes = votes

    def score_many(self, X: Any) -> Floats:
        """The score of each row of X, from -1 to 1."""
        every = np.arange(len(self.votes))
        size = X.shape[0] if hasattr(X, "shape") else len(X)
        scores = [np.zeros(0)]
        for some, _, _ in blocks((X, np.zeros(size)), max(1, ENTRIES // len(every))):
            in_favour = (self.hypotheses.scores(some, every) >= 0.0) @ self.votes
            scores.append((2.0 * in_favour - self.votes.sum()) / self.votes.sum())
        return np.concatenate(scores)

    def predict_many(self, X: Any) -> np.ndarray:
        """The predicted label of each row of X."""
        return labels_for(self.last, self.score_many(X))
