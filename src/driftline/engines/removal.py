"""Feature removal: after an update, drop the smallest weights as long as their energy stays below sigma.

    sort |w_i| ascending (equal ones by index), zero the longest prefix with sum w_i^2 < sigma

Shen, Dietterich (2009), Theorems 3.3 and 3.4. Differs from the paper: its second inequality is read as "the longest
prefix"; nothing is removed if what is kept would have energy below sigma.
"""

from __future__ import annotations

import numpy as np

from driftline.compiled import Floats, Indices, jit


@jit
def remove_small(w: Floats, features: Indices, sigma: float) -> None:
    """Zero the smallest weights, in place. O(len(w)) plus sorting those that are small enough to go."""
    energy = 0.0
    small = 0
    for i in range(w.size):
        energy += w[i] * w[i]
        if w[i] != 0.0 and w[i] * w[i] < sigma:
            small += 1
    if small == 0:
        return
    where = np.empty(small, np.int64)
    size = np.empty(small)
    names = np.empty(small)
    small = 0
    for i in range(w.size):
        if w[i] != 0.0 and w[i] * w[i] < sigma:
            where[small] = i
            size[small] = abs(w[i])
            names[small] = features[i]
            small += 1
    order = np.argsort(names, kind="mergesort")
    order = order[np.argsort(size[order], kind="mergesort")]
    gone = 0.0
    prefix = 0
    while prefix < small:
        square = size[order[prefix]] ** 2
        if not gone + square < sigma:
            break
        gone += square
        prefix += 1
    if energy - gone < sigma:
        return
    for k in range(prefix):
        w[where[order[k]]] = 0.0
