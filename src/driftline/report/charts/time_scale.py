"""Ticks of a time axis at round times of UTC: whole minutes, hours, days, months or years.

>>> at, texts, unit = time_ticks(1704067200.0, 1704067200.0 + 86400 * 30, 5)
>>> texts
('1 Jan', '8 Jan', '15 Jan', '22 Jan', '29 Jan')
>>> unit
'2024, UTC'
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
STEPS = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0),
    *(k * MINUTE for k in (1, 2, 5, 10, 15, 30)),
    *(k * HOUR for k in (1, 2, 3, 6, 12)),
    *(k * DAY for k in (1, 2, 7, 14)),
)
MONTHS = (1, 2, 3, 6)
MONTH = 30.4 * DAY
START = datetime(1970, 1, 1, tzinfo=UTC)
NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def time_text(seconds: float) -> str:
    """Return a time as text: its date, and its time of day unless it is midnight.

    >>> time_text(1704067200.0), time_text(1704067260.0), time_text(float("nan"))
    ('1 Jan 2024', '1 Jan 2024 00:01', 'unknown')
    """
    try:
        at = START + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return "unknown"
    day = f"{at.day} {NAMES[at.month - 1]} {at.year}"
    if at.second:
        return f"{day} {at:%H:%M:%S}"
    return day if (at.hour, at.minute) == (0, 0) else f"{day} {at:%H:%M}"


def time_ticks(low: float, high: float, most: int) -> tuple[tuple[float, ...], tuple[str, ...], str]:
    """Return at most ``most`` + 1 round times from low to high, their texts, and what the texts leave out.

    Times are seconds since 1970.
    """
    least = (high - low) / most
    step = next((step for step in STEPS if step >= least), None)
    if step is not None and low > -6e10 and high < 2e11:
        return _regular(low, high, step)
    first, last = _date(low), _date(high)
    if first is None or last is None:
        return (low, high), (f"{low:.3g}", f"{high:.3g}"), "seconds since 1970"
    months = next((k for k in MONTHS if k * MONTH >= least), None)
    months = months or 12 * max(1, _round_years(least / (12 * MONTH)))
    count = first.year * 12 + first.month - 1
    found = []
    for k in range(-(-count // months) * months, last.year * 12 + last.month, months):
        at = datetime(k // 12, k % 12 + 1, 1, tzinfo=UTC)
        if low <= at.timestamp() <= high:
            found.append(at)
    if months >= 12:
        return tuple(at.timestamp() for at in found), tuple(str(at.year) for at in found), "UTC"
    texts = [
        f"{NAMES[at.month - 1]} {at.year}" if k == 0 or at.month <= months else NAMES[at.month - 1]
        for k, at in enumerate(found)
    ]
    return tuple(at.timestamp() for at in found), tuple(texts), "UTC"


def _regular(low: float, high: float, step: float) -> tuple[tuple[float, ...], tuple[str, ...], str]:
    """Return ticks at a fixed distance, from midnight of the first day on if the distance is one of days."""
    origin = math.floor(low / DAY) * DAY if step >= DAY else 0.0
    first, last = math.ceil((low - origin) / step), math.floor((high - origin) / step)
    at = [origin + k * step for k in range(first, last + 1)]
    dates = [START + timedelta(seconds=t) for t in at]
    days = {date.date() for date in dates}
    if step >= DAY or len(days) == len(dates):
        texts = [f"{d.day} {NAMES[d.month - 1]}" for d in dates]
        return tuple(at), tuple(texts), _years(low, high)
    clock = "%H:%M:%S" if step < MINUTE else "%H:%M"
    if len(days) == 1:
        return tuple(at), tuple(f"{d:{clock}}" for d in dates), f"{time_text(math.floor(at[0] / DAY) * DAY)}, UTC"
    texts = [f"{d.day} {NAMES[d.month - 1]}" if (d.hour, d.minute) == (0, 0) else f"{d:{clock}}" for d in dates]
    return tuple(at), tuple(texts), _years(low, high)


def _years(low: float, high: float) -> str:
    first, last = ((START + timedelta(seconds=t)).year for t in (low, high))
    return f"{first}, UTC" if first == last else f"{first} to {last}, UTC"


def _date(seconds: float) -> datetime | None:
    try:
        return START + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _round_years(least: float) -> int:
    """Return 1, 2 or 5 times a power of ten that is at least ``least``."""
    power = int(10.0 ** math.floor(math.log10(max(least, 1.0))))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= least)
