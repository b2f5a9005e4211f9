"""Frames and tables as columns: pandas, polars and Arrow, recognised without importing any of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars frame or an Arrow table."""
    return hasattr(X, "columns") and hasattr(X, "shape") and (hasattr(X, "to_dict") or hasattr(X, "to_pydict"))


def columns_of(X: Any) -> dict[Any, np.ndarray]:
    """Name to values; numbers and bools as an array of theirs, anything else as objects."""
    if hasattr(X, "column_names"):
        names = X.column_names
        columns = [X.column(name).to_numpy() for name in names]
    else:
        names = list(X.columns)
        columns = [X[name].to_numpy() for name in names]
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(f"a frame's columns must have different names, got {twice!r} twice. Rename one of them")
    return dict(zip(names, columns, strict=True))


def numeric(columns: dict[Any, np.ndarray]) -> bool:
    """Whether every column holds numbers or bools."""
    return all(column.dtype.kind in "biuf" for column in columns.values())


def records(columns: dict[Any, np.ndarray]) -> list[dict[Any, Any]]:
    """One dict a row."""
    lists = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
