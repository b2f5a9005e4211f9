"""Check that the times of a file's rows do not decrease."""

from __future__ import annotations

import numpy as np

from driftline.streams.files.faults import excerpt
from driftline.streams.files.scan.cells import Cells, Numbers


class Clock:
    """Keeps the latest time so far.

    Numbers are compared by value, strings (dates such as 2024-03-01) lexicographically.
    """

    def __init__(self) -> None:
        self._latest: list[float] | list[str] = []

    def backwards(self, cells: Cells) -> dict[int, str]:
        """Return the cells earlier than the latest time, each with a text of both times."""
        if isinstance(cells, Numbers):
            present = np.flatnonzero(~np.isnan(cells.values))
            times = cells.values[present]
        else:
            present = np.flatnonzero(cells.codes >= 0)
            times = np.array(cells.distinct, object)[cells.codes[present]]
        if not len(times):
            return {}
        first = self._latest or [times[0]]
        latest = np.maximum.accumulate(np.concatenate([np.array(first, times.dtype), times]))
        self._latest = latest[-1:].tolist()
        back = np.flatnonzero(times < latest[:-1])
        return {int(present[k]): f"{_shown(times[k])} after {_shown(latest[k])}" for k in back.tolist()}


def _shown(time: float | str) -> str:
    return excerpt(time) if isinstance(time, str) else f"{time:.17g}"
