"""One feature of a dict: its name and its number."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from driftline.encode.faults import shortened

BIAS_NAME = "(bias)"


def feature(where: str, name: Any, value: Any, missing: bool = False) -> tuple[Any, float]:
    """The feature and its number: a string is the feature ``name=value`` with number 1.

    None is a number that is missing, NaN, where such may be.
    """
    name = checked_name(where, name)
    if isinstance(value, str):
        return f"{name}={value}", 1.0
    if missing and value is None:
        return name, math.nan
    try:
        return name, _number(value)
    except OverflowError:
        return name, math.inf
    except (TypeError, ValueError):
        raise ValueError(
            f"{where}: feature {name!r} must be a number, bool or string, got {shortened(value)}. "
            "Leave missing values out"
        ) from None


def checked_name(where: str, name: Any) -> str | int:
    """A str as it is, a whole number as an int."""
    if isinstance(name, np.integer):
        return int(name)
    if not isinstance(name, str | int):
        raise ValueError(f"{where}: a feature's name must be a str or int, got {name!r}. Name it by str(name)")
    if name == BIAS_NAME:
        raise ValueError(f"{where}: a feature's name must not be that of the bias feature, got {name!r}. Rename it")
    return name


def _number(value: Any) -> float:
    """A real number as a float; anything else is a TypeError."""
    if type(value) is np.ndarray and value.ndim == 0:
        value = value[()]
    if isinstance(value, Real | Decimal | np.bool_):
        return float(value)
    raise TypeError
