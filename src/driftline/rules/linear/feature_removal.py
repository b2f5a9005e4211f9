"""Feature removal: after an update, set the smallest weights to 0 while their energy is < sigma.

    sort |w_i| ascending (ties by feature), zero the longest prefix with sum w_i^2 < sigma

The energy of weights is the sum of their squares.
Shen, Dietterich (2009), Theorems 3.3 and 3.4.
Differs from the paper: its second inequality is read as "the longest prefix". Nothing is removed
if the energy of the remaining weights would be below sigma.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, jit


@jit
def before(w: Floats, features: Indices, a: int, b: int) -> bool:
    """Whether weight a comes before weight b in the order of removal."""
    if abs(w[a]) != abs(w[b]):
        return abs(w[a]) < abs(w[b])
    return features[a] < features[b]


@jit
def remove_small(w: Floats, features: Indices, sigma: float) -> None:
    """Zero the smallest weights in place by a weighted quickselect, O(len(w)) on average."""
    energy = 0.0
    order = np.empty(w.size, np.int64)
    stop = 0
    for i in range(w.size):
        energy += w[i] * w[i]
        if w[i] != 0.0 and w[i] * w[i] < sigma:
            order[stop] = i
            stop += 1
    start = 0  # order[:start] is removed, order[stop:] is kept
    gone = 0.0
    while start < stop:
        pivot = order[(start + stop) // 2]
        order[(start + stop) // 2] = order[stop - 1]
        smaller = start
        square = w[pivot] * w[pivot]
        for k in range(start, stop - 1):
            i = order[k]
            if before(w, features, i, pivot):
                square += w[i] * w[i]
                order[k] = order[smaller]
                order[smaller] = i
                smaller += 1
        order[stop - 1] = order[smaller]
        order[smaller] = pivot
        if gone + square < sigma:
            gone += square
            start = smaller + 1
        else:
            stop = smaller
    if energy - gone < sigma:
        return
    for k in range(start):
        w[order[k]] = 0.0
