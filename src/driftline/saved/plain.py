"""Convert plain values to JSON text and back without loss.

A value that JSON cannot represent is written as an object with one key that starts with "$".

>>> written({"B": float("inf"), "labels": ["inf", 0.1]})
'{"B":{"$float":"inf"},"labels":["inf",0.1]}'
>>> parsed(written({"B": float("inf")}))
{'B': inf}
"""

from __future__ import annotations

import json
import math
from typing import Any

from driftline.encode.faults import shortened
from driftline.saved.fault import UnfitError

Scalar = bool | int | float | str | None
# ints of this size or larger are written in base 16, which is fast to parse at any length
LONG = 1 << 63


def plain(value: Any) -> Scalar:
    """Return the equal bool, int, float, str or None; raise TypeError if there is none."""
    if value is None or type(value) in (bool, int, float, str):
        exact: Scalar = value
    elif isinstance(value, str):
        exact = str.__str__(value)
    elif isinstance(value, int):
        exact = int.__int__(value)
    elif isinstance(value, float):
        exact = float.__float__(value)
    else:
        raise TypeError
    if exact is not value and not (exact == value and hash(exact) == hash(value)):
        raise TypeError
    return exact


def written(value: dict[str, Any]) -> str:
    """Return ASCII JSON text, the same for the same value; floats have all their digits."""
    return json.dumps(_tagged(value), separators=(",", ":"), allow_nan=False)


def parsed(text: str) -> Any:
    """Return the value of a JSON text; raise UnfitError if it is invalid."""
    return _loads(text, _untagged)


def entries(text: str) -> Any:
    """Return the value of a plain JSON text, in which "$" has no meaning."""
    return _loads(text, _unique)


def _loads(text: str, of_pairs: Any) -> Any:
    try:
        return json.loads(text, object_pairs_hook=of_pairs, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise UnfitError("a header that is not valid JSON") from None


def _tagged(value: Any) -> Any:
    if isinstance(value, dict):
        if any(type(key) is not str or key.startswith("$") for key in value):
            raise TypeError(f"write: a key must be a str that does not start with '$', got {shortened(list(value))}")
        return {key: _tagged(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_tagged(inner) for inner in value]
    try:
        exact = plain(value)
    except TypeError:
        raise TypeError(f"write: a value must be plain, got {shortened(value)}") from None
    if isinstance(exact, float) and not math.isfinite(exact):
        return {"$float": repr(exact)}
    if isinstance(exact, int) and abs(exact) >= LONG:
        return {"$int": hex(exact)}
    if isinstance(exact, str) and any("\ud800" <= letter <= "\udfff" for letter in exact):
        return {"$str": exact.encode("utf-8", "surrogatepass").hex()}
    return exact


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _untagged(pairs: list[tuple[str, Any]]) -> Any:
    found = _unique(pairs)
    if not any(key.startswith("$") for key in found):
        return found
    ((tag, text),) = found.items()
    if type(text) is not str:
        raise ValueError
    if tag == "$float" and text in ("inf", "-inf", "nan"):
        return float(text)
    if tag == "$int":
        return int(text, 16)
    if tag == "$str":
        return bytes.fromhex(text).decode("utf-8", "surrogatepass")
    raise ValueError


def _refused(constant: str) -> Any:
    raise ValueError(constant)
