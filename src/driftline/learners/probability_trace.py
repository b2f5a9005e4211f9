"""The probabilities of the rounds of a block before they were learned."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from driftline.engines.calibration.recent_rounds import Learned, RecentRounds
from driftline.engines.calibration.recent_scores import RecentScores
from driftline.engines.state import EVENT, LABEL, UNASKED, WEIGHT
from driftline.internals.compiled import Floats

if TYPE_CHECKING:
    from driftline.learners.scoring_learner import ScoringLearner


class TwoLabelTrace:
    """The probabilities of a block of two labels.

    Made before the block is learned, so that memory cannot run out afterwards.

    Parameters
    ----------
    signs
        The signs of the labels that were known before the block.
    size
        The number of rounds.
    """

    def __init__(self, signs: list[float], size: int) -> None:
        self.signs = signs
        self.found: Floats = np.zeros((size, 2))

    def compute(self, learner: ScoringLearner, recent: RecentRounds, learned: Learned) -> Floats:
        """The probability of each label before each of the rounds, which are not in ``recent`` yet."""
        positive = np.empty(len(self.found))
        recent.probabilities_before(learned, positive)
        np.subtract(1.0, positive, out=self.found[:, 0])
        self.found[:, 1] = positive
        early = np.isnan(positive)
        if early.any():
            self.found[early] = learner._uncalibrated(learned.scores[early])
        hide_unknown(self.found, learned.signs, self.signs)
        return self.found


class ClassTrace:
    """The probabilities of a block of several classes; see ``TwoLabelTrace``.

    Parameters
    ----------
    recent
        The recent rounds before the block.
    known
        The number of classes known before the block.
    classes
        The number of classes known after it.
    size
        The number of rounds.
    """

    def __init__(self, recent: RecentScores, known: int, classes: int, size: int) -> None:
        self.recent = recent.copy()
        self.known = known
        self.found: Floats = np.zeros((size, classes))

    def compute(self, learner: ScoringLearner, tested: list[Floats], trials: Floats) -> Floats:
        """The probability of each class before each of the rounds, given the scores of then."""
        scores = np.zeros(self.found.shape)
        start = 0
        for part in tested:
            scores[start : start + len(part), : part.shape[1]] = part
            start += len(part)
        labels = trials[LABEL]
        known = np.full(len(labels), float(self.known))
        known[1:] = np.maximum(known[1:], np.maximum.accumulate(labels[:-1] + 1.0))
        skipped = (trials[WEIGHT] == 0.0) | (trials[EVENT].astype(np.int64) & int(UNASKED) > 0)
        self.recent.probabilities_before(scores, known, np.where(skipped, -1.0, labels), self.found)
        early = np.isnan(self.found).any(axis=1)
        for classes in np.unique(known[early]).astype(np.intp).tolist():
            some = early & (known == classes)
            self.found[some, :classes] = learner._uncalibrated(scores[some, :classes])
        return self.found


def both(positive: Floats) -> Floats:
    """The probabilities of the negative and the positive label, given that of the positive one.

    >>> both(np.array([0.25])).tolist()
    [[0.75, 0.25]]
    """
    return np.column_stack([1.0 - positive, positive])


def hide_unknown(probabilities: Floats, signs: Floats, known: Collection[float]) -> None:
    """Set the probabilities of rounds in which the learner did not know both labels.

    A label that was not known before the round has 0. If only one label was known, it has 1.

    Parameters
    ----------
    probabilities
        The probabilities of the negative and the positive label: a row for each round.
    signs
        The sign of the label of each round.
    known
        The signs of the labels known before the first round.
    """
    if -1.0 in known and 1.0 in known:
        return
    unknown = np.zeros(probabilities.shape, bool)
    for column, sign in enumerate((-1.0, 1.0)):
        met = np.flatnonzero(signs == sign)
        if sign not in known:
            unknown[: met[0] + 1 if met.size else len(signs), column] = True
    probabilities[unknown[:, ::-1]] = 1.0
    probabilities[unknown] = 0.0
