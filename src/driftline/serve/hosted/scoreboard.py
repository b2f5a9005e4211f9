"""The scoreboard of a contender: counts since it was added, counts over time, and the last rounds."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from math import log
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from driftline.internals.compiled import Floats
from driftline.serve.log.answer_columns import UNKNOWN, AnswerColumns
from driftline.serve.log.events import Answer
from driftline.serve.spec import Label

BUCKET_SECONDS, RECENT = 10.0, 360
"""The length of recent buckets, and how many there are: an hour. Older ones are added up."""
OLDER_SECONDS, OLDER = 60.0, 1440
"""The length of older buckets, and how many are kept: a day."""
LATENCIES = 1000
"""The number of label latencies that are kept."""
SMALLEST_SHARE = 1e-15
"""A smaller probability counts as this one in the log loss."""
LABEL = attrgetter("label")

Round = tuple[Label, Label | None, float, dict[Label, float] | None]
"""The label, the predicted label, the score and the probabilities."""


class Tally(msgspec.Struct, array_like=True):
    """Counts and sums of some rounds.

    Attributes
    ----------
    start
        The time at which the tally begins.
    asked
        The number of tickets.
    labelled
        The number of labels.
    errors
        The number of wrong predictions.
    loss
        The sum of the absolute errors of a regressor.
    log_loss, judged
        The sum of the log losses, and the number of rounds with probabilities.
    latency, waited
        The sum of the seconds from prediction to label, and the number of labels of tickets.
    refused
        The number of labels and examples that the learner of a challenger refused.
    """

    start: float = 0.0
    asked: int = 0
    labelled: int = 0
    errors: int = 0
    loss: float = 0.0
    log_loss: float = 0.0
    judged: int = 0
    latency: float = 0.0
    waited: int = 0
    refused: int = 0


SUMS = Tally.__struct_fields__[1:]
Bucket = tuple[Tally, dict[Label, int]]
"""A tally of a span of time, and the number of labels of each class."""


class BoardState(msgspec.Struct, array_like=True):
    """A scoreboard in a snapshot. Labels are in lists, because 1 and True are one key of a dict."""

    total: Tally
    older: list[tuple[Tally, list[tuple[Label, int]]]]
    recent: list[tuple[Tally, list[tuple[Label, int]]]]
    confusion: list[tuple[Label, Label | None, int]]
    window: list[Round]
    latencies: list[float]


class Scoreboard:
    """What became of the predictions of one contender.

    Parameters
    ----------
    window
        The number of labelled rounds that are kept.
    regresses
        Whether the predictions are numbers.
    """

    def __init__(self, window: int, regresses: bool) -> None:
        self.regresses = regresses
        self.total = Tally()
        self.older: deque[Bucket] = deque(maxlen=OLDER)
        self.recent: deque[Bucket] = deque()
        self.confusion: dict[tuple[Label, Label | None], int] = {}
        self._window: deque[Round] = deque(maxlen=window)
        self._unread: deque[tuple[int, Callable[[], list[Round]]]] = deque()
        """The numbers of further rounds, and what makes them."""
        self._later = 0
        """The sum of these numbers."""
        self.latencies: deque[float] = deque(maxlen=LATENCIES)

    def _bucket(self, at: float) -> Bucket:
        """The bucket of a time, which is not before the last one."""
        recent = self.recent
        if not recent or at >= recent[-1][0].start + BUCKET_SECONDS:
            recent.append((Tally(at // BUCKET_SECONDS * BUCKET_SECONDS), {}))
            if len(recent) > RECENT:
                self._add_to_older(*recent.popleft())
        return recent[-1]

    def _add_to_older(self, tally: Tally, classes: dict[Label, int]) -> None:
        """Add a bucket that is no longer recent to the older one of its time."""
        start = tally.start // OLDER_SECONDS * OLDER_SECONDS
        if not self.older or self.older[-1][0].start != start:
            self.older.append((Tally(start), {}))
        sums, counts = self.older[-1]
        for name in SUMS:
            setattr(sums, name, getattr(sums, name) + getattr(tally, name))
        for y, n in classes.items():
            counts[y] = counts.get(y, 0) + n

    def count_asked(self, at: float, size: int = 1) -> None:
        """Count tickets."""
        self.total.asked += size
        self._bucket(at)[0].asked += size

    def count_refused(self, at: float) -> None:
        """Count an example or label that the learner refused."""
        self.total.refused += 1
        self._bucket(at)[0].refused += 1

    def judge(self, answer: Answer, y: Label, at: float, latency: float | None) -> None:
        """Compare an answer with the label.

        Parameters
        ----------
        answer
            What the contender said.
        y
            The label.
        at
            The time of the label.
        latency
            Seconds since the prediction; None for an example and label at once.
        """
        total, (bucket, classes) = self.total, self._bucket(at)
        total.labelled += 1
        bucket.labelled += 1
        if latency is not None:
            self.latencies.append(latency)
            for tally in (total, bucket):
                tally.latency += latency
                tally.waited += 1
        predicted = answer.label
        if self.regresses:
            loss = abs(answer.score - y)  # type: ignore[operator]
            total.loss += loss
            bucket.loss += loss
        else:
            classes[y] = classes.get(y, 0) + 1
            if predicted != y:
                total.errors += 1
                bucket.errors += 1
            pair = (y, predicted)
            self.confusion[pair] = self.confusion.get(pair, 0) + 1
            if answer.shares:
                loss = -log(max(answer.shares.get(y, 0.0), SMALLEST_SHARE))
                for tally in (total, bucket):
                    tally.log_loss += loss
                    tally.judged += 1
        self.window.append((y, predicted, answer.score, answer.shares))

    @property
    def window(self) -> deque[Round]:
        """The last labelled rounds."""
        while self._unread:
            self._window.extend(self._unread.popleft()[1]())
        self._later = 0
        return self._window

    def judge_many(
        self,
        answers: Sequence[Answer],
        ys: Sequence[Label],
        ats: Sequence[float],
        rounds: Callable[[], list[Round]] | None = None,
    ) -> None:
        """``judge`` each answer of examples and labels at once, with the same bits.

        Parameters
        ----------
        answers, ys, ats
            What the contender said, the labels and their times.
        rounds
            Makes the rounds later, if they are still in the window then. Rounds that a replay of a
            long log drops again are never made.
        """
        if rounds is None:
            self.window.extend((y, one.label, one.score, one.shares) for y, one in zip(ys, answers, strict=True))
        else:
            self._read_later(len(ys), rounds)
        for start, stop in _buckets(ats):
            self._judge_bucket(answers[start:stop], ys[start:stop], ats[start])

    def _judge_bucket(self, answers: Sequence[Answer], ys: Sequence[Label], at: float) -> None:
        """``judge_many`` for times of one bucket."""
        if self.regresses:
            losses = [abs(one.score - y) for one, y in zip(answers, ys, strict=True)]  # type: ignore[operator]
            self._add(at, len(ys), losses)
            return
        shares = [one.shares.get(y, 0.0) for one, y in zip(answers, ys, strict=True) if one.shares]
        self._add(at, len(ys), shares, Counter(zip(ys, map(LABEL, answers), strict=True)))

    def judge_columns(
        self, answers: AnswerColumns, ys: Sequence[Label], ats: Sequence[float], rounds: Callable[[], list[Round]]
    ) -> None:
        """``judge_many`` for answers in columns.

        Parameters
        ----------
        answers, ys, ats
            What the contender said, the labels and their times.
        rounds
            Makes the rounds later, as in ``judge_many``.
        """
        self._read_later(len(ys), rounds)
        for start, stop in _buckets(ats):
            whole = stop - start == len(ys)
            part = (answers, ys) if whole else (answers.part(start, stop), ys[start:stop])
            self._judge_columns(*part, ats[start])

    def _judge_columns(self, answers: AnswerColumns, ys: Sequence[Label], at: float) -> None:
        """``judge_columns`` for times of one bucket."""
        labels, said = answers.labels, answers.said
        given = _places(labels, ys)
        shares = np.where(given == 1, answers.shares[1], answers.shares[0])
        if UNKNOWN in given:
            shares[given == UNKNOWN] = 0.0
            counts: Mapping[Any, int] = Counter(zip(ys, [labels[k] for k in said.tolist()], strict=True))
        else:
            pairs = (2 * given + said).tobytes()
            firsts = sorted((pairs.find(pair), pair) for pair in range(4) if pair in pairs)
            counts = {(ys[k], labels[pair % 2]): pairs.count(pair) for k, pair in firsts}
        self._add(at, len(ys), shares, counts)

    def _add(
        self,
        at: float,
        size: int,
        found: Sequence[float] | Floats,
        pairs: Mapping[tuple[Label, Label | None], int] | None = None,
    ) -> None:
        """Add rounds of one bucket.

        Parameters
        ----------
        at, size
            The time of the first one, and their number.
        found
            The absolute errors of a regressor, or the probabilities that a classifier gave to the
            labels; rounds without probabilities are left out.
        pairs
            The numbers of labels and predictions of a classifier, in the order of their first rounds.
        """
        bucket, classes = self._bucket(at)
        both = (self.total, bucket)
        for tally in both:
            tally.labelled += size
        if pairs is None:
            for tally in both:
                tally.loss = added(tally.loss, found)
            return
        for pair, n in pairs.items():
            classes[pair[0]] = classes.get(pair[0], 0) + n
            self.confusion[pair] = self.confusion.get(pair, 0) + n
        errors = sum(n for (y, predicted), n in pairs.items() if y != predicted)
        shares = np.maximum(found, SMALLEST_SHARE).tolist()
        losses = -np.fromiter(map(log, shares), np.float64, len(shares))
        for tally in both:
            tally.errors += errors
            tally.log_loss = added(tally.log_loss, losses)
            tally.judged += len(losses)

    def _read_later(self, size: int, rounds: Callable[[], list[Round]]) -> None:
        """Add rounds that are not made yet, and drop those that have left the window."""
        unread, room = self._unread, self._window.maxlen or 0
        unread.append((size, rounds))
        self._later += size
        if self._later >= room:
            self._window.clear()
        while unread and self._later - unread[0][0] >= room:
            self._later -= unread.popleft()[0]

    # snapshots ---------------------------------------------------------------------------------
    def state(self) -> BoardState:
        """A copy of the state."""
        return BoardState(
            msgspec.structs.replace(self.total),
            _copied(self.older),
            _copied(self.recent),
            [(y, predicted, n) for (y, predicted), n in self.confusion.items()],
            list(self.window),
            list(self.latencies),
        )

    @classmethod
    def of(cls, state: BoardState, window: int, regresses: bool) -> Scoreboard:
        """A scoreboard with the state of a snapshot."""
        board = cls(window, regresses)
        board.total = state.total
        board.older.extend((tally, dict(classes)) for tally, classes in state.older)
        board.recent.extend((tally, dict(classes)) for tally, classes in state.recent)
        board.confusion = {(y, predicted): n for y, predicted, n in state.confusion}
        board.window.extend(state.window)
        board.latencies.extend(state.latencies)
        return board


def _places(labels: tuple[Label, Label], ys: Sequence[Label]) -> NDArray[np.uint8]:
    """For each label its place among two; UNKNOWN if it is another one."""
    if labels in ((False, True), (True, False)) and {*map(type, ys)} == {bool}:
        found = bytes(ys)  # type: ignore[arg-type]
        return np.frombuffer(found, np.uint8) ^ np.uint8(labels[0])
    places = {labels[0]: 0, labels[1]: 1}
    return np.frombuffer(bytes([*map(places.get, ys, repeat(UNKNOWN))]), np.uint8)


def _buckets(ats: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The start and the end of the times of each bucket: times never decrease, so they are a slice."""
    start, size = 0, len(ats)
    while start < size:
        number = ats[start] // BUCKET_SECONDS
        stop = size if ats[-1] // BUCKET_SECONDS == number else start + 1
        while stop < size and ats[stop] // BUCKET_SECONDS == number:
            stop += 1
        yield start, stop
        start = stop


def _copied(buckets: deque[Bucket]) -> list[tuple[Tally, list[tuple[Label, int]]]]:
    return [(msgspec.structs.replace(tally), list(classes.items())) for tally, classes in buckets]


def added(start: float, values: Sequence[float] | Floats) -> float:
    """The values added to ``start`` one after the other, as a loop does it.

    >>> added(1.0, [0.1, 0.2]) == 1.0 + 0.1 + 0.2
    True
    """
    return float(np.add.accumulate(np.concatenate(([start], values)))[-1])
