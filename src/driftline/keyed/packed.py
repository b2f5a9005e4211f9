"""Whole numbers and arrays as few bytes, and back.

    1 byte     bytes per number: 1, 2, 4 or 8
    numbers    whole numbers >= 0, little-endian; the caller knows how many
    mask       a bit for each word of 8 bytes of the arrays: whether it is not 0
    words      the words that are not 0

The arrays follow one another, the largest items first, and are filled up to a whole word.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from driftline.saved.fault import UnfitError

WORD = 8
CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
BIG_ENDIAN = sys.byteorder == "big"


@cache
def _numbers(count: int, width: int) -> struct.Struct:
    return struct.Struct(f"<{count}{CODES[width]}")


def packed(numbers: Sequence[int], arrays: Sequence[np.ndarray]) -> bytes:
    """Return numbers and arrays as bytes. The arrays must be sorted by falling item size."""
    most = max(numbers)
    width = 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4 if most < 1 << 32 else 8
    if BIG_ENDIAN:
        arrays = [array.byteswap() for array in arrays]
    raw = b"".join([array.tobytes() for array in arrays])
    words = np.frombuffer(raw + bytes(-len(raw) % WORD), np.uint64)
    there = words != 0
    mask = np.packbits(there).tobytes()
    return b"".join((bytes((width,)), _numbers(len(numbers), width).pack(*numbers), mask, words[there].tobytes()))


def numbers_in(data: bytes, start: int, count: int) -> tuple[tuple[int, ...], int]:
    """Return ``count`` numbers that start at ``start``, and where they end."""
    width = data[start] if start < len(data) else 0
    end = start + 1 + count * width
    if width not in CODES or end > len(data):
        raise UnfitError("a state that is cut short")
    return _numbers(count, width).unpack_from(data, start + 1), end


def arrays_in(
    data: bytes, start: int, kinds: Sequence[tuple[str, np.dtype[Any], int]], sides: Sequence[int]
) -> dict[str, np.ndarray]:
    """Return the arrays that start at ``start``.

    Parameters
    ----------
    data, start
        The bytes, and where the mask starts.
    kinds
        Name, dtype and number of axes of each array.
    sides
        The lengths along all axes of all arrays.
    """
    shapes: list[tuple[int, ...]] = []
    place = size = 0
    for _, dtype, axes in kinds:
        shape = tuple(sides[place : place + axes])
        place += axes
        size += prod(shape) * dtype.itemsize
        shapes.append(shape)
    count = -(-size // WORD)
    end = start + -(-count // 8)
    if end > len(data):
        raise UnfitError("a state that is cut short")
    there = np.unpackbits(np.frombuffer(data, np.uint8, end - start, start), count=count).view(bool)
    given = np.frombuffer(data, np.uint64, (len(data) - end) // 8, end) if (len(data) - end) % 8 == 0 else None
    if given is None or given.size != int(np.count_nonzero(there)):
        raise UnfitError("a state that is cut short")
    words = np.zeros(count, np.uint64)
    words[there] = given
    raw = words.view(np.uint8)
    found: dict[str, np.ndarray] = {}
    place = 0
    for (name, dtype, _), shape in zip(kinds, shapes, strict=True):
        stop = place + prod(shape) * dtype.itemsize
        array = raw[place:stop].view(dtype).reshape(shape)
        found[name] = array.byteswap() if BIG_ENDIAN else array
        place = stop
    return found
