"""The same rows with missing values in every form that a learner takes.

The columns have the first of ``NAMES``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from driftline.internals.rows import FileRows

NAMES = ["a", "b", "c", "d", "e"]


def with_holes(X: np.ndarray, first_row: bool = True) -> np.ndarray:
    """Some values become NaN: one in four, and those of two columns in many of the first rows.

    Unless ``first_row`` is set, nothing is missing in the first row.
    """
    rng = np.random.default_rng(8)
    X = np.where(rng.random(X.shape) < 0.25, math.nan, X)
    X[1:9, 3] = X[1:17, 1] = math.nan
    X[0] = [0.3, math.nan, -0.0, math.nan, 1.0] if first_row else 1.0
    return X


def dicts(X: np.ndarray, missing: Any) -> list[dict[str, Any]]:
    """A dict for each row, with this value where one is missing."""
    return [{name: missing if v != v else v for name, v in zip(NAMES, row, strict=False)} for row in X.tolist()]


def left_out(X: np.ndarray) -> list[dict[str, float]]:
    """A dict for each row, without the missing values."""
    return [{name: v for name, v in zip(NAMES, row, strict=False) if v == v} for row in X.tolist()]


def known_only(X: np.ndarray) -> list[dict[str, float]]:
    """A dict for each row, without the missing values of features that have had no value before."""
    seen: set[str] = set()
    rows = []
    for row in X.tolist():
        pairs = list(zip(NAMES, row, strict=False))
        rows.append({name: v for name, v in pairs if v == v or name in seen})
        seen |= {name for name, v in pairs if v == v}
    return rows


def file_rows(X: np.ndarray, names: list[str] | None) -> FileRows:
    """Rows as a file reader returns them, with an entry for every value."""
    size, width = X.shape
    indptr = np.arange(size + 1, dtype=np.uint64) * np.uint64(width)
    indices = np.tile(np.arange(width, dtype=np.uint32), size)
    lines = np.arange(1, size + 1, dtype=np.uint64)
    return FileRows(indptr, indices, X.reshape(-1).copy(), names, width, "x.csv", lines)


def _nullable(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({name: pd.array(X[:, k]).astype("Float64") for k, name in enumerate(NAMES[: X.shape[1]])})


def _with_text(X: np.ndarray) -> pd.DataFrame:
    """A frame with a column of text that is missing everywhere, which makes the encoder read it as dicts."""
    return pd.DataFrame(X, columns=NAMES[: X.shape[1]]).assign(text=pd.Series([None] * len(X), dtype=object))


def _nulls(X: np.ndarray) -> list[list[float | None]]:
    return [[None if v != v else v for v in column] for column in X.T.tolist()]


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "None": lambda X: dicts(X, None),
    "nan": lambda X: dicts(X, math.nan),
    "NA": lambda X: dicts(X, pd.NA),
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES[: X.shape[1]]),
    "pandas nullable": _nullable,
    "pandas with text": _with_text,
    "polars": lambda X: pl.DataFrame(dict(zip(NAMES, _nulls(X), strict=False))),
    "arrow": lambda X: pa.table(dict(zip(NAMES, _nulls(X), strict=False))),
    "file": lambda X: file_rows(X, NAMES),
}
"""Name of a form to a function that returns rows in this form."""
