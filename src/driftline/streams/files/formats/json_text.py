"""Parse JSON text. NaN, Infinity and -Infinity are accepted, as Python's json module writes them."""

from __future__ import annotations

import json
from typing import Any

from driftline.streams.schema.record_values import plain_value


class TextError(Exception):
    """Text that is not JSON; the arguments are the position, the line, the column and the reason."""


def parsed(text: bytes) -> Any:
    """Return the value of a JSON text. NaN becomes None, and a number out of range infinite.

    Raises
    ------
    TextError
        If the text is not JSON.
    """
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        found = _with_constants(text)
        if found is None:
            raise TextError(error.pos, error.lineno, error.colno, error.msg) from None
        return found


def _with_constants(text: bytes) -> Any:
    """Parse a text that has numbers which orjson refuses; None if that is not all."""
    import orjson

    met = []

    def constant(name: str) -> float:
        met.append(name)
        return float(name)

    def number(digits: str) -> float:
        value = float(digits)
        if abs(value) == float("inf"):
            met.append(digits)
        return value

    try:
        found = json.loads(text.decode(), parse_constant=constant, parse_float=number)
        orjson.dumps(found, default=float)  # refuses strings that are not UTF-8
    except (ValueError, TypeError, RecursionError):
        return None
    return plain_value(found) if met else None
