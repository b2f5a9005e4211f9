"""The values of the column by which a run is sliced, as group numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np

from driftline.engines.metrics.class_counts import Counts
from driftline.internals.rows import FileRows

MOST_VALUES = 50
"""The most values of a column that are groups of their own."""
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:")
MISSING, OTHERS = "(missing)", "(others)"


class Slices:
    """The values of a column, in the order in which they appear, and their group numbers.

    Values beyond the first 50 share the group "(others)".

    Parameters
    ----------
    column
        The name of the column, or its number for arrays and sparse matrices.
    """

    def __init__(self, column: str | int) -> None:
        self.column = column
        self.values: dict[str, int] = {}

    def groups(self, X: Any) -> Counts:
        """The group number of each row."""
        cells = cells_of(X, self.column)
        found = np.empty(len(cells), np.int64)
        for row, cell in enumerate(cells):
            text = _text(cell, self.column)
            number = self.values.get(text)
            if number is None:
                own = len(self.values) - (OTHERS in self.values) < MOST_VALUES
                number = self.values.setdefault(text if own else OTHERS, len(self.values))
            found[row] = number
        return found


def cells_of(X: Any, column: str | int) -> Sequence[Any]:
    """The cells of a column, one for each row of a block; None where a dict has none."""
    if isinstance(X, FileRows):
        if X.kept is None or column not in X.kept:
            raise _unknown(column, "the columns that the stream passes on", list(X.kept or ()))
        cells: Sequence[Any] = X.kept[str(column)]
        return cells
    if isinstance(X, list):
        if not X or isinstance(X[0], Mapping):
            return [x.get(column) for x in X]
        return [_at(x, column) for x in X]
    if hasattr(type(X), "tocsr"):
        number = _number(column, X.shape[1])
        return [_entry(X, row, number) for row in range(X.shape[0])]
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    if names:
        if column not in names:
            raise _unknown(column, "one of the columns", names)
        own = X[column]
        return own.to_pylist() if hasattr(own, "to_pylist") else list(own)
    return list(np.asarray(X)[:, _number(column, X.shape[1])].tolist())


def _at(x: Any, column: str | int) -> Any:
    """The cell of one example that is an array or a Series."""
    if isinstance(column, str):
        return x[column] if hasattr(x, "index") and column in x.index else None
    return x[_number(column, len(x))]


def _entry(X: Any, row: int, column: int) -> float:
    """An entry of a sparse matrix; duplicate entries are added up."""
    part = slice(int(X.indptr[row]), int(X.indptr[row + 1]))
    return float(X.data[part][X.indices[part] == column].sum())


def _number(column: str | int, width: int) -> int:
    whole = isinstance(column, int) and not isinstance(column, bool)
    if not whole or not 0 <= int(column) < width:
        raise ValueError(
            f"run: slice must be a column number from 0 to {width - 1} for an array, got {column!r}. "
            "Pass a frame or dicts to slice by name"
        )
    return int(column)


def _unknown(column: str | int, what: str, names: list[Any]) -> ValueError:
    shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    return ValueError(f"run: slice must be {what} {shown or '(none)'}, got {column!r}. Check its spelling")


def _text(cell: Any, column: str | int) -> str:
    """A cell as the name of its slice."""
    if isinstance(cell, str) and not TIME.match(cell):
        return cell or MISSING
    if isinstance(cell, str | date | time | timedelta | np.datetime64 | np.timedelta64):
        raise ValueError(
            f"run: slice must be a column of strings, booleans or numbers, got the time {cell} in {column!r}. "
            "Add a column with the day or the hour"
        )
    if hasattr(cell, "item"):
        cell = cell.item()
    if cell is None or _differs_from_itself(cell):
        return MISSING
    if isinstance(cell, float) and cell.is_integer() and math.isfinite(cell):
        return str(int(cell))
    if isinstance(cell, bool | int | float):
        return str(cell)
    raise ValueError(
        f"run: slice must be a column of strings, booleans or numbers, got {type(cell).__name__} in {column!r}. "
        "Convert it to strings"
    )


def _differs_from_itself(cell: Any) -> bool:
    """Whether a cell is NaN, NaT or NA."""
    try:
        return bool(cell != cell)
    except TypeError:  # pandas.NA has no truth value
        return True
