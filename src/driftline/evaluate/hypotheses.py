"""The hypotheses of a run, and their scores on other examples.

A hypothesis is the learner after an update. The predictions of a linear learner change only with
an update (shrinking changes no sign), so these are all its hypotheses. Other learners also change
between updates: averages, running scales, support vectors with an age, experts that share weight.
Some of their hypotheses are left out; the certificates of the others still hold.

Hypotheses of the Perceptron need no copies. The score of x by hypothesis c is the sum of y_i x_i.x
over the first c updates: one product with all added examples, and one cumulative sum, give the
scores of all hypotheses. The hypotheses of other linear learners are stored as weights, and those
of all other learners as copies.
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

# at most this many numbers are stored as weights, and this many learners as copies
NUMBERS, COPIES = 1 << 27, 1000


class Hypotheses(Protocol):
    """Some hypotheses of one run, in the order of the run."""

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The scores: a row for each row of X, a column for each position in ``those``."""


@dataclass(frozen=True)
class Course:
    """A run over examples, and the rounds in which its hypothesis changed.

    Attributes
    ----------
    fresh, last
        The learner before and after the run.
    X, y
        The examples.
    signs, scores
        The label of each round as -1 or +1, and its score before learning.
    starts
        The rounds, counted from 0, in which a new hypothesis was used for the first time: the
        first round, and each round after an update.
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
        """Run a copy of the learner over the examples."""
        X = X.tocsr() if hasattr(type(X), "tocsr") else X
        last = deepcopy(learner)
        trials = last.test_then_train(X, y)
        starts = np.append(0, np.flatnonzero(trials.updated) + 1)
        return cls(learner, last, X, y, trials.y, trials.scores, starts[starts < len(trials.y)])

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def wrong(self) -> int:
        """Rounds in which the predicted label was wrong."""
        return int(np.count_nonzero((self.scores >= 0.0) != (self.signs > 0.0)))

    @property
    def lengths(self) -> np.ndarray:
        """The number of rounds in which each hypothesis was used."""
        return np.diff(self.starts, append=len(self))

    @property
    def linear(self) -> bool:
        """Whether the weights determine a hypothesis (see ``has_linear_hypotheses``)."""
        return has_linear_hypotheses(self.last)

    def block(self, start: int, stop: int) -> tuple[Any, Any]:
        """The examples ``start`` to ``stop``."""
        X, y, _ = part((self.X, self.y, None), start, stop)
        return X, y

    def at(self, rounds: np.ndarray) -> Iterator[Learner]:
        """The learner after each of these numbers of examples; it is always the same object."""
        learner, done = deepcopy(self.fresh), 0
        copy_labels(self.last, learner)  # it may predict before it has seen both labels
        for stop in rounds.tolist():
            learner.learn_many(*self.block(done, stop))
            done = stop
            yield learner

    def hypotheses(self, those: np.ndarray) -> Hypotheses:
        """The hypotheses at these positions of ``starts``."""
        if self.linear and isinstance(self.fresh.rule, Perceptron) and self.fresh.options["dtype"] == "float64":
            return PrefixSums(self, those)
        return Snapshots(self, those) if self.linear else Copies(self, those)


def matrix(learner: Learner, X: Any) -> Any:
    """The encoded rows of X: an array or a CSR matrix with a column for each known feature."""
    from scipy.sparse import csr_matrix  # slow to import

    rows, features = encoded_rows(learner, X), learner.n_features
    if isinstance(rows, DenseRows):
        return rows.X
    size = len(rows.indptr) - 1
    entries = rows.values, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    # drop the last column, which holds unknown features
    return csr_matrix(entries, (size, features + 1))[:, :features]


def product(a: Any, b: Any) -> Floats:
    """a b' as a dense array."""
    found = a @ b.T
    return np.asarray(found.todense() if hasattr(found, "todense") else found)


class PrefixSums:
    """Hypotheses of the Perceptron: prefix sums over the examples that it added."""

    def __init__(self, course: Course, those: np.ndarray) -> None:
        updates = course.starts[1:] - 1
        self.last = course.last
        self.counts = those
        self.signs = course.signs[updates]
        self.added = matrix(course.last, course.X)[updates]
        self.constant = bias_value(course.last) ** 2

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The score of each row of X by each of these hypotheses.

        Examples added between two of these hypotheses are summed first.
        """
        counts = self.counts[those]
        most = int(counts.max(initial=0))
        since = np.searchsorted(counts, np.arange(1, most + 1))
        from scipy.sparse import csr_matrix  # slow to import

        sums = csr_matrix((self.signs[:most], (since, np.arange(most))), (len(those), most))
        constants = self.constant * np.asarray(sums.sum(axis=1)).ravel()
        steps = product(matrix(self.last, X), sums @ self.added[:most]) + constants
        return np.cumsum(steps, axis=1, out=steps)


class Snapshots:
    """Hypotheses of a linear learner, stored as weights."""

    def __init__(self, course: Course, those: np.ndarray) -> None:
        features = engine_features(course.last)
        if len(those) * (1 + features) > NUMBERS:
            raise ValueError(
                f"select: hypotheses times features must be at most {NUMBERS}, got {len(those)} times {features}. "
                "Set most to 1000 or less"
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
        """The score of each row of X by each of these hypotheses."""
        scores: Floats = product(matrix(self.last, X), self.weights[those]) + self.constants[those]
        return scores


class Copies:
    """Hypotheses of any learner, stored as copies."""

    def __init__(self, course: Course, those: np.ndarray) -> None:
        if len(those) > COPIES:
            raise ValueError(
                f"select: copies of a {type(course.fresh).__name__} must be at most {COPIES}, got {len(those)} "
                "hypotheses. Set most=100"
            )
        self.learners = [deepcopy(learner) for learner in course.at(course.starts[those])]

    def scores(self, X: Any, those: np.ndarray) -> Floats:
        """The score of each row of X by each of these hypotheses."""
        return np.stack([self.learners[k].score_many(X) for k in those.tolist()], axis=1)
