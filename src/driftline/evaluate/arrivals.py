"""When the labels of a run arrive: some rows later, or at the times in a column.

Both kinds of delay give each row its own time and the time at which its label arrives. A label is
learned before the first later row whose time is not earlier than the arrival.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import numpy as np

from driftline.encode.faults import shortened
from driftline.evaluate.file_recipe import read_by_recipe
from driftline.internals.record_stream import RecordStream
from driftline.internals.rows import FileRows
from driftline.learners import Learner
from driftline.streams.schema.record_values import float_of
from driftline.streams.schema.times import seconds_of_text

Delay = int | str


class Arrivals(NamedTuple):
    """The times of the rows of a block, the arrival of their labels, and what is wrong with some rows."""

    times: list[float]
    arrivals: list[float]
    faults: dict[int, str]


class RowDelay:
    """The label of row t is learned just before row t + n + 1 is predicted.

    Parameters
    ----------
    n
        The number of rows, at least 1.
    """

    def __init__(self, n: int) -> None:
        self.n = n

    def __str__(self) -> str:
        return f"{self.n:,} rows" if self.n > 1 else "1 row"

    @property
    def plain(self) -> Delay:
        """The delay as the user gave it."""
        return self.n

    def of(self, X: Any, start: int, size: int) -> Arrivals:
        """Times and arrivals are row numbers."""
        first = start + self.n + 1
        return Arrivals(list(range(start, start + size)), list(range(first, first + size)), {})


class ColumnDelay:
    """The label of a row arrives at the time in a column of the stream.

    Parameters
    ----------
    column
        The column of the arrival times.
    time
        The column of the times of the rows.
    """

    def __init__(self, column: str, time: str) -> None:
        self.column = column
        self.time = time

    def __str__(self) -> str:
        return f"the time in column {self.column!r}"

    @property
    def plain(self) -> Delay:
        """The delay as the user gave it."""
        return self.column

    def of(self, X: FileRows, start: int, size: int) -> Arrivals:
        """Times and arrivals are the cells of both columns."""
        assert X.kept is not None
        found = Arrivals([], [], {})
        for row, cells in enumerate(zip(X.kept[self.time], X.kept[self.column], strict=True)):
            time, arrival = map(moment_of, cells)
            if time is None or arrival is None:
                name, cell = (self.time, cells[0]) if time is None else (self.column, cells[1])
                found.faults[row] = f"column {name!r} must be a number or an ISO time, got {shortened(cell)}"
            elif arrival < time:
                found.faults[row] = (
                    f"a label must not arrive before its example, got {self.column!r} {shortened(cells[1])} before "
                    f"{self.time!r} {shortened(cells[0])}. Correct the times, or drop the row"
                )
            found.times.append(time or 0.0)
            found.arrivals.append(arrival or 0.0)
        return found


def delay_of(where: str, delay: Any, stream: Any, learners: Iterable[Learner] = ()) -> RowDelay | ColumnDelay | None:
    """The checked delay of a run; None if labels come at once.

    Parameters
    ----------
    where
        The function that error messages name.
    delay
        A number of rows, or the column of the arrival times.
    stream
        The stream of the run.
    learners
        The learners of the run. The recipe of one of them may name the time column.
    """
    if isinstance(delay, str):
        read_by_recipe(learners, stream)
        return _column_delay(where, delay, stream)
    if isinstance(delay, bool) or not isinstance(delay, int | np.integer) or delay < 0:
        raise ValueError(
            f"{where}: delay must be a whole number of rows >= 0, or the name of a column of arrival times, "
            f"got {shortened(delay)}"
        )
    return RowDelay(int(delay)) if delay else None


def _column_delay(where: str, column: str, stream: Any) -> ColumnDelay:
    """The delay by a column, which the stream must pass through without making it a feature."""
    recipe = stream.recipe if isinstance(stream, RecordStream) else None
    if recipe is None or recipe.time is None:
        raise ValueError(
            f"{where}: a stream must have a time column for delay={column!r}, got "
            f"{'none' if recipe is not None else type(stream).__name__}. Pass dl.streams.read(data, target=..., "
            f"time=TIME, keep=[TIME, {column!r}], drop=[{column!r}])"
        )
    kept = stream.kept
    if missing := [name for name in (recipe.time, column) if name not in kept]:
        raise ValueError(
            f"{where}: a stream must keep its time column and the column of delay={column!r}, got {list(kept)}. "
            f"Pass keep=[{', '.join(map(repr, (*kept, *missing)))}] to dl.streams.read"
        )
    return ColumnDelay(column, recipe.time)


def moment_of(cell: Any) -> float | None:
    """A cell as a number: an ISO time or a date as seconds since 1970, a number as it is; None if it is neither.

    >>> moment_of("1970-01-02"), moment_of("3.5"), moment_of(7), moment_of("soon")
    (86400.0, 3.5, 7.0, None)
    """
    if isinstance(cell, datetime):
        return (cell if cell.tzinfo else cell.replace(tzinfo=UTC)).timestamp()
    if isinstance(cell, date):
        return datetime(cell.year, cell.month, cell.day, tzinfo=UTC).timestamp()
    if isinstance(cell, np.datetime64):
        return None if np.isnat(cell) else float(cell.astype("datetime64[us]").astype(np.int64)) / 1e6
    if isinstance(cell, str):
        seconds = seconds_of_text(cell)
        if seconds is not None:
            return seconds
        try:
            cell = float(cell)
        except ValueError:
            return None
    if cell is None or isinstance(cell, bool):
        return None
    try:
        number = float_of(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None
