"""The observer of a run that feeds its drift detectors and keeps the alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from driftline.drift import ADWIN, Change, Detector, InputMonitor, LabelShares
from driftline.encode.faults import shortened
from driftline.evaluate.alarm import ERROR, Alarm
from driftline.evaluate.alarms import Alarms
from driftline.internals.rows import FileRows
from driftline.learners import LearnedBlock, Learner
from driftline.learners.state import feature_text, label_of_class, unscaled_rows

MOST_ALARMS = 10_000
"""The most alarms that a run keeps."""
OnAlarm = Callable[[Alarm], object]


class AlarmObserver:
    """Feeds the detectors of a run and keeps its alarms.

    The alarms do not depend on the blocks of the run.

    Parameters
    ----------
    settings
        Which detectors watch the run.
    first
        The number of examples that the learner had learned before the run.
    on_alarm
        A function that is called with each alarm, once its block has been learned.
    """

    name = "alarms"
    wants_probabilities = False

    def __init__(self, settings: Alarms, first: int = 0, on_alarm: OnAlarm | None = None) -> None:
        self.alarms: list[Alarm] = []
        self._settings = settings
        self._first = first
        self._on_alarm = on_alarm
        self._error: Detector | None
        self._shares: LabelShares | None
        self._error, self._inputs, self._shares = settings.detectors()
        self._seen = 0

    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """Watch a learned block, then call ``on_alarm`` for each alarm in it.

        Parameters
        ----------
        learned, X, learner
            The record of the block, its rows, and the learner.
        """
        found = sorted(self._found(learned, X, learner), key=lambda one: one[2].at)
        start = learned.start - self._first
        alarms = []
        for what, measure, change in found:
            row = change.at - self._seen - 1
            examples = start + row + 1
            since = max(0, examples - (change.at - change.since))
            times = examples, since, _seconds(X, row)
            alarms.append(Alarm(what, measure, self._detector(what), *times, change.before, change.after))
        self._seen += len(learned)
        self.alarms += alarms[: MOST_ALARMS - len(self.alarms)]
        if self._on_alarm is not None:
            for alarm in alarms:
                self._on_alarm(alarm)

    def _detector(self, what: str) -> str:
        """The name of the detector that watches this."""
        return type(self._error).__name__ if what == ERROR else ADWIN.__name__

    def _found(self, learned: LearnedBlock, X: Any, learner: Learner) -> Iterator[tuple[str, str, Change]]:
        """What changed, the measure in words, and the change."""
        if self._error is not None:
            for change in self._error.changes(learned.wrong):
                yield ERROR, "the error", change
        if self._inputs is not None:
            for one in self._inputs.add(unscaled_rows(learner, X)):
                what = f"input {feature_text(learner, one.feature)}"
                yield what, one.share, Change(one.at, one.since, one.before, one.after)
        if self._shares is not None:
            for number, change in self._shares.update_many(_classes(learned)):
                what = f"share of label {shortened(label_of_class(learner, number))}"
                yield what, f"the {what}", change

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""
        meta: dict[str, Any] = {"seen": self._seen, "alarms": [one.state() for one in self.alarms]}
        meta["error"] = None if self._error is None else self._error.state()
        arrays: dict[str, np.ndarray] = {}
        for name, part in self._parts():
            meta[name], own = part.state()
            arrays |= {f"{name} {one}": array for one, array in own.items()}
        return meta, arrays

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state; ValueError if the detectors of this run cannot have it.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned.
        """
        keys = {"seen", "alarms", "error", *(name for name, _ in self._parts())}
        if meta.keys() != keys or (meta["error"] is None) != (self._error is None):
            raise ValueError("alarms must be those of the same detectors. Resume with the same options as before")
        seen = meta["seen"]
        if type(seen) is not int or not 0 <= seen < 1 << 53 or not isinstance(meta["alarms"], list):
            raise ValueError("alarms must have a number of examples")
        known = {f"{name} {one}" for name, part in self._parts() for one in part.state()[1]}
        if arrays.keys() != known or len(meta["alarms"]) > MOST_ALARMS:
            raise ValueError("alarms must have the arrays of their detectors")
        alarms = [Alarm.from_state(values) for values in meta["alarms"]]
        if any(later.examples < earlier.examples for earlier, later in pairwise(alarms)):
            raise ValueError("alarms must be in order")
        if self._error is not None:
            self._error.restore(meta["error"])
        for name, part in self._parts():
            own = {one.removeprefix(f"{name} "): array for one, array in arrays.items() if one.startswith(f"{name} ")}
            part.restore(meta[name], own)
        watching = [part.n_seen for _, part in self._parts()] + ([] if self._error is None else [self._error.n_seen])
        if any(one != seen for one in watching):
            raise ValueError("alarms must come from detectors that have seen the same examples")
        self._seen, self.alarms = seen, alarms

    def _parts(self) -> list[tuple[str, InputMonitor | LabelShares]]:
        """The monitors of several windows, by name."""
        parts: list[tuple[str, InputMonitor | LabelShares | None]] = [
            ("inputs", self._inputs),
            ("shares", self._shares),
        ]
        return [(name, part) for name, part in parts if part is not None]


def _classes(learned: LearnedBlock) -> np.ndarray:
    """The class numbers of the labels, in the order in which the learner met them."""
    return learned.y != learned.first_sign if learned.classes is None else learned.classes


def _seconds(X: Any, row: int) -> float | None:
    """The time of a row in seconds since 1970; None if it is not known."""
    if not isinstance(X, FileRows) or X.times is None or np.isnan(X.times[row]):
        return None
    return float(X.times[row])
