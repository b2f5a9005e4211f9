"""Read pandas, polars and Arrow tables as columns, without importing any of these packages.

Attributes are looked up on the type, not on the object: on the object, a lazy frame would start to
compute, and a column could have the attribute's name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.arrays import NUMBERS
from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats

READABLE = NUMBERS + "OUT"  # numbers, objects, strings
TIMES = "M"
TIME_REMEDY = "Turn it into numbers, or read the frame with driftline.streams.read(frame, time={!r})"


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas or polars frame or an Arrow table."""
    kind = type(X)
    readable = hasattr(kind, "to_dict") or hasattr(kind, "to_pydict")
    return readable and hasattr(kind, "columns") and hasattr(kind, "shape")


def is_series(x: Any) -> bool:
    """Return whether x is a pandas Series."""
    kind = type(x)
    return hasattr(kind, "to_dict") and hasattr(kind, "index") and getattr(x, "ndim", 0) == 1


def named_values(where: str, x: Any) -> dict[Any, Any]:
    """Return a pandas Series as a dict."""
    if not x.index.is_unique:
        twice = x.index[x.index.duplicated()][0]
        raise ValueError(f"{where}: a Series must have different names, got {twice!r} twice. Rename one of them")
    return dict(x.to_dict())


def columns_of(where: str, X: Any) -> dict[Any, np.ndarray]:
    """Return a dict from column names to values: numeric arrays, or object arrays for the rest."""
    names = list(X.column_names if hasattr(type(X), "column_names") else X.columns)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"{where}: a frame's columns must have different names, got {twice!r} twice. Rename one of them"
        )
    return {name: _column(where, X, name) for name in names}


def _column(where: str, X: Any, name: Any) -> np.ndarray:
    is_time = False
    try:
        column, is_time = _values(X[name])
        got = shortened(column)
    except Exception as error:
        column, got = np.empty(0, np.void), str(error)
    if is_time or column.dtype.kind not in READABLE or column.ndim != 1:
        remedy = TIME_REMEDY.format(name) if is_time else "Turn it into numbers, or drop it"
        raise ValueError(f"{where}: column {name!r} must hold numbers, bools or strings, got {got}. {remedy}")
    return column


def _values(column: Any) -> tuple[np.ndarray, bool]:
    """Return a column as an array, and whether it holds times; missing numbers become NaN."""
    kind = type(column)
    if hasattr(kind, "type") and hasattr(type(column.type), "value_type"):
        column = column.cast(column.type.value_type)  # numpy would ignore the nulls of an Arrow dictionary
    values = np.asarray(column)
    declared = getattr(column.dtype, "kind", "O") if hasattr(kind, "dtype") else "O"
    if values.dtype.kind == "O" and declared in NUMBERS:  # a nullable column of pandas
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values, declared in TIMES or values.dtype.kind in TIMES


def numeric(columns: dict[Any, np.ndarray]) -> bool:
    """Return whether every column holds numbers or bools."""
    return all(column.dtype.kind in NUMBERS for column in columns.values())


def table(columns: dict[Any, np.ndarray], rows: int) -> Floats:
    """Return numeric columns as one 2-d array."""
    values = np.empty((rows, len(columns)))
    with np.errstate(over="ignore"):  # a number out of range becomes infinite, rejected later
        for k, column in enumerate(columns.values()):
            values[:, k] = column
    return values


def records(columns: dict[Any, np.ndarray], rows: int) -> list[dict[Any, Any]]:
    """Return one dict per row."""
    if not columns:
        return [{} for _ in range(rows)]
    lists = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
