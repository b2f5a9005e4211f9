"""The times of tickets on the caller's clock, packed with the number of their shape and label."""

from __future__ import annotations

import math
from struct import Struct
from typing import Any

import numpy as np

from driftline.internals.require import require

WHERE = "Pending"
HEAD = Struct("<Iiqq")
"""The number of the shape, the number of the predicted label, the kind of clock and the time."""
NO_TIME, WHOLE_TIME, FLOAT_TIME = 0, 1, 2
FLOAT, INT = Struct("<d"), Struct("<q")
LARGEST_TIME = 1 << 63
A_TIME = "Pass moment.timestamp() of a datetime"
"""The remedy for a time that is no number."""


def is_time(at: Any) -> bool:
    """Whether a value can be the time of a ticket."""
    if isinstance(at, int | np.integer) and not isinstance(at, bool):
        return -LARGEST_TIME <= int(at) < LARGEST_TIME
    return isinstance(at, float | np.floating) and math.isfinite(at)


def clock_bits(at: Any) -> tuple[int, int]:
    """A time as its kind and 64 bits."""
    if at is None:
        return NO_TIME, 0
    require(is_time(at), f"{WHERE}.ask", "at must be a finite number", at, A_TIME)
    if isinstance(at, float | np.floating):
        return FLOAT_TIME, INT.unpack(FLOAT.pack(at))[0]
    return WHOLE_TIME, int(at)


def time_of(stored: bytes) -> float | None:
    """The time of a stored ticket; None if it has none."""
    _, _, kind, bits = HEAD.unpack_from(stored)
    if kind == NO_TIME:
        return None
    return int(bits) if kind == WHOLE_TIME else float(FLOAT.unpack(INT.pack(bits))[0])
