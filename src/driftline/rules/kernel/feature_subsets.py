"""v as one number for every set of features: for few features.

The number of the set S is at the position whose bit k is set for each feature k in S.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, jit
from driftline.rules.kernel.product_expansion import finite

LARGEST_BOUND = 2.0**1000
LOWER, POWER = 2.0**-600, 600


@jit
def write_phi(x: Floats, phi: Floats) -> None:
    """Write Phi(x): the product of x over each set."""
    phi[0] = 1.0
    size = 1
    for k in range(x.size):
        for s in range(size):
            phi[size + s] = phi[s] * x[k]
        size *= 2


@jit
def fold(v: Floats, x: Floats, room: Floats) -> float:
    """v.Phi(x), one feature at a time: the sets without it plus x times the sets with it.

    ``room`` is work space for half the numbers of v. They are below 2^500, and x is below 2^200.
    """
    bound = 2.0**500
    power = 0
    half = np.uint64(v.size)
    copied = False
    for k in range(x.size - 1, -1, -1):
        half >>= np.uint64(1)
        if x[k] == 0.0:
            continue
        if bound * (1.0 + abs(x[k])) > LARGEST_BOUND:
            for s in range(np.uint64(2) * half):
                room[s] *= LOWER
            bound *= LOWER
            power += POWER
        bound *= 1.0 + abs(x[k])
        if copied:
            for s in range(half):
                room[s] += x[k] * room[half + s]
        else:
            for s in range(half):
                room[s] = v[s] + x[k] * v[half + s]
            copied = True
    return finite(room[0] if copied else v[0], power)
