"""Alarms on the labels: the share of a class has changed.

Each of the first MOST classes has a window of ``ADWIN`` on the zeros and ones that say whether an
example has this class, with alarms in both directions. The level delta is divided among them. A class
that has not appeared yet has only zeros: they are kept in one window, which is copied when the class
appears. After an alarm all windows are empty. Of two classes only the rarer one is reported, since
the other one mirrors it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from driftline.drift import window
from driftline.drift.change import Change
from driftline.drift.detector import check_delta
from driftline.drift.window import COLUMNS, PENDING, PENDING_SUM, SEEN, close, forget_before
from driftline.internals.compiled import Floats, jit
from driftline.internals.require import whole

MOST = 16
CLASS, WIDTH = COLUMNS, COLUMNS + 1


@jit
def watch(
    classes: npt.NDArray[np.int64], known: int, windows: Floats, every: int, limits: Floats, changes: Floats
) -> tuple[int, int]:
    """Add classes to the windows; return the number of changes, and of classes that have appeared."""
    found = 0
    for i in range(classes.size):
        while known <= min(classes[i], MOST - 1):
            windows[known] = windows[MOST]
            known += 1
        for k in range(known + 1):
            which = k if k < known else MOST
            windows[which, SEEN] += 1.0
            windows[which, PENDING] += 1.0
            windows[which, PENDING_SUM] += 1.0 if classes[i] == k and k < known else 0.0
        if windows[MOST, PENDING] < every:
            continue
        before = found
        for k in range(known + 1):
            which = k if k < known else MOST
            if close(windows[which], every, limits, False, changes[found]):
                changes[found, CLASS] = which
                found += 1
        if found == before:
            continue
        for k in range(MOST + 1):
            forget_before(windows[k], 0)
        if known == 2 and found == before + 2:
            rarer = before + 1
            if changes[before, 2] + changes[before, 3] < changes[rarer, 2] + changes[rarer, 3]:
                rarer = before
            changes[before] = changes[rarer]
            found = before + 1
    return found, known


class LabelShares:
    """Watch the share of each class.

    If the labels are independent draws from one distribution, the probability of an alarm within n
    labels is at most n * delta.

    Parameters
    ----------
    delta : float, default=1e-6
        The false alarms per label, of all classes together: > 0, at most 0.01.
    every : int, default=32
        The number of labels between two checks.
    """

    def __init__(self, delta: float = 1e-6, every: int = 32) -> None:
        check_delta("LabelShares", delta)
        whole("LabelShares", "every", every, 1, 1 << 16)
        self.parameters = {"delta": float(delta), "every": int(every)}
        self._limits = window.thresholds(min(1.0, every * delta / MOST))
        self._windows = np.zeros((MOST + 1, window.SIZE))
        self._known = 0

    @property
    def n_seen(self) -> int:
        """The number of labels so far."""
        return int(self._windows[MOST, SEEN])

    def update_many(self, classes: npt.ArrayLike) -> list[tuple[int, Change]]:
        """Add labels.

        Parameters
        ----------
        classes
            Class numbers, from 0 in the order of appearance.

        Returns
        -------
        list of (int, Change)
            The class and the change of its share, for each alarm.
        """
        numbers = np.ascontiguousarray(classes, np.int64)
        every = int(self.parameters["every"])
        found = np.empty(((MOST + 1) * (len(numbers) // every + 2), WIDTH))
        number, self._known = watch(numbers, self._known, self._windows, every, self._limits, found)
        return [(int(row[CLASS]), Change.of(row)) for row in found[:number]]

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""
        return {"parameters": dict(self.parameters), "known": self._known}, {"windows": self._windows.copy()}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned. ValueError if no object with these parameters can have it.
        """
        if not isinstance(meta, dict) or meta.keys() != {"parameters", "known"} or arrays.keys() != {"windows"}:
            raise ValueError("LabelShares: a state must have parameters, known and windows, got others")
        known, windows = meta["known"], arrays["windows"]
        if meta["parameters"] != self.parameters or type(known) is not int or not 0 <= known <= MOST:
            raise ValueError(f"LabelShares: a state must have the same parameters and 0 to {MOST} classes, got another")
        if windows.shape != self._windows.shape or windows.dtype != np.float64:
            raise ValueError(f"LabelShares: a state must have {MOST + 1} windows, got shape {windows.shape}")
        for one in windows:
            window.check_window(one, int(self.parameters["every"]))
        heads = windows[[*range(known), MOST], SEEN : PENDING + 1]
        if not bool((heads == heads[-1]).all()) or windows[known:MOST].any():
            raise ValueError("LabelShares: all windows of a state must have seen the same labels")
        self._known, self._windows = known, windows.copy()
