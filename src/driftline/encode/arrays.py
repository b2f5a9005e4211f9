"""Arrays of any kind as compiled loops read them: float64, contiguous, aligned, and not marked read-only."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats

FLOAT = np.dtype(np.float64)
NUMBERS = "biuf"


def numbers(where: str, X: Any) -> np.ndarray:
    """X as an array of numbers or bools; what is no array at all comes back with no dimensions."""
    if type(X) is np.ndarray and X.dtype.kind in NUMBERS:
        return X
    if hidden := masked(X):
        raise ValueError(f"{where}: an array must not have masked entries, got {hidden}. Fill them in")
    try:
        array = np.asarray(X)
    except Exception:
        raise ValueError(
            f"{where}: rows must be equally long rows of numbers, got {shortened(X)}. "
            "Pass dicts if features come and go"
        ) from None
    if array.ndim and array.dtype.kind not in NUMBERS:
        raise ValueError(
            f"{where}: an array must hold numbers, got dtype {array.dtype}. "
            "Pass text as dicts of features, times as numbers"
        )
    return array


def masked(X: Any) -> int:
    """How many entries of X are masked."""
    if not isinstance(X, np.ma.MaskedArray) or X.dtype.names is not None:
        return 0
    return int(np.ma.getmaskarray(X).sum())


def plain(array: np.ndarray) -> Floats:
    """The same numbers as float64, as compiled loops read them; a copy only where that is needed."""
    if array.dtype == FLOAT and type(array) is np.ndarray and array.flags.carray:
        return array
    with np.errstate(over="ignore"):  # a number beyond float64 becomes infinite, and is refused as that
        return unlocked(np.require(array, FLOAT, ["C", "A", "E"]))


def unlocked(array: np.ndarray) -> np.ndarray:
    """The same memory, not marked read-only: for read-only arrays every loop would be compiled once more.

    Nothing writes to an example.
    """
    return array if array.flags.writeable else np.asarray(_Unlocked(array))


class _Unlocked:
    """The memory of an array, kept alive."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}
