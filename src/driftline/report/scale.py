"""Axes at round numbers: steps of 1, 2, 2.5 or 5 times a power of ten.

>>> ticks(0.0, 18_000.0, 5)
[0.0, 5000.0, 10000.0, 15000.0]
>>> written(ticks(0.0, 0.6, 5))
['0.0', '0.2', '0.4', '0.6']
"""

from __future__ import annotations

import math
from collections.abc import Sequence

FACTORS = (1.0, 2.0, 2.5, 5.0, 10.0)
ROUNDING = 1e-9


def round_step(span: float, most: int, whole: bool = False) -> float:
    """Return the smallest round (and whole) step that cuts span > 0 into at most ``most`` parts."""
    least = span / most
    power = 10.0 ** math.floor(math.log10(least))
    if whole and power < 1.0:
        return 1.0
    fits = (f * power for f in FACTORS if f * power >= least * (1.0 - ROUNDING))
    return next(step for step in fits if not whole or step == round(step))


def ticks(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    """Return the multiples of a round step from low to high."""
    step = round_step(high - low, most, whole)
    first, last = math.ceil(low / step - ROUNDING), math.floor(high / step + ROUNDING)
    return [k * step for k in range(first, last + 1)]


def covering(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    """Return such multiples that the first is <= low and the last >= high."""
    step = round_step(high - low, most, whole)
    first, last = math.floor(low / step + ROUNDING), math.ceil(high / step - ROUNDING)
    return [k * step for k in range(first, last + 1)]


def written(values: Sequence[float]) -> list[str]:
    """Return the ticks as text, all with as many decimals as the step between them needs."""
    step = values[1] - values[0] if len(values) > 1 else 1.0
    decimals = next((d for d in range(12) if math.isclose(round(step, d), step, rel_tol=1e-6)), 12)
    return [f"{value:,.{decimals}f}" for value in values]


def thousands(high: float) -> tuple[float, str]:
    """Return the unit that keeps the ticks up to high short, and its name: (1000, "thousands")."""
    if high >= 1e7:
        return 1e6, "millions"
    if high >= 1e4:
        return 1e3, "thousands"
    return 1.0, ""
