"""Functions of every set of features as one number a set: for few features.

The value for the set S is at the position with bit k for each feature k in S.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.kernel.products import finite
from driftline.internals.compiled import Floats, jit

HUGE = 2.0**1000
LIFT, POWER = 2.0**-600, 600


@jit
def add_subsets(w: Floats, cube: Floats, x: Floats, coefficient: float) -> None:
    """w += coefficient Phi(x), and cube = w^3; Phi(x) is the product of x over each set."""
    phi = np.empty(w.size)
    phi[0] = 1.0
    size = 1
    for k in range(x.size):
        for s in range(size):
            phi[size + s] = phi[s] * x[k]
        size *= 2
    for s in range(size):
        w[s] += coefficient * phi[s]
        cube[s] = w[s] * w[s] * w[s]


@jit
def fold(cube: Floats, x: Floats, room: Floats) -> float:
    """cube . Phi(x), one feature after the other: those without it, plus x times those with it.

    ``room`` is for half as many numbers. The numbers of cube are below 2^500, and x below 2^200.
    """
    bound = 2.0**500
    power = 0
    half = np.uint64(cube.size)
    copied = False
    for k in range(x.size - 1, -1, -1):
        half >>= np.uint64(1)
        if x[k] == 0.0:
            continue
        if bound * (1.0 + abs(x[k])) > HUGE:
            for s in range(np.uint64(2) * half):
                room[s] *= LIFT
            bound *= LIFT
            power += POWER
        bound *= 1.0 + abs(x[k])
        if copied:
            for s in range(half):
                room[s] += x[k] * room[half + s]
        else:
            for s in range(half):
                room[s] = cube[s] + x[k] * cube[half + s]
            copied = True
    return finite(room[0] if copied else cube[0], power)
