"""``column_tiles`` in plain loops, which a debugger can step through and numba can check for bounds.

The order of each sum is that of ``euclidean.dot_sparse`` and ``simd.plain_dot_dense``.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, Weights, fused

ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@fused
def dot_sparse(V: Weights, k: int, indices: Indices, values: Floats, start: int, stop: int) -> float:
    """w_k.x of a sparse x."""
    d0 = d1 = d2 = d3 = 0.0
    whole = start + ((stop - start) & ~THREE)
    for j in range(start, whole, FOUR):
        d0 += V[indices[j], k] * values[j]
        d1 += V[indices[j + ONE], k] * values[j + ONE]
        d2 += V[indices[j + TWO], k] * values[j + TWO]
        d3 += V[indices[j + THREE], k] * values[j + THREE]
    for j in range(whole, stop):
        d0 += V[indices[j], k] * values[j]
    return (d0 + d1) + (d2 + d3)


@fused
def dot_dense(V: Weights, k: int, values: Floats, start: int, columns: int) -> float:
    """w_k.x of a dense x."""
    dot = 0.0
    for j in range(columns):
        dot += V[j, k] * values[start + j]
    return dot


@fused
def dots_of(V: Weights, columns: int, indices: Indices, values: Floats, start: int, stop: int, dots: Floats) -> None:
    """Write w_k.x of every column k to ``dots``; x is dense if ``columns`` > 0, else sparse."""
    for k in range(np.uint64(V.shape[1])):
        if columns > 0:
            dots[k] = dot_dense(V, k, values, start, columns)
        else:
            dots[k] = dot_sparse(V, k, indices, values, start, stop)


@fused
def move_all(
    V: Weights, columns: int, indices: Indices, values: Floats, start: int, stop: int, factors: Floats
) -> None:
    """w_k += factor_k x for every column whose factor is not 0; x as in ``dots_of``."""
    for k in range(np.uint64(V.shape[1])):
        if factors[k] != 0.0:
            if columns > 0:
                for i in range(columns):
                    V[i, k] += factors[k] * values[start + i]
            else:
                for j in range(start, stop):
                    V[indices[j], k] += factors[k] * values[j]
