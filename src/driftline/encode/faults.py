"""How long an example may be, and how errors in examples are worded: with row, feature, value and remedy."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats

# relative; a row that passes the check is not found too long by a loop that adds in another order
ROUNDING = 1e-9
ANYTHING = -1.0


class Limit(NamedTuple):
    """Whose examples they are, and how long one may be; ``longest_sq`` is what the checks compare with.

    It is below 0 where values may be anything: missing, infinite or huge.
    """

    where: str
    longest: float
    longest_sq: float


def limit(where: str, longest: float | None) -> Limit:
    """The limit for examples that must be shorter than ``longest``; None for those that may be anything."""
    if longest is None:
        return Limit(where, math.inf, ANYTHING)
    return Limit(where, longest, longest * longest * (1.0 - ROUNDING))


class RowError(ValueError):
    """An error in one row of many: ``row`` is which, ``what`` the message without that."""

    def __init__(self, where: str, row: int, what: str, joined: str = ", ") -> None:
        super().__init__(f"{where}: row {row}{joined}{what}")
        self.row = row
        self.what = what


def in_row(where: str, row: int, error: ValueError) -> ValueError:
    """The same error, saying the row it was found in."""
    return RowError(where, row, str(error).removeprefix(where + ": "))


def bad_values(limit: Limit, row: int | None, values: Floats, place: Callable[[int], str]) -> ValueError:
    """What is wrong with a row of values: one is not finite, or together they are too long.

    ``place`` says in words what the k-th value is; row is None for an example that came alone.
    """
    size = np.abs(values)
    worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
    value = float(values[worst])
    if not math.isfinite(value):
        what = f"{place(worst)} must be finite, got {value}. Leave missing values out, or fill them in"
        return ValueError(f"{limit.where}: {what}") if row is None else RowError(limit.where, row, what)
    what = (
        f"must be shorter than {limit.longest:g}, got length {math.hypot(*values.tolist()):g} "
        f"({place(worst)} is {value:g}). Scale the features, or set scale='unit'"
    )
    if row is None:
        return ValueError(f"{limit.where}: an example {what}")
    return RowError(limit.where, row, what, joined=" ")


def shortened(value: object) -> str:
    """A value as it is written in Python, cut where it is long; an array by its shape."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return reprlib.repr(value)


def column(k: int) -> str:
    """The k-th column, in words."""
    return f"column {k}"
