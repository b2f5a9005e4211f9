"""The recent rounds of a learner of several classes, from which its probabilities are computed.

As ``recent_rounds``, with the scores of all classes: the loops of the engines write them. The more
classes, the fewer rounds are kept, so that memory is bounded.

Round n is at place n % room of the arrays: its class and the number of classes known before it in
``rounds``, the scores of these classes in ``scores``. ``count[0]`` is the number of rounds so far.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np

from driftline.engines.array_checks import MOST, of_shape, only
from driftline.engines.calibration.class_calibrator import (
    FIRST,
    MIXED,
    NEXT,
    SIZE,
    ClassCalibrator,
    learn,
    new_calibrator,
    probability,
    restart,
)
from driftline.engines.calibration.mixture import STAYS
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.writable import writable

LARGEST_STRIDE, SMALLEST_STRIDE = 512, 32
NUMBERS = 1 << 16
"""The recent scores are at most so many numbers, unless that is less than 64 rounds."""
FIRST_ROOM = 16
ROUND = 2  # numbers of a round: its class, and the classes known before it


@inlined
def stride_of(classes: int) -> int:
    """The calibrator starts at a multiple of this number, at least so many rounds ago."""
    stride = LARGEST_STRIDE
    while stride > SMALLEST_STRIDE and 2 * stride * classes > NUMBERS:
        stride //= 2
    return stride


@inlined
def start_of(rounds: int, classes: int) -> int:
    """The first round that the calibrator learns, after this number of rounds."""
    stride = stride_of(classes)
    return max(0, rounds // stride - 1) * stride


@inlined
def put(count: Floats, rounds: Floats, scores: Floats, own: Floats, known: int, y: int) -> None:
    """Remember one round, with the scores ``own`` of the classes known before it.

    Without room nothing is remembered.
    """
    if len(rounds) > 0:
        at = int(count[0]) % len(rounds)
        rounds[at, 0], rounds[at, 1] = y, known
        for r in range(known):
            scores[at, r] = own[r]
        count[0] += 1.0


@jit
def catch_up(c: Floats, counts: Floats, work: Floats, count: Floats, rounds: Floats, scores: Floats) -> None:
    """Let the calibrator learn all rounds that it has to learn."""
    last, room = int(count[0]), len(rounds)
    first = start_of(last, counts.shape[1])
    if c[FIRST] != first or c[NEXT] > last:
        restart(c, counts)
        c[FIRST] = c[NEXT] = first
    for n in range(int(c[NEXT]), last):
        at = n % room
        learn(c, counts, work, scores[at], int(rounds[at, 1]), int(rounds[at, 0]))
    c[NEXT] = last


@jit
def probability_rows(
    calibrator: ClassCalibrator, count: Floats, rounds: Floats, scores: Floats, given: Floats, found: Floats
) -> None:
    """The probability of each class, for each row of scores."""
    c, counts, work = calibrator
    catch_up(c, counts, work, count, rounds, scores)
    for i in range(len(given)):
        probability(c, counts, work, given[i], given.shape[1], found[i])


@jit
def probabilities_before(
    count: Floats, rounds: Floats, scores: Floats, given: Floats, known: Floats, labels: Floats, found: Floats
) -> None:
    """The probability of each class before each round of a block.

    The arrays of recent rounds are those before the block, with room for all; they are changed. A
    label of -1 is not learned. Without a round so far, the result is NaN.
    """
    classes = 0
    c, counts, work = np.zeros(SIZE), np.zeros((len(STAYS), 0)), np.zeros((MIXED + 1, 0))
    for i in range(len(given)):
        if known[i] > classes:
            classes = int(known[i])
            c, counts, work = np.zeros(SIZE), np.zeros((len(STAYS), classes)), np.zeros((MIXED + 1, classes))
            restart(c, counts)
        if classes > 0 and count[0] > 0.0:
            catch_up(c, counts, work, count, rounds, scores)
            probability(c, counts, work, given[i], classes, found[i])
        else:
            found[i, :classes] = np.nan
        if labels[i] >= 0.0:
            put(count, rounds, scores, given[i], classes, int(labels[i]))


class RecentScores:
    """The recent rounds of several classes, and the calibrator that has learned them."""

    def __init__(self) -> None:
        self.count = np.zeros(1)
        self.rounds = np.zeros((0, ROUND))
        self.scores = np.zeros((0, 0))
        self._calibrator: ClassCalibrator | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"count": self.count, "rounds": self.rounds, "scores": self.scores}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(writable(state))
        self._calibrator = None

    def copy(self) -> Self:
        """A copy without the calibrator."""
        return deepcopy(self)

    @property
    def buffers(self) -> tuple[Floats, Floats, Floats]:
        """The arrays that the loop of an engine fills."""
        return self.count, self.rounds, self.scores

    def make_room(self, more: int, classes: int) -> None:
        """Make room for ``more`` rounds of this number of classes, as far as they are kept."""
        room, width = self.scores.shape
        needed = min(2 * stride_of(classes), int(self.count[0]) + more)
        if classes <= width and needed <= room:
            return
        most = 2 * stride_of(classes)
        self._lay_out(min(most, max(FIRST_ROOM, needed, min(most, 2 * room))), max(classes, width))

    def _lay_out(self, room: int, width: int) -> None:
        """Move the last rounds to arrays of this room and width."""
        rounds, scores = np.zeros((room, ROUND)), np.zeros((room, width))
        last, had = int(self.count[0]), len(self.rounds)
        if had:
            kept = np.arange(max(0, last - min(room, had)), last)
            rounds[kept % room] = self.rounds[kept % had]
            scores[kept % room, : self.scores.shape[1]] = self.scores[kept % had]
        self.rounds, self.scores = rounds, scores

    # probabilities ----------------------------------------------------------------------------------------------
    def probabilities(self, scores: Floats) -> Floats:
        """The probability of each class for each row of scores, after at least one round."""
        classes = scores.shape[1]
        if self._calibrator is None or self._calibrator.counts.shape[1] != classes:
            self._calibrator = new_calibrator(classes)
        found = np.empty(scores.shape)
        if classes > 0:
            probability_rows(self._calibrator, *self.buffers, np.ascontiguousarray(scores), found)
        return found

    def probabilities_before(self, scores: Floats, known: Floats, labels: Floats, found: Floats) -> None:
        """Write the probability of each class before each round of a block, if known then.

        Parameters
        ----------
        scores
            The scores of each round before it was learned: a column for each class.
        known
            The number of classes known before each round.
        labels
            The class of each round; -1 if it is not learned.
        found
            A row for each round and a column for each class. It is NaN before the first round that
            was ever learned, and unchanged for classes that were not known.
        """
        before = self.copy()
        before._lay_out(2 * LARGEST_STRIDE, max(scores.shape[1], self.scores.shape[1]))
        probabilities_before(*before.buffers, scores, known, labels, found)

    # saving and restoring ---------------------------------------------------------------------------------------
    def arrays(self, classes: int) -> dict[str, np.ndarray]:
        """The rounds from which the probabilities follow; none before the first round."""
        last = int(self.count[0])
        if last == 0:
            return {}
        places = np.arange(start_of(last, classes), last) % len(self.rounds)
        rounds = self.rounds[places]
        known = np.arange(classes) < rounds[:, 1:]
        return {
            "recent_rounds": np.array([last]),
            "recent_scores": np.where(known, self.scores[places][:, :classes], 0.0),
            "recent_classes": rounds.astype(np.int64),
        }

    def restore(self, arrays: dict[str, np.ndarray], classes: int) -> None:
        """Take over the rounds of ``arrays``; ValueError if no learner can have them."""
        if not arrays:
            return
        only(arrays, "recent_rounds", "recent_scores", "recent_classes")
        last = int(of_shape(arrays, "recent_rounds", "int64", (1,))[0])
        if not 0 < last <= MOST:
            raise ValueError(f"recent_rounds {last}")
        size = last - start_of(last, classes)
        scores = of_shape(arrays, "recent_scores", "float64", (size, classes))
        rounds = of_shape(arrays, "recent_classes", "int64", (size, ROUND))
        labels, known = rounds.T
        if not ((labels >= 0) & (labels < classes) & (known >= 0) & (known <= classes)).all():
            raise ValueError("recent_classes of unknown classes")
        if not ((labels <= known) & (np.diff(known, prepend=0) >= 0)).all():
            raise ValueError("recent_classes that no learner meets")
        self.count[0] = last
        room = min(2 * stride_of(classes), max(FIRST_ROOM, size))
        self.rounds, self.scores = np.zeros((room, ROUND)), np.zeros((room, classes))
        places = np.arange(last - size, last) % room
        self.rounds[places], self.scores[places] = rounds, scores
