"""Random order of the rows: coordinate ascent converges slowly in a fixed order."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import jit

SEED = np.uint64(88172645463325252)


@jit
def shuffle(order: np.ndarray, seed: np.uint64) -> np.uint64:
    """Shuffle the order in place, and return the next seed."""
    for k in range(order.size - 1, 0, -1):
        seed ^= seed << np.uint64(13)
        seed ^= seed >> np.uint64(7)
        seed ^= seed << np.uint64(17)
        other = int(seed % np.uint64(k + 1))
        order[k], order[other] = order[other], order[k]
    return seed
