"""A fast checksum: changing any single byte changes the result."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Offsets, jit

LANES = 8
START = np.uint64(0x9E3779B97F4A7C15)
ODD = np.uint64(0xD6E8FEB86659FD93)
SHIFT = np.uint64(32)


@jit
def fold(words: Offsets) -> np.uint64:
    """Fold eight parallel hashes into one. Every step is invertible, so no change is lost."""
    lanes = np.empty(LANES, np.uint64)
    for lane in range(LANES):
        lanes[lane] = START + np.uint64(lane)
    a, b, c, d, e, f, g, h = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]
    whole = words.size - words.size % LANES
    for k in range(0, whole, LANES):
        a = (a ^ words[k]) * ODD
        b = (b ^ words[k + 1]) * ODD
        c = (c ^ words[k + 2]) * ODD
        d = (d ^ words[k + 3]) * ODD
        e = (e ^ words[k + 4]) * ODD
        f = (f ^ words[k + 5]) * ODD
        g = (g ^ words[k + 6]) * ODD
        h = (h ^ words[k + 7]) * ODD
    for k in range(whole, words.size):
        a = (a ^ words[k]) * ODD
    total = np.uint64(words.size)
    for lane in (a, b, c, d, e, f, g, h):
        total = (total ^ lane) * ODD
        total ^= total >> SHIFT
    return total


def fingerprint(data: np.ndarray) -> int:
    """Return the checksum of bytes; their number must be a multiple of 8."""
    return int(fold(data.view(np.uint64)))
