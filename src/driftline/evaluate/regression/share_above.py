"""Watch numbers of any size: a detector watches the share of them above a threshold.

The threshold is the median of the first 500 numbers. If the numbers are independent draws from one
distribution, so are the zeros and ones after it, and the detector keeps its promise on false alarms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.drift import Change, Detector
from driftline.internals.compiled import Floats

FIRST = 500
"""The numbers that give the threshold."""
LARGEST = 1e300
"""Larger numbers, and what is not a number, count as this one."""


class ShareAbove:
    """The share of numbers above the median of the first ones, watched by a detector.

    Parameters
    ----------
    detector
        A new detector.
    """

    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self._first: list[float] = []

    @property
    def n_seen(self) -> int:
        """The number of numbers so far."""
        return len(self._first) + self.detector.n_seen

    @property
    def threshold(self) -> float:
        """The median of the first numbers."""
        return float(np.median(self._first))

    def changes(self, values: Floats) -> list[Change]:
        """Add numbers; return a change for each alarm, with positions among all numbers so far.

        Parameters
        ----------
        values
            The numbers.
        """
        known = np.nan_to_num(values, nan=LARGEST, posinf=LARGEST, neginf=-LARGEST)
        missing = min(len(known), FIRST - len(self._first))
        self._first += known[:missing].tolist()
        if len(known) == missing:
            return []
        found = self.detector.changes(known[missing:] > self.threshold)
        return [one._replace(at=one.at + FIRST, since=one.since + FIRST) for one in found]

    def state(self) -> dict[str, Any]:
        """The state as plain values for JSON."""
        return {"first": list(self._first), "detector": self.detector.state()}

    def restore(self, state: Any) -> None:
        """Take over a state; ValueError if no numbers can lead to it.

        Parameters
        ----------
        state
            What ``state`` returned.
        """
        if not isinstance(state, dict) or state.keys() != {"first", "detector"}:
            raise ValueError("a share must have the first numbers and a detector")
        first = state["first"]
        numbers = isinstance(first, list) and all(type(one) is float and abs(one) <= LARGEST for one in first)
        if not numbers or len(first) > FIRST:
            raise ValueError(f"a share must have at most {FIRST} first numbers")
        self.detector.restore(state["detector"])
        if self.detector.n_seen and len(first) < FIRST:
            raise ValueError(f"a share must have {FIRST} first numbers")
        self._first = list(first)
