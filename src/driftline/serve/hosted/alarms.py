"""Alarms about a rising error. They watch the last rounds and are no part of the state."""

from __future__ import annotations

from itertools import islice

import numpy as np

from driftline.drift import ADWIN, Change
from driftline.evaluate.regression.share_above import ShareAbove
from driftline.serve.hosted.contender import Contender
from driftline.serve.results import Alarm

KEPT = 100


class ErrorWatch:
    """Watches the errors of one contender.

    Parameters
    ----------
    contender
        The contender. The rounds in its window are watched first.
    """

    def __init__(self, contender: Contender) -> None:
        self.contender = contender
        self.alarms: list[Alarm] = []
        self._seen = self._offset = max(0, contender.board.total.labelled - len(contender.board.window))
        self._errors = ADWIN()
        self._large = ShareAbove(ADWIN()) if contender.board.regresses else None

    def look(self, at: float) -> list[Alarm]:
        """Watch the rounds since the last look; return the new alarms.

        Parameters
        ----------
        at
            The time.
        """
        board = self.contender.board
        new = min(board.total.labelled - self._seen, len(board.window))
        if new <= 0:
            return []
        self._offset += board.total.labelled - self._seen - new  # rounds that left the window unseen
        self._seen = board.total.labelled
        rounds = list(islice(reversed(board.window), new))[::-1]
        if self._large is None:
            changes = self._errors.changes([float(said != y) for y, said, _, _ in rounds])
        else:
            changes = self._large.changes(np.array([abs(score - y) for y, _, score, _ in rounds]))  # type: ignore[operator]
        found = [self._alarm(change, at) for change in changes]
        self.alarms = (self.alarms + found)[-KEPT:]
        return found

    def _alarm(self, change: Change, at: float) -> Alarm:
        since, found = self._offset + change.since, self._offset + change.at
        return Alarm(self.contender.name, since, found, change.before, change.after, at)
