"""Checks of stream parameters, with messages of the form ``where: what, got value. remedy``."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray


def require(holds: bool, where: str, what: str, value: object, remedy: str = "") -> None:
    """Raise ``ValueError("where: what, got value. remedy")`` unless ``holds`` is true."""
    if not holds:
        raise ValueError(f"{where}: {what}, got {value!r}" + (f". {remedy}" if remedy else ""))


def whole(where: str, name: str, value: object, low: int) -> int:
    """Return value as an int; raise unless it is a whole number >= low."""
    held = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else low - 1
    require(held >= low, where, f"{name} must be a whole number >= {low}", value)
    return held


def finite(where: str, name: str, value: object) -> float:
    """Return value as a float; raise unless it is finite."""
    held = _float(value)
    require(math.isfinite(held), where, f"{name} must be a finite number", value)
    return held


def positive(where: str, name: str, value: object) -> float:
    """Return value as a float; raise unless it is in (0, inf)."""
    held = _float(value)
    require(0.0 < held < math.inf, where, f"{name} must be > 0 and finite", value)
    return held


def not_negative(where: str, name: str, value: object) -> float:
    """Return value as a float; raise unless it is in [0, inf)."""
    held = _float(value)
    require(0.0 <= held < math.inf, where, f"{name} must be >= 0 and finite", value)
    return held


def fraction(where: str, name: str, value: object) -> float:
    """Return value as a float; raise unless it is in [0, 1)."""
    held = _float(value)
    require(0.0 <= held < 1.0, where, f"{name} must be in [0, 1)", value)
    return held


def rounds(where: str, t: ArrayLike) -> NDArray[np.int64]:
    """Return a round or an array of rounds as int64; raise unless all are whole numbers >= 0."""
    held = np.asarray(t)
    good = np.issubdtype(held.dtype, np.integer) and not (held < 0).any()
    require(bool(good), where, "t must hold whole numbers >= 0", t)
    return held.astype(np.int64)


def examples(where: str, X: ArrayLike, d: int) -> NDArray[np.float64]:
    """Return X as a float64 matrix; raise unless it holds real numbers in d columns."""
    held = np.asarray(X)
    require(held.dtype.kind in "buif", where, "X must hold real numbers", held.dtype)
    require(held.ndim == 2 and held.shape[1] == d, where, f"X must have the shape (rows, {d})", held.shape)
    return held.astype(np.float64)


def rounds_of_rows(where: str, t: ArrayLike, rows: int) -> NDArray[np.int64]:
    """Return one round per row; raise unless t is a round or has one for each row."""
    held = rounds(where, t)
    require(held.shape in ((), (rows,)), where, f"t must be one round, or one for each of {rows} rows", held.shape)
    return np.broadcast_to(held, (rows,))


def _float(value: object) -> float:
    """Return a number as a float; NaN, which fails every range check, for anything else."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
