"""The texts that mean a missing cell in delimited text and ARFF, and missing Python values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NA_VALUES = ("", "NA", "N/A", "nan", "NaN", "null", "NULL", "None", "?")
"""Texts that mean missing, unless the user gives others. Text columns are left alone."""


def checked_markers(given: Iterable[str] | None) -> tuple[str, ...]:
    """Return the texts that mean missing; an empty cell always does. None gives the defaults."""
    if given is None:
        return NA_VALUES
    markers = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(marker, str) for marker in markers):
        raise ValueError(f"read: na_values must be strings, got {given!r}. Write numbers in quotes")
    return tuple(dict.fromkeys(("", *markers)))


def is_missing(value: Any) -> bool:
    """Return whether a Python value is missing: None, NaN, or one that cannot be compared (pandas NA)."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ in ("NAType", "NaTType")
