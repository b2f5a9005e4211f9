"""The times of a file's rows: check that they do not decrease, and convert them to seconds."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Offsets
from driftline.streams.files.faults import excerpt
from driftline.streams.files.scan.cells import Cells, Numbers
from driftline.streams.schema.kinds import TIME
from driftline.streams.schema.times import dates_of_numbers

NOT_ISO = (
    "These are not ISO 8601 dates such as 2024-03-01, so they are compared letter by letter: "
    "convert the {column}, or leave out --time if the rows are in order"
)


def order_remedy(strings: bool, column: str = "column") -> str:
    """Return what to do about a time that goes backwards. ``strings``: whether times are compared as texts."""
    return NOT_ISO.format(column=column) if strings else f"Sort the file by it, or name another {column}"


class Clock:
    """Keeps the latest time so far.

    Numbers and ISO times are compared by value, other strings lexicographically.
    """

    def __init__(self) -> None:
        self._latest: list[float] | list[str] = []
        self._text = ""

    def backwards(self, cells: Cells) -> dict[int, str]:
        """Return the cells earlier than the latest time, each with a text of both times."""
        present = np.flatnonzero(cells.present)
        if not len(present):
            return {}
        if isinstance(cells, Numbers):
            times = cells.values[present]
        else:
            times = np.array(cells.distinct, object)[cells.codes[present]]
        first = self._latest or [times[0]]
        latest = np.maximum.accumulate(np.concatenate([np.array(first, times.dtype), times]))
        if not self._latest:
            self._text = _shown(cells, int(present[0]))
        later = np.flatnonzero(latest[1:] > latest[:-1])  # cells with a new latest time
        found = {}
        back = np.flatnonzero(times < latest[:-1])
        for k, count in zip(back.tolist(), np.searchsorted(later, back).tolist(), strict=True):
            before = _shown(cells, int(present[later[count - 1]])) if count else self._text
            found[int(present[k])] = f"{_shown(cells, int(present[k]))} after {before}"
        if len(later):
            self._text = _shown(cells, int(present[later[-1]]))
        self._latest = latest[-1:].tolist()
        return found


def row_times(rows: Offsets, kind: str, cells: Cells, size: int) -> Floats:
    """Return the seconds since 1970 of ``size`` rows; NaN where there is no date."""
    found = np.full(size, np.nan)
    if isinstance(cells, Numbers):
        found[rows] = cells.values if kind == TIME else dates_of_numbers(cells.values)
    return found


def _shown(cells: Cells, cell: int) -> str:
    """Return a time as it is written in the file."""
    if not isinstance(cells, Numbers):
        return excerpt(cells.distinct[cells.codes[cell]])
    if cells.written is None:
        return f"{cells.values[cell]:.17g}"
    return excerpt(cells.text(cell))
