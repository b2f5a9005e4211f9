"""The hypotheses that a run went through, and what each of them says of other examples.

Those are tried that were new after an update. What a linear learner says changes with an update only (shrinking changes
no sign), so these are all it has. Others may change in between: an average, a running scale, support vectors that grow
old, experts that share. Of these some hypotheses are left out, and what is certified of the others holds as it is.

The Perceptron's need not be kept: hypothesis c scores x by the sum of y_i x_i.x over the first c updates, so one
product with all the examples that were added, and one sum along it, give the scores of all. Other linear learners are
kept as weights, and any other learner as a copy of itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from driftline.evaluate.blocks import part
from driftline.internals.compiled import Floats
from driftline.internals.rows import DenseRows
from driftline.learners import Learner
from driftline.learners.state import (
    bias_value,
    copy_labels,
    encoded_rows,
    engine_features,
    has_linear_hypotheses,
    linear_weights,
)
from driftline.rules import Perceptron

# so many numbers may be kept as weights, and so many learners as copies
NUMBERS, COPIES = 1 << 27, 1000


class Hypotheses(Protocol):
    """Some hypotheses of one run, in the order in which they came."""

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The score of each row of X (first axis) by each of those hypotheses, which are given by their places."""


@dataclass(frozen=True)
class Course:
    """A run over examples: the learner before and after it, the examples, and where it changed.

    ``starts`` are the rounds, from 0, in which a hypothesis came into force: the first, and each after an update.
    """

    fresh: Learner
    last: Learner
    X: Any
    y: Any
    signs: Floats
    scores: Floats
    starts: np.ndarray

    @classmethod
    def of(cls, learner: Learner, X: Any, y: Any) -> Course:
        """Run a copy of the learner."""
        X = X.tocsr() if hasattr(type(X), "tocsr") else X
        last = deepcopy(learner)
        trials = last.test_then_train(X, y)
        starts = np.append(0, np.flatnonzero(trials.updated) + 1)
        return cls(learner, last, X, y, trials.y, trials.scores, starts[starts < len(trials.y)])

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def wrong(self) -> int:
        """Rounds whose displayed label was wrong."""
        return int(np.count_nonzero((self.scores >= 0.0) != (self.signs > 0.0)))

    @property
    def lengths(self) -> np.ndarray:
        """How many rounds each hypothesis was in force."""
        return np.diff(self.starts, append=len(self))

    @property
    def linear(self) -> bool:
        """Whether a hypothesis is its weights alone (see ``has_linear_hypotheses``)."""
        return has_linear_hypotheses(self.last)

    def block(self, start: int, stop: int) -> tuple[Any, Any]:
        """Some of the examples."""
        X, y, _ = part((self.X, self.y, None), start, stop)
        return X, y

    def at(self, rounds: np.ndarray) -> Iterator[Learner]:
        """The learner as it was after so many examples each time: the same one, which goes on."""
        learner, done = deepcopy(self.fresh), 0
        copy_labels(self.last, learner)  # it may have to predict before it has seen both
        for stop in rounds.tolist():
            learner.learn_many(*self.block(done, stop))
            done = stop
            yield learner

    def hypotheses(self, those: np.ndarray) -> Hypotheses:
        """Those of its hypotheses, given by their places among ``starts``."""
        if self.linear and isinstance(self.fresh.rule, Perceptron) and self.fresh.options["dtype"] == "float64":
            return PrefixSums(self, those)
        return Snapshots(self, those) if self.linear else Copies(self, those)


def matrix(learner: Learner, X: Any) -> Any:
    """The rows of X as the learner reads them: an array, or a CSR matrix, with a column for each feature it knows."""
    from scipy.sparse import csr_matrix  # which takes long to import

    rows, features = encoded_rows(learner, X), learner.n_features
    if isinstance(rows, DenseRows):
        return rows.X
    size = len(rows.indptr) - 1
    entries = rows.values, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return csr_matrix(entries, (size, features + 1))[:, :features]  # what it does not know is in the last column


def product(a: Any, b: Any) -> Floats:
    """a b' as an array."""
    found = a @ b.T
    return np.asarray(found.todense() if hasattr(found, "todense") else found)


class PrefixSums:
    """Hypotheses of the Perceptron: the first so many of the examples that it added."""

    def __init__(self, course: Course, those: np.ndarray) -> None:
        updates = course.starts[1:] - 1
        self.last = course.last
        self.counts = those
        self.signs = course.signs[updates]
        self.added = matrix(course.last, course.X)[updates]
        self.constant = bias_value(course.last) ** 2

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The score of each row of X by each of those: what was added since the one before it is added up first."""
        counts = self.counts[those]
        most = int(counts.max(initial=0))
        since = np.searchsorted(counts, np.arange(1, most + 1))
        from scipy.sparse import csr_matrix  # which takes long to import

        sums = csr_matrix((self.signs[:most], (since, np.arange(most))), (len(those), most))
        constants = self.constant * np.asarray(sums.sum(axis=1)).ravel()
        steps = product(matrix(self.last, X), sums @ self.added[:most]) + constants
        return np.cumsum(steps, axis=1, out=steps)


class Snapshots:
    """Hypotheses of a linear learner: their weights."""

    def __init__(self, course: Course, those: np.ndarray) -> None:
        features = engine_features(course.last)
        if len(those) * (1 + features) > NUMBERS:
            raise ValueError(
                f"select: hypotheses times features must be at most {NUMBERS}, got {len(those)} times {features}. "
                "Set most=1000, or less"
            )
        self.last = course.last
        self.constants = np.zeros(len(those))
        self.weights = np.zeros((len(those), features))
        bias = bias_value(course.last)
        for k, learner in enumerate(course.at(course.starts[those])):
            constant, w = linear_weights(learner)
            self.constants[k] = bias * constant
            self.weights[k, : len(w)] = w

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The score of each row of X by each of those."""
        scores: Floats = product(matrix(self.last, X), self.weights[those]) + self.constants[those]
        return scores


class Copies:
    """Hypotheses of any learner: the learner as it was."""

    def __init__(self, course: Course, those: np.ndarray) -> None:
        if len(those) > COPIES:
            raise ValueError(
                f"select: copies of a {type(course.fresh).__name__} must be at most {COPIES}, got {len(those)} "
                "hypotheses. Set most=100"
            )
        self.learners = [deepcopy(learner) for learner in course.at(course.starts[those])]

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The score of each row of X by each of those."""
        return np.stack([self.learners[k].score_many(X) for k in those.tolist()], axis=1)
