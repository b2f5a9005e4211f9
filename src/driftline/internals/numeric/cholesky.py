"""A Cholesky factor L of a matrix that grows by a row at a time: row after row, i + 1 numbers in row i."""

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
    """Write row m: that of a matrix with one more column, whose last number is ``corner``.

    The square of its last number is at least ``least``, whatever rounding says.
    """
    start = m * (m + 1) // 2
    new = rows[start : start + m]
    for i in range(m):
        at = i * (i + 1) // 2
        new[i] = (column[i] - dot(rows[at : at + i], new[:i])) / rows[at + i]
    rows[start + m] = sqrt(max(least, corner - dot(new, new)))


@jit
def next_forward(rows: Floats, m: int, z: Floats, y: float) -> None:
    """Write z[m], where z = L^-1 y, for the last number y[m]."""
    start = m * (m + 1) // 2
    z[m] = (y - dot(rows[start : start + m], z[:m])) / rows[start + m]


@jit
def backward(rows: Floats, m: int, z: Floats, alpha: Floats) -> None:
    """alpha = L^-T z, of so many numbers."""
    alpha[:m] = z[:m]
    for i in range(m - 1, -1, -1):
        at = i * (i + 1) // 2
        alpha[i] /= rows[at + i]
        subtract(alpha[:i], alpha[i], rows[at : at + i])
