"""The record of a detected change."""

from __future__ import annotations

from typing import NamedTuple

from driftline.internals.compiled import Floats


class Change(NamedTuple):
    """A change of the mean, as a detector found it.

    Attributes
    ----------
    at
        The number of values that the detector had seen at the alarm, since it was created.
    since
        The number of values before the change: the estimated moment at which the mean changed.
    before, after
        The mean before and after that moment.
    """

    at: int
    since: int
    before: float
    after: float

    @classmethod
    def of(cls, row: Floats) -> Change:
        """The change that compiled code wrote as a row of numbers."""
        return cls(int(row[0]), int(row[1]), float(row[2]), float(row[3]))
