"""Dates and times as seconds since 1970, and their features: hour, weekday and month.

A time is an ISO 8601 date or date with time, such as 2024-03-01 or 2024-03-01T12:30:05.25+01:00,
or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, by its size. A time
without a zone is taken as UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.streams.schema.record_values import float_of

ISO = re.compile(
    r"\s*\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}(:\d{2}([.,]\d+)?)?)?\s?(Z|[+-]\d{2}(:?\d{2})?)?)?\s*", re.ASCII
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAY = 86_400
PARTS = ("hour", "weekday", "month")
LARGEST_SECONDS = 1e11
"""A larger number counts milliseconds, a number 1,000 times larger microseconds, and so on."""
LEAST_DATE = 1e8
"""Smaller numbers in a time column are counters."""
LARGEST_TIME = 2.5e11
"""Times later than this (year 9999) have no calendar date."""


def is_time(text: str) -> bool:
    """Return whether a text is an ISO date or time."""
    return ISO.fullmatch(text) is not None and seconds_of_text(text) is not None


def seconds_of_text(text: str) -> float | None:
    """Return the seconds since 1970 of an ISO date or time; None if the text is not one."""
    if ISO.fullmatch(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(text.strip().replace(" +", "+").replace(" -", "-").replace(" Z", "Z"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - EPOCH) // MICROSECOND / 1e6
    except (ValueError, OverflowError):
        return None


def seconds_of(value: str | float) -> float | None:
    """Return a text or number as seconds since 1970; None if it is no time of the calendar."""
    seconds = (
        seconds_of_text(value) if isinstance(value, str) else float(seconds_of_number(np.array([float_of(value)]))[0])
    )
    return None if seconds is None or not abs(seconds) <= LARGEST_TIME else seconds


def seconds_of_number(values: Floats) -> Floats:
    """Return numbers since 1970 in seconds, whatever their unit."""
    size = np.abs(values)
    unit = np.ones(len(values))
    for power in (1, 2, 3):
        unit[size >= LARGEST_SECONDS * 1000.0 ** (power - 1)] = 1000.0**power
    return values / unit


def dates_of_numbers(values: Floats) -> Floats:
    """Return the numbers of a time column in seconds since 1970; NaN if they are no dates.

    Numbers below 1e8, which would be in the first three years, are counters rather than dates.
    """
    with np.errstate(invalid="ignore"):
        seconds = seconds_of_number(values)
        return np.where((values >= LEAST_DATE) & (seconds <= LARGEST_TIME), seconds, np.nan)


def seconds_of_strings(strings: Any) -> Floats | None:
    """Return Arrow strings without zones in seconds, NaN for null; None if one is no such time."""
    import pyarrow as pa

    try:
        micros = strings.cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    return np.asarray(micros.to_numpy(zero_copy_only=False), np.float64) / 1e6


def time_parts(seconds: Floats) -> dict[str, np.ndarray]:
    """Return hour (0 to 23), weekday (1 is Monday) and month of finite times within a calendar."""
    whole = np.floor(seconds).astype(np.int64)
    days = whole // DAY
    return {
        "hour": whole % DAY // 3600,
        "weekday": (days + 3) % 7 + 1,
        "month": days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1,
    }
