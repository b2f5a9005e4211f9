"""A Cholesky factor L in the lower half of a square array: triangular solves and a new row."""

from __future__ import annotations

from driftline.internals.compiled import Floats, fused, jit


@fused
def dot_four(row: Floats, u: Floats, size: int) -> float:
    """row.u over the first ``size`` numbers, in four sums of fixed order."""
    s0 = s1 = s2 = s3 = 0.0
    whole = size & ~3
    for j in range(0, whole, 4):
        s0 += row[j] * u[j]
        s1 += row[j + 1] * u[j + 1]
        s2 += row[j + 2] * u[j + 2]
        s3 += row[j + 3] * u[j + 3]
    for j in range(whole, size):
        s0 += row[j] * u[j]
    return (s0 + s1) + (s2 + s3)


@jit
def solve_lower(L: Floats, k: Floats, u: Floats, size: int) -> float:
    """Write the solution of L u = k to u; return |u|^2."""
    total = 0.0
    for i in range(size):
        u[i] = (k[i] - dot_four(L[i], u, i)) / L[i, i]
        total += u[i] * u[i]
    return total


@jit
def solve_upper(L: Floats, u: Floats, size: int) -> None:
    """Replace u by the solution d of L^T d = u."""
    for i in range(size - 1, -1, -1):
        u[i] /= L[i, i]
        for j in range(i):
            u[j] -= u[i] * L[i, j]


@jit
def append_row(L: Floats, u: Floats, size: int, pivot: float) -> None:
    """Write row number ``size`` of L: (u, pivot)."""
    for j in range(size):
        L[size, j] = u[j]
    L[size, size] = pivot
