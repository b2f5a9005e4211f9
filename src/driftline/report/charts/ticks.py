"""The ticks of an axis, and the mapping from its values to shares of its length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from driftline.report.charts.line import Axis
from driftline.report.charts.scale import RAISED, TIMES_TEN, covering, magnitude, round_step, ticks, written
from driftline.report.charts.time_scale import time_ticks

FLAT = 1e-300  # a smaller range of values is drawn as a flat line
FEW_DECADES = 1.5  # up to this range, a logarithmic axis has ticks within the decades
LONGEST = 6  # characters of a number on a logarithmic axis; others are powers of ten


@dataclass(frozen=True)
class Ticks:
    """The ends of an axis, its ticks and their texts, and the unit of the texts."""

    low: float
    high: float
    at: tuple[float, ...]
    texts: tuple[str, ...]
    unit: str = ""
    log: bool = False

    def share(self, value: float) -> float:
        """Return the position of a value, from 0 (``low``) to 1 (``high``)."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def x_ticks(axis: Axis, low: float, high: float, most: int) -> Ticks:
    """Return ticks inside the range of an x axis, which ends where the lines end."""
    if axis.span is not None:
        low, high = axis.span
    if axis.time:
        high = high if high > low else low + 1.0
        at, texts, unit = time_ticks(low, high, most)
        return Ticks(low, high, at, texts, unit)
    low, high = min(low, 0.0), high if high > 0.0 else 1.0
    inner = ticks(low, high, most, axis.whole)
    size, unit = magnitude(high)
    return Ticks(low, high, tuple(inner), tuple(written([t / size for t in inner])), unit)


def y_ticks(axis: Axis, low: float, high: float) -> Ticks:
    """Return ticks that cover a range. A linear axis also covers 0."""
    if axis.log:
        return _log_ticks(low, high)
    low, high = axis.span or (min(low, 0.0), max(high, 0.0))
    at = covering(low, high if high - low > FLAT else low + 1.0, 6, axis.whole)
    size, unit = magnitude(max(-at[0], at[-1]))
    return Ticks(at[0], at[-1], tuple(at), tuple(written([t / size for t in at])), unit)


def _log_ticks(low: float, high: float) -> Ticks:
    """Return powers of ten that cover a range of positive numbers, and 2 and 5 times them if it is short."""
    first, last = math.log10(low), math.log10(high)
    if last - first <= FEW_DECADES:
        decades = range(math.floor(first), math.ceil(last) + 1)
        fine = [f * 10.0**k for k in decades for f in (1.0, 2.0, 5.0)]
        at = [max(t for t in fine if t <= low), *(t for t in fine if low < t < high)]
        at.append(min((t for t in fine if t >= high and t > at[0]), default=10.0 * at[-1]))
    else:
        ends = math.floor(first), math.ceil(last)
        step = int(round_step(ends[1] - ends[0], 5, whole=True))
        at = [10.0**k for k in range(ends[0], ends[1] + step, step)]
    return Ticks(at[0], at[-1], tuple(at), tuple(_log_texts(at)), log=True)


def _log_texts(at: Sequence[float]) -> list[str]:
    plain = [f"{t:,.10g}" for t in at]
    if max(map(len, plain)) <= LONGEST:
        return plain
    return [_power(t) for t in at]


def _power(value: float) -> str:
    """Return 2e5 as 2×10⁵ and 1e5 as 10⁵."""
    power = math.floor(math.log10(value) + 1e-9)
    factor = round(value / 10.0**power)
    raised = str(power).translate(RAISED)
    return f"10{raised}" if factor == 1 else f"{factor}{TIMES_TEN}{raised}"
