"""Ticks at round numbers, in steps of 1, 2, 2.5 or 5 times a power of ten.

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
NAMED = {-6: "millionths", 3: "thousands", 6: "millions", 9: "billions"}
TIMES_TEN = "\N{MULTIPLICATION SIGN}10"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_step(span: float, most: int, whole: bool = False) -> float:
    """Return the smallest round step that divides ``span`` > 0 into at most ``most`` parts.

    ``whole``: the step must be a whole number.
    """
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
    """Return at least two multiples of a round step. The first is <= low, the last >= high."""
    step = round_step(high - low, most, whole)
    first, last = math.floor(low / step + ROUNDING), math.ceil(high / step - ROUNDING)
    return [k * step for k in range(first, max(first + 1, last) + 1)]


def written(values: Sequence[float]) -> list[str]:
    """Return the ticks as text, all with the number of decimals that their step needs."""
    step = values[1] - values[0] if len(values) > 1 else 1.0
    decimals = next((d for d in range(12) if math.isclose(round(step, d), step, rel_tol=1e-6)), 12)
    return [f"{value:,.{decimals}f}" for value in values]


def magnitude(size: float) -> tuple[float, str]:
    """Return a unit that keeps numbers up to ``size`` short, and its name.

    >>> magnitude(0.5), magnitude(25_000.0), magnitude(4e-14)
    ((1.0, ''), (1000.0, 'thousands'), (1e-15, '×10⁻¹⁵'))
    """
    if size == 0.0 or 1e-3 <= size < 1e4:
        return 1.0, ""
    power = 3 * math.floor((math.log10(size) - (1.0 if size > 1.0 else 0.0)) / 3.0)
    return 10.0**power, NAMED.get(power, TIMES_TEN + str(power).translate(RAISED))
