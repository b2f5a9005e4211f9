"""The scoreboard of a contender: counts since it was added, counts over time, and the last rounds."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import log
from operator import attrgetter

import msgspec
import numpy as np

from driftline.internals.compiled import Floats
from driftline.serve.log.events import Answer, TwoLabelAnswers
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
        start, size = 0, len(ats)
        while start < size:  # times never decrease, so a bucket is a slice
            number = ats[start] // BUCKET_SECONDS
            stop = size if ats[-1] // BUCKET_SECONDS == number else start + 1
            while stop < size and ats[stop] // BUCKET_SECONDS == number:
                stop += 1
            self._judge_bucket(answers[start:stop], ys[start:stop], ats[start])
            start = stop

    def _judge_bucket(self, answers: Sequence[Answer], ys: Sequence[Label], at: float) -> None:
        """``judge_many`` for times of one bucket."""
        if self.regresses:
            self._add(at, ys, [abs(one.score - y) for one, y in zip(answers, ys, strict=True)])  # type: ignore[operator]
            return
        said = [*map(LABEL, answers)]
        self._add(at, ys, [one.shares.get(y, 0.0) for one, y in zip(answers, ys, strict=True) if one.shares], said)

    def judge_columns(
        self, answers: TwoLabelAnswers, ys: Sequence[Label], at: float, rounds: Callable[[], list[Round]]
    ) -> None:
        """``judge_many`` for one time, and answers in columns."""
        self._read_later(len(ys), rounds)
        no, yes = answers.negative, answers.positive
        scores, shares = (np.frombuffer(column, "<f8") for column in (answers.scores, answers.shares))
        said = [yes if positive else no for positive in (scores >= 0.0).tolist()]
        chances = np.where([y == yes for y in ys], shares, 1.0 - shares)
        self._add(at, ys, chances.tolist(), said)

    def _add(
        self,
        at: float,
        ys: Sequence[Label],
        found: Sequence[float],
        said: Sequence[Label | None] | None = None,
    ) -> None:
        """Add rounds of one bucket.

        Parameters
        ----------
        at, ys
            The time of the first one, and the labels.
        found
            The absolute errors of a regressor, or the probabilities that a classifier gave to the
            labels; rounds without probabilities are left out.
        said
            The predicted labels of a classifier.
        """
        bucket, classes = self._bucket(at)
        both = (self.total, bucket)
        for tally in both:
            tally.labelled += len(ys)
        if said is None:
            for tally in both:
                tally.loss = added(tally.loss, found)
            return
        pairs = Counter(zip(ys, said, strict=True))
        for pair, n in pairs.items():
            classes[pair[0]] = classes.get(pair[0], 0) + n
            self.confusion[pair] = self.confusion.get(pair, 0) + n
        errors = sum(n for (y, predicted), n in pairs.items() if y != predicted)
        if found and min(found) <= SMALLEST_SHARE:
            found = [p if p > SMALLEST_SHARE else SMALLEST_SHARE for p in found]
        losses = -np.fromiter(map(log, found), np.float64, len(found))
        for tally in both:
            tally.errors += errors
            tally.log_loss = added(tally.log_loss, losses)
            tally.judged += len(losses)

    def _read_later(self, size: int, rounds: Callable[[], list[Round]]) -> None:
        """Add rounds that are not made yet, and drop those that have left the window."""
        unread, room = self._unread, self._window.maxlen or 0
        unread.append((size, rounds))
        later = sum(n for n, _ in unread)
        if later >= room:
            self._window.clear()
        while unread and later - unread[0][0] >= room:
            later -= unread.popleft()[0]

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


def _copied(buckets: deque[Bucket]) -> list[tuple[Tally, list[tuple[Label, int]]]]:
    return [(msgspec.structs.replace(tally), list(classes.items())) for tally, classes in buckets]


def added(start: float, values: Sequence[float] | Floats) -> float:
    """The values added to ``start`` one after the other, as a loop does it.

    >>> added(1.0, [0.1, 0.2]) == 1.0 + 0.1 + 0.2
    True
    """
    return float(np.add.accumulate(np.concatenate(([start], values)))[-1])
