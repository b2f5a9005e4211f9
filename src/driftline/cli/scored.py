"""Score the rows of a stream with a model that does not learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from driftline.encode.faults import RowError
from driftline.internals.compiled import Floats
from driftline.internals.rows import FileRows
from driftline.learners.state import labels_for

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.streams import FileStream


class Scored(NamedTuple):
    """Some rows and what the model says about them.

    ``truth`` holds the labels of the file, None if it has none. ``scores`` has one number for each
    row, or for learners of several classes one for each label.
    """

    rows: FileRows
    truth: Any
    labels: np.ndarray
    scores: Floats

    @property
    def shown(self) -> Floats:
        """One score for each row; with several classes, the score of the predicted label."""
        return self.scores if self.scores.ndim == 1 else self.scores.max(axis=1)


def scored(learner: Learner, stream: FileStream) -> Iterator[Scored]:
    """Yield the rows of the stream with their scores.

    If the learner refuses a row, stop or skip it as --on-error says.
    """
    several = learner.rule.several

    def answer(rows: FileRows) -> tuple[np.ndarray, Floats]:
        scores = learner.scores_many(rows) if several else learner.score_many(rows)
        return labels_for(learner, scores), scores

    return answered(stream, answer)


def answered(stream: FileStream, answer: Callable[[FileRows], tuple[np.ndarray, Floats]]) -> Iterator[Scored]:
    """``scored`` with a function that returns labels and scores of some rows."""
    for X, y, *_ in stream:
        at, most = 0, len(X)
        while at < len(X):
            some = X[at : at + most]
            try:
                labels, scores = answer(some)
            except RowError as error:
                if error.row:  # next, score only the rows before it
                    most = error.row
                else:
                    stream.leave_out(some, 0, error.what)
                    at += 1
            else:
                truth = None if y is None else y[at : at + len(some)]
                yield Scored(some, truth, labels, scores)
                at, most = at + len(some), 2 * most
