"""The observer of a run of a regressor that feeds its drift detectors and keeps the alarms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftline.drift import ADWIN, Change
from driftline.evaluate.alarm import ERROR
from driftline.evaluate.alarm_observer import AlarmObserver, OnAlarm
from driftline.evaluate.alarms import Alarms
from driftline.evaluate.regression.share_above import ShareAbove
from driftline.learners import LearnedBlock, Learner

TARGET = "target"


class RegressionAlarmObserver(AlarmObserver):
    """Watches the absolute errors, the inputs and the targets of a run of a regressor.

    Of errors and targets, the share above the median of the first 500 is watched: a rise of the
    errors, and any change of the targets.

    Parameters
    ----------
    settings, first, on_alarm
        As for ``AlarmObserver``. ``shares`` of the settings stands for the targets.
    """

    def __init__(self, settings: Alarms, first: int = 0, on_alarm: OnAlarm | None = None) -> None:
        super().__init__(settings, first, on_alarm)
        error, _, shares = settings.detectors()
        self._large = None if error is None else ShareAbove(error)
        self._high = None if shares is None else ShareAbove(ADWIN(shares.parameters["delta"], direction="both"))
        self._error = self._shares = None

    def _detector(self, what: str) -> str:
        watched = self._large if what == ERROR else self._high
        return ADWIN.__name__ if watched is None else type(watched.detector).__name__

    def _found(self, learned: LearnedBlock, X: Any, learner: Learner) -> Iterator[tuple[str, str, Change]]:
        """What changed, the measure in words, and the change."""
        if self._large is not None:
            for change in self._large.changes(np.abs(learned.scores - learned.y)):
                yield ERROR, f"the share of absolute errors above {self._large.threshold:.4g}", change
        yield from super()._found(learned, X, learner)
        if self._high is not None:
            for change in self._high.changes(learned.y):
                yield TARGET, f"the share of targets above {self._high.threshold:.4g}", change

    @property
    def _watched(self) -> dict[str, ShareAbove]:
        """What is watched here, by its name in a checkpoint."""
        both = {"large": self._large, "high": self._high}
        return {name: one for name, one in both.items() if one is not None}

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""
        meta, arrays = super().state()
        return meta | {name: one.state() for name, one in self._watched.items()}, arrays

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state; ValueError if the detectors of this run cannot have it.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned.
        """
        if not meta.keys() >= self._watched.keys():
            raise ValueError("alarms must be those of the same detectors. Resume with the same options as before")
        for name, one in self._watched.items():
            one.restore(meta[name])
        super().restore({name: value for name, value in meta.items() if name not in self._watched}, arrays)
        if any(one.n_seen != self._seen for one in self._watched.values()):
            raise ValueError("alarms must come from detectors that have seen the same examples")
