"""The limit on the norm of an example, and the error messages for bad examples."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats

# the norm of an example must be smaller, so that no product of norms overflows; float64, float32
LONGEST, LONGEST_32 = 1e60, 1e15
# relative slack: a row that passes the check also passes in a loop that sums in another order
ROUNDING = 1e-9
ANYTHING = -1.0
FILL_IN = "Fill in missing values, or pass dicts or a frame, which may have them"
CLIP = "Clip it, or pass None in a dict if it is missing"


class Limit(NamedTuple):
    """The learner's name and the upper bound on the norm of its examples.

    The checks compare squared norms with ``longest_sq``. It is negative if any value is allowed:
    missing, infinite or huge.
    """

    where: str
    longest: float
    longest_sq: float


def limit(where: str, longest: float | None) -> Limit:
    """Return the limit for examples with norms below ``longest``; None allows any values."""
    if longest is None:
        return Limit(where, math.inf, ANYTHING)
    return Limit(where, longest, longest * longest * (1.0 - ROUNDING))


class RowError(ValueError):
    """An error in one row of a block.

    ``row`` is the number of the row, ``what`` the message without it, ``joined`` the text between
    the two.
    """

    def __init__(self, where: str, row: int, what: str, joined: str = ", ") -> None:
        super().__init__(f"{where}: row {row}{joined}{what}")
        self.where = where
        self.row = row
        self.what = what
        self.joined = joined

    def __reduce__(self) -> tuple[type[RowError], tuple[str, int, str, str]]:
        return RowError, (self.where, self.row, self.what, self.joined)


def in_row(where: str, row: int, error: ValueError) -> ValueError:
    """Return the same error with the row number in its message."""
    return RowError(where, row, str(error).removeprefix(where + ": "))


def bad_values(limit: Limit, row: int | None, values: Floats, place: Callable[[int], str]) -> ValueError:
    """Return the error for a row that has a non-finite value or is too long.

    ``place`` returns a description of the k-th value. ``row`` is None for a single example.
    """
    size = np.abs(values)
    worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
    value = float(values[worst])
    if not math.isfinite(value):
        remedy = FILL_IN if math.isnan(value) else CLIP
        what = f"{place(worst)} must be finite, got {value}. {remedy}"
        return ValueError(f"{limit.where}: {what}") if row is None else RowError(limit.where, row, what)
    what = (
        f"must be shorter than {limit.longest:g}, got length {math.hypot(*values.tolist()):g} "
        f"({place(worst)} is {value:g}). Scale the features, or set scale='unit'"
    )
    if row is None:
        return ValueError(f"{limit.where}: an example {what}")
    return RowError(limit.where, row, what, joined=" ")


def shortened(value: object) -> str:
    """Return the repr of a value, abbreviated; for an array, its shape and dtype."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return reprlib.repr(value)


def column(k: int) -> str:
    """Return a description of the k-th column for messages."""
    return f"column {k}"
