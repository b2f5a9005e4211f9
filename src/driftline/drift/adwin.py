"""ADWIN: a window that grows while its mean is constant, and an alarm when it is not.

After every ``every`` values, each cut of the window between two buckets is tested: is the mean of
the newer values different from the mean of the older ones? The test is that of ``window.py``. All
cuts of a check together have the level every * delta, so that on average

    false alarms <= delta per value.

Bifet, Gavalda. Learning from time-changing data with adaptive windowing. SDM (2007), section 3.
Differs from the paper: the cut is tested with the likelihood ratio, for which a bound holds at any
sample size, in place of a normal approximation with an estimated variance; delta is per value, not
per check; the smallest bucket has ``every`` values; after an alarm the window is empty; by default
only a rise is an alarm, and a fall removes the older part of the window.
"""

from __future__ import annotations

import numpy as np

from driftline.drift import window
from driftline.drift.detector import Detector, check_delta
from driftline.internals.compiled import Floats
from driftline.internals.require import one_of, whole

DIRECTIONS = ("up", "both")
MOST_EVERY = 1 << 16


class ADWIN(Detector):
    """Alarm when the mean of the values in a window of adaptive length changes.

    Use it for the error of a classifier (the values are 0 or 1), or for any numbers in [0, 1]. It
    finds abrupt and gradual changes and needs no baseline. The memory is constant, and so is the
    time per value, apart from a factor that grows with the logarithm of the number of values.

    If the values have the same mean, given the values before them, then the probability of an alarm
    within n values is at most n * delta. With the default there is at most one false alarm in a
    million values on average. Values that depend on each other may have more.

    Parameters
    ----------
    delta : float, default=1e-6
        The false alarms per value: > 0, at most 0.01.
    every : int, default=32
        The number of values between two checks, from 1 to 65,536. An alarm comes at a check.
    direction : {"up", "both"}, default="up"
        Whether only a rise of the mean is an alarm, or any change. With "up", the detector adapts to
        a lower mean without an alarm.

    Examples
    --------
    >>> detector = ADWIN()
    >>> detector.update_many([0, 0, 0, 0, 1] * 400 + [0, 1] * 1000)
    array([2111])
    >>> detector.last.since, round(detector.last.before, 2), round(detector.last.after, 2)
    (1984, 0.2, 0.47)
    """

    def __init__(self, delta: float = 1e-6, every: int = 32, direction: str = "up") -> None:
        check_delta("ADWIN", delta)
        whole("ADWIN", "every", every, 1, MOST_EVERY)
        one_of("ADWIN", "direction", direction, DIRECTIONS)
        self.parameters = {"delta": float(delta), "every": int(every), "direction": direction}
        self._every = int(every)
        self._upward = direction == "up"
        self._limits = window.thresholds(min(1.0, every * delta))
        super().__init__()

    @property
    def _gap(self) -> int:
        return self._every

    def _fresh(self) -> Floats:
        return np.zeros(window.SIZE)

    def _add(self, values: Floats, found: Floats) -> int:
        return window.add_many(self._vector, values, self._every, self._limits, self._upward, found)

    def _check(self, vector: Floats) -> None:
        window.check_window(vector, self._every)
