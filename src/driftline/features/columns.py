"""Columns of examples as cells: the values of a feature, or intervals of them, numbered.

Every distinct value of a column is a cell. A numeric column with more than ``bins`` distinct values
is cut at its quantiles into at most ``bins`` intervals of about equally many examples. A missing
value (NaN or None) is a cell by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftline.encode.arrays import NUMBERS, numbers
from driftline.encode.frames import columns_of, is_frame
from driftline.internals.compiled import Floats
from driftline.internals.require import whole

Labels = np.ndarray
"""The class number of each example."""
BINS = 16


def check_bins(where: str, bins: int | None) -> None:
    """Require a whole number of at least 2, or None."""
    if bins is not None:
        whole(where, "bins", bins, 2)


def classes_of(where: str, y: Any, rows: int) -> tuple[list[Any], Labels]:
    """Return the distinct labels, the largest first if they can be sorted, and the class numbers."""
    array = np.asarray(y)
    if array.ndim != 1 or len(array) != rows:
        raise ValueError(f"{where}: y must have one label for each of the {rows} rows, got shape {array.shape}")
    listed = array.tolist()
    for row, label in enumerate(listed):
        if _is_missing(label):
            raise ValueError(f"{where}: row {row}, a label must be a value, got {label!r}. Drop the row")
        if isinstance(label, float) and not label.is_integer():
            raise ValueError(
                f"{where}: row {row}, a label must be a class, got the fraction {label!r}. "
                "Cut a continuous target into classes, or convert the labels to str"
            )
    try:
        distinct = sorted(set(listed), reverse=True)
    except TypeError:
        distinct = list(dict.fromkeys(listed))
    number = {label: k for k, label in enumerate(distinct)}
    return distinct, np.fromiter((number[label] for label in listed), np.intp, rows)


def shape_of(where: str, X: Any) -> tuple[Any, int, int]:
    """Return X as a frame, a sparse matrix by columns or a 2-d array, and its rows and columns."""
    if is_frame(X):
        return X, X.shape[0], X.shape[1]
    if hasattr(type(X), "tocsc"):
        X = X.tocsc()
        X.sum_duplicates()
        return X, *X.shape
    array = X if isinstance(X, np.ndarray) and X.dtype.kind in "OU" else numbers(where, X)
    if array.ndim != 2:
        raise ValueError(
            f"{where}: X must be a 2-d array, sparse matrix or frame, got shape {array.shape}. Pass X.reshape(-1, 1)"
        )
    return array, *array.shape


def tables_of(where: str, X: Any, which: Labels, classes: int, bins: int | None) -> Iterator[Floats]:
    """Yield for each column the counts of the examples: a row per cell, a column per class.

    X is what ``shape_of`` returned. A sparse column takes time in proportion to its entries, unless
    it is cut into intervals.
    """
    if not hasattr(type(X), "tocsc"):
        for cells, count in cells_of(where, X, bins):
            yield _counted(cells, count, which, classes)
        return
    size = np.bincount(which, minlength=classes).astype(np.float64)
    for k in range(X.shape[1]):
        part = slice(X.indptr[k], X.indptr[k + 1])
        values, rows = X.data[part], X.indices[part]
        stored = values != 0
        if not stored.all():
            values, rows = values[stored], rows[stored]
        if bins is not None and len(values) >= bins and len(np.unique(values[~_missing(values)])) >= bins:
            yield _counted(*_cells(where, _dense_column(X, k), bins), which, classes)
        else:
            counts = _counted(*_cells(where, values, bins), which[rows], classes)
            yield np.vstack([counts, size - counts.sum(axis=0)])


def _counted(cells: np.ndarray, count: int, which: Labels, classes: int) -> Floats:
    """Return the number of examples in each cell (rows) and class (columns)."""
    flat = np.bincount(cells * classes + which, minlength=count * classes)
    return flat.reshape(count, classes).astype(np.float64)


def _dense_column(X: Any, k: int) -> np.ndarray:
    column = np.zeros(X.shape[0], X.dtype)
    part = slice(X.indptr[k], X.indptr[k + 1])
    column[X.indices[part]] = X.data[part]
    return column


def cells_of(where: str, X: Any, bins: int | None) -> Iterator[tuple[np.ndarray, int]]:
    """Yield for each column the cell of each example, and the number of cells.

    X is what ``shape_of`` returned. The cells of a column are in descending order of the values.
    """
    if is_frame(X):
        for column in columns_of(where, X).values():
            yield _cells(where, column, bins)
        return
    for k in range(X.shape[1]):
        yield _cells(where, _dense_column(X, k) if hasattr(type(X), "tocsc") else X[:, k], bins)


def _cells(where: str, column: np.ndarray, bins: int | None) -> tuple[np.ndarray, int]:
    """Return the cell of each value of a column, and the number of cells."""
    if column.dtype.kind == "b":
        return np.where(column, 0, 1), 2
    if column.dtype.kind not in NUMBERS:
        return _factorised(where, column)
    missing = _missing(column)
    known = column[~missing] if missing.any() else column
    distinct, which = np.unique(known, return_inverse=True)
    if bins is not None and len(distinct) > bins:
        shares = np.arange(1, bins) / bins
        edges = np.unique(np.quantile(known, shares, method="higher"))
        which = np.searchsorted(edges, known, side="right")
        _, which = np.unique(which, return_inverse=True)
    count = int(which.max(initial=-1)) + 1
    found = np.full(len(column), count)
    found[~missing] = count - 1 - which
    return found, count + int(missing.any())


def _missing(column: np.ndarray) -> np.ndarray:
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), bool)


def _factorised(where: str, column: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the cells of a column of any values, in order of appearance; missing values share one."""
    number: dict[Any, int] = {}
    found = np.empty(len(column), np.intp)
    for row, value in enumerate(column.tolist()):
        try:
            found[row] = number.setdefault(None if _is_missing(value) else value, len(number))
        except TypeError:
            raise ValueError(f"{where}: row {row}, a value must be a number or a string, got {value!r}") from None
    return found, len(number)


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or the like."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
