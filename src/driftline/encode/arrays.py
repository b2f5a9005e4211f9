"""Convert arrays to the form compiled loops read: float64, contiguous, aligned and writeable."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats

FLOAT = np.dtype(np.float64)
NUMBERS = "biuf"


def numbers(where: str, X: Any) -> np.ndarray:
    """Return X as an array of numbers or bools; it is 0-d if X is not array-like."""
    if type(X) is np.ndarray and X.dtype.kind in NUMBERS:
        return X
    if hidden := masked(X):
        raise ValueError(f"{where}: an array must not have masked entries, got {hidden}. Fill them in")
    try:
        array = np.asarray(X)
    except Exception:
        raise ValueError(
            f"{where}: rows must be numbers and equally long, got {shortened(X)}. Pass dicts if features come and go"
        ) from None
    if array.ndim and array.dtype.kind not in NUMBERS:
        raise ValueError(
            f"{where}: an array must hold numbers, got dtype {array.dtype}. "
            "Pass text as dicts of features, and times as numbers"
        )
    return array


def masked(X: Any) -> int:
    """Return the number of masked entries in X."""
    if not isinstance(X, np.ma.MaskedArray) or X.dtype.names is not None:
        return 0
    return int(np.ma.getmaskarray(X).sum())


def plain(array: np.ndarray) -> Floats:
    """Return the array as compiled loops read it, float64; it is copied only if needed."""
    if array.dtype == FLOAT and type(array) is np.ndarray and array.flags.carray:
        return array
    with np.errstate(over="ignore"):  # a number out of range becomes infinite, rejected later
        return unlocked(np.require(array, FLOAT, ["C", "A", "E"]))


def unlocked(array: np.ndarray) -> np.ndarray:
    """Return a view of the same memory that is not marked read-only.

    Numba would compile every loop a second time for read-only arrays. No code writes to examples.
    """
    return array if array.flags.writeable else np.asarray(_Unlocked(array))


class _Unlocked:
    """An array interface that is not read-only and keeps the array alive."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}
