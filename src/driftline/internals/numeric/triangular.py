"""A positive definite matrix P as U D U^T, U unit upper triangular, and its rank-one update.

    P' = P - h h^T / (v + noise),    h = P x,  v = x.h

Bierman's update changes the factors and never forms P. D stays positive after any number of
updates and in spite of rounding, so P stays positive definite and is never recomputed. P itself
can lose all digits in one update: with v = 1e18, 1 - v / (v + 1) is 0. Repairing that would need
the inverse of P, stored as well, and O(d^3) time.
Bierman. Factorization methods for discrete sequential estimation. Academic Press (1977), section
V.3.

``widen`` is the update P' = P + c x x^T, by the algorithm of Agee and Turner (section III.3 there).

U is stored by columns, one after the other, without its diagonal. Column k takes
``8 (k // 8 + 1)`` numbers; those from k on are 0. A new feature appends a column. D is 0 for a
feature without an update: its column is 0, and D counts as ``prior``. All features from ``top``
on are without an update.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, fused, jit
from driftline.internals.numeric.simd import LANES, dot_eights

ONE, EIGHT = np.uint64(1), np.uint64(LANES)
# lower limit of a variance: a rule that trusts every example would reach 0 after enough wrong
# labels
LEAST = 1e-150


def column(k: int) -> int:
    """The offset of column k.

    >>> column(1), column(8), column(9)
    (8, 64, 80)
    """
    block = k // LANES
    return (block + 1) * LANES * (LANES * block // 2 + k % LANES)


def places(size: int) -> int:
    """The length of an array for ``size`` columns, rounded up to a multiple of eight columns."""
    return column(-(-size // LANES) * LANES)


@jit
def top_of(D: Floats) -> int:
    """The end of the features with an update."""
    top = D.size
    while top > 0 and D[top - 1] == 0.0:
        top -= 1
    return top


@fused
def onto_columns(U: Floats, x: Floats, f: Floats, top: int) -> None:
    """f = U^T x, for x with few zeros."""
    start = np.uint64(0)
    for k in range(np.uint64(top)):
        size = (k // EIGHT + ONE) * EIGHT
        f[k] = x[k] + dot_eights(x, U, start, size)
        start += size


@fused
def onto_columns_few(U: Floats, D: Floats, x: Floats, few: Indices, f: Floats, top: int) -> None:
    """f = U^T x, for x that is not zero only at the positions ``few``, which increase."""
    start = np.uint64(0)
    above = np.uint64(0)
    for k in range(np.uint64(top)):
        total = x[k]
        if D[k] != 0.0:
            for j in range(above):
                total += U[start + few[j]] * x[few[j]]
        f[k] = total
        if x[k] != 0.0:
            above += ONE
        start += (k // EIGHT + ONE) * EIGHT


@fused
def variance(D: Floats, f: Floats, top: int, prior: float) -> float:
    """v = x.P x."""
    v = 0.0
    for k in range(np.uint64(top)):
        d = D[k] if D[k] != 0.0 else prior
        v += f[k] * (d * f[k])
    return v


@fused
def absorb(U: Floats, D: Floats, f: Floats, h: Floats, top: int, prior: float, noise: float) -> None:
    """Replace P by P' and write P x to h, which must be zeros; f = U^T x."""
    start = np.uint64(0)
    total = noise
    for k in range(np.uint64(top)):
        size = (k // EIGHT + ONE) * EIGHT
        if f[k] != 0.0:
            d = D[k] if D[k] != 0.0 else prior
            g = d * f[k]
            turn = -f[k] / total
            before = total
            total += f[k] * g
            D[k] = max(LEAST, d * (before / total))
            for i in range(size):
                u = U[start + i]
                U[start + i] = u + turn * h[i]
                h[i] += u * g
            h[k] = g
        start += size


@fused
def widen(U: Floats, D: Floats, x: Floats, top: int, prior: float, c: float) -> None:
    """Replace P by P + c x x^T, c >= 0; x is overwritten up to ``top``."""
    start = np.uint64(0)
    for k in range(np.uint64(top)):
        start += (k // EIGHT + ONE) * EIGHT
    for back in range(np.uint64(top)):
        k = np.uint64(top) - ONE - back
        start -= (k // EIGHT + ONE) * EIGHT
        s = x[k]
        if s != 0.0:
            d = D[k] if D[k] != 0.0 else prior
            wider = d + c * (s * s)
            turn = c * s / wider
            for i in range(k):
                u = U[start + i]
                x[i] -= s * u
                U[start + i] = u + turn * x[i]
            D[k] = wider
            c *= d / wider
