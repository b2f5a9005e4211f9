"""A Cholesky factor L of a growing matrix, packed by rows: row i has i + 1 numbers."""

from __future__ import annotations

from math import sqrt

from driftline.internals.compiled import Floats, jit, leaf


@leaf
def dot(a: Floats, b: Floats) -> float:
    """a.b."""
    total = 0.0
    for j in range(a.size):
        total += a[j] * b[j]
    return total


@leaf
def subtract(a: Floats, factor: float, b: Floats) -> None:
    """a -= factor b."""
    for j in range(a.size):
        a[j] -= factor * b[j]


@jit
def append(rows: Floats, m: int, column: Floats, corner: float, least: float) -> None:
    """Write row m of L after the matrix got a new last ``column`` with diagonal entry ``corner``.

    The square of the new diagonal entry of L is at least ``least``, in spite of rounding.
    """
    start = m * (m + 1) // 2
    new = rows[start : start + m]
    for i in range(m):
        at = i * (i + 1) // 2
        new[i] = (column[i] - dot(rows[at : at + i], new[:i])) / rows[at + i]
    rows[start + m] = sqrt(max(least, corner - dot(new, new)))


@jit
def next_forward(rows: Floats, m: int, z: Floats, y: float) -> None:
    """Write z[m], where z = L^-1 y; the argument ``y`` is y[m]."""
    start = m * (m + 1) // 2
    z[m] = (y - dot(rows[start : start + m], z[:m])) / rows[start + m]


@jit
def backward(rows: Floats, m: int, z: Floats, alpha: Floats) -> None:
    """alpha = L^-T z, for the first m numbers."""
    alpha[:m] = z[:m]
    for i in range(m - 1, -1, -1):
        at = i * (i + 1) // 2
        alpha[i] /= rows[at + i]
        subtract(alpha[:i], alpha[i], rows[at : at + i])
