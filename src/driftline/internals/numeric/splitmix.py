"""splitmix64: counter-based random numbers, which depend only on a seed and a position.

Steele, Lea, Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import inlined

STEP = np.uint64(0x9E3779B97F4A7C15)
"""The increment of the counter from one position to the next."""
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def mixed(z: np.uint64) -> np.uint64:
    """Mix z: each of the 64 result bits depends on all bits of z."""
    z = (z ^ (z >> FIRST_SHIFT)) * FIRST_FACTOR
    z = (z ^ (z >> SECOND_SHIFT)) * SECOND_FACTOR
    return z ^ (z >> THIRD_SHIFT)
