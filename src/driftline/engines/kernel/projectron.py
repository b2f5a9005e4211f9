"""The Projectron++ round: an example next to the span of the support vectors moves their coefficients instead.

    L L' = K, the kernel matrix of the support vectors;    L u = k,    L' d = u
    k.d = |u|^2 = |P x|^2,    delta^2 = k(x, x) - |u|^2:  the squared distance of x from the span

A new support vector adds the row (u, delta) to L. Orabona, Keshet, Caputo. Bounded kernel-based online learning. JMLR
10 (2009). Differs from the paper: a Cholesky factor instead of the inverse of K, which loses digits where delta is
small; a full budget projects every mistake.
"""

from __future__ import annotations

from math import sqrt

from driftline.internals.compiled import Floats, fused, jit


@fused
def eliminated(row: Floats, u: Floats, size: int) -> float:
    """row.u over the first ``size``, in four sums of fixed order."""
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
def solve(lower: Floats, k: Floats, u: Floats, size: int) -> float:
    """L u = k; return |u|^2."""
    total = 0.0
    for i in range(size):
        u[i] = (k[i] - eliminated(lower[i], u, i)) / lower[i, i]
        total += u[i] * u[i]
    return total


@jit
def solve_back(lower: Floats, u: Floats, size: int) -> None:
    """L' d = u, in place."""
    for i in range(size - 1, -1, -1):
        u[i] /= lower[i, i]
        for j in range(i):
            u[j] -= u[i] * lower[i, j]


@jit
def add_row(lower: Floats, u: Floats, size: int, delta: float) -> None:
    """The row of one more support vector."""
    for j in range(size):
        lower[size, j] = u[j]
    lower[size, size] = delta


@jit
def project(
    c: Floats,
    lower: Floats,
    k: Floats,
    u: Floats,
    size: int,
    eta: float,
    has_room: bool,
    m: float,
    x_sq: float,
    weight: float,
    y: float,
) -> tuple[float, float, float]:
    """Move the coefficients, or say that x is to be added: (its distance or 0, the square of what w gets, tau).

    ``k`` is the column of x, ``u`` room for u, which is left there where x is to be added.
    """
    if weight == 0.0 or m >= 1.0 or x_sq == 0.0:
        return 0.0, 0.0, 0.0
    near_sq = min(x_sq, solve(lower, k, u, size))
    delta = sqrt(x_sq - near_sq)
    tau = 1.0
    if m <= 0.0:
        if has_room and delta > eta:
            return delta, x_sq, 1.0
    else:
        loss = 1.0 - m
        if loss < delta / eta or near_sq == 0.0:
            return 0.0, 0.0, 0.0
        tau = min(1.0, loss / near_sq, 2.0 * (loss - delta / eta) / near_sq)
    if tau == 0.0 or size == 0:
        return 0.0, 0.0, 0.0
    solve_back(lower, u, size)
    for j in range(size):
        c[j] += tau * weight * y * u[j]
    return 0.0, near_sq, tau
