"""Arrays that start on a cache line."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Weights

LINE = 64
"""Bytes of a cache line."""


def aligned(size: int, dtype: np.dtype[np.floating]) -> Weights:
    """Zeros that start on a cache line."""
    raw = np.zeros(size * dtype.itemsize + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size * dtype.itemsize].view(dtype)
