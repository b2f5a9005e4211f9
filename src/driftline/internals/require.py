"""One wording for every parameter error: ``where: what must hold, got value``."""

from __future__ import annotations

import math
from numbers import Integral, Real


def require(holds: bool, where: str, what: str, value: object, remedy: str = "") -> None:
    """Raise ``ValueError("where: what, got value. remedy")`` unless it holds."""
    if not holds:
        raise ValueError(f"{where}: {what}, got {value!r}{'. ' if remedy else ''}{remedy}")


def number(where: str, name: str, value: object) -> float:
    """Return value as a float; bools, strings and NaN are refused."""
    try:
        if isinstance(value, Real) and not isinstance(value, bool) and not math.isnan(value):
            return float(value)
    except OverflowError:
        raise ValueError(f"{where}: {name} must be a float, got a number beyond its range") from None
    raise ValueError(f"{where}: {name} must be a number, got {value!r}")


def positive(where: str, name: str, value: object, *, finite: bool = True) -> None:
    """Require ``value > 0``, and finite unless ``finite=False``."""
    v = number(where, name, value)
    require(v > 0, where, f"{name} must be > 0", value)
    require(not finite or v < math.inf, where, f"{name} must be finite", value)


def at_least(where: str, name: str, value: object, low: float) -> None:
    """Require ``low <= value < inf``."""
    v = number(where, name, value)
    require(low <= v < math.inf, where, f"{name} must be >= {low:g} and finite", value)


def whole(where: str, name: str, value: object, low: int, high: float = math.inf) -> None:
    """Require a whole number from low to high."""
    good = isinstance(value, Integral) and not isinstance(value, bool) and low <= int(value) <= high
    upto = f"from {low} to {high}" if high < math.inf else f">= {low}"
    require(good, where, f"{name} must be a whole number {upto}", value)


def one_of(where: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    """Require value to be one of the choices."""
    listed = " or ".join(repr(c) for c in choices)
    require(isinstance(value, str) and value in choices, where, f"{name} must be {listed}", value)


WHEN = ("margin", "mistake")
INFEASIBLE = ("skip", "relax", "best", "raise")
