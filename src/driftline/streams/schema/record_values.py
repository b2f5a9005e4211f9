"""Convert the Python values of a record to the types that JSON has."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from math import inf
from typing import Any

import numpy as np

from driftline.streams.schema.missing import is_missing

PLAIN = (str, int, float, bool, type(None))


def plain_record(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a record with plain values. Names become strings; dates become ISO strings."""
    return {name if type(name) is str else str(name): plain_value(value) for name, value in record.items()}


def float_of(value: float) -> float:
    """Convert a number to a float. A whole number that is too large for one becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def plain_value(value: Any) -> Any:
    """Return a value as str, int, float, bool, dict or list; None if it is missing."""
    kind = type(value)
    if kind in PLAIN:
        return None if kind is float and value != value else value
    if isinstance(value, np.ndarray):
        return plain_value(value.tolist())
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, np.generic):
        return plain_value(value.item())
    if isinstance(value, Mapping):
        return plain_record(value)
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if is_missing(value):
        return None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str | int | float):
        for plain in (str, int, float):
            if isinstance(value, plain):
                return plain(value)
    return str(value)
