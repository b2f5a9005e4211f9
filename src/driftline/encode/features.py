"""Check one feature of a dict: its name and its value."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from driftline.encode.faults import shortened

BIAS_NAME = "(bias)"


def feature(where: str, name: Any, value: Any) -> tuple[Any, float]:
    """Return the feature's name and number. A string value gives the name ``name=value`` and 1.

    The number of a missing value is NaN.
    """
    name = checked_name(where, name)
    if isinstance(value, str):
        return f"{name}={value}", 1.0
    try:
        return name, math.nan if is_missing(value) else _number(value)
    except OverflowError:
        return name, math.inf
    except (TypeError, ValueError):
        raise ValueError(
            f"{where}: feature {name!r} must be a number, bool or string, got {shortened(value)}. "
            "Pass None for a missing value"
        ) from None


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NA or NaT of pandas, masked, or a null of Arrow.

    NaN, which is missing too, is a number. pandas and Arrow are not imported.
    """
    if value is None:
        return True
    if isinstance(value, np.ma.MaskedArray):
        return value.ndim == 0 and bool(np.ma.getmaskarray(value))
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType") or getattr(value, "is_valid", True) is False


def checked_name(where: str, name: Any) -> str | int:
    """Return a name as str or int; raise if it is neither, or the name of the bias feature."""
    if isinstance(name, np.integer):
        return int(name)
    if not isinstance(name, str | int):
        raise ValueError(f"{where}: a feature's name must be a str or int, got {name!r}. Use str(name)")
    if name == BIAS_NAME:
        raise ValueError(f"{where}: a feature's name must not be the bias feature's, got {name!r}. Rename it")
    return name


def _number(value: Any) -> float:
    """Return a real number as a float; raise TypeError for anything else."""
    if type(value) is np.ndarray and value.ndim == 0:
        value = value[()]
    if isinstance(value, Real | Decimal | np.bool_):
        return float(value)
    raise TypeError
