"""Marks of the wrong predictions of a run, as short text."""

from __future__ import annotations

import base64
import zlib

import numpy as np


def packed(wrong: np.ndarray) -> str:
    """Return a mask as text, one bit for each entry before compression."""
    return base64.b64encode(zlib.compress(np.packbits(wrong).tobytes(), 9)).decode()


def unpacked(text: str, rows: int) -> np.ndarray:
    """Return the mask of `rows` entries that `packed` wrote.

    >>> unpacked(packed(np.array([True, False, True])), 3).tolist()
    [True, False, True]
    """
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    return np.unpackbits(bits, count=rows).astype(bool)
