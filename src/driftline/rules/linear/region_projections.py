"""Exact Euclidean projections on convex sets that contain 0, in place.

    box         low <= w_i <= high              w_i <- min(high, max(low, w_i))
    simplex     w_i >= 0, sum w_i <= radius     w_i <- max(0, w_i - t)
    l1 ball     sum |w_i| <= radius             w_i <- sgn(w_i) max(0, |w_i| - t)
    ellipsoid   sum (w_i / a_i)^2 <= 1          w_i <- w_i a_i^2 / (a_i^2 + lam)

t >= 0 and lam >= 0 are the smallest numbers for which the result is in the set. None of these
projections changes a weight of 0, so only nonzero weights are passed.

Michelot. A finite algorithm for finding the projection of a point onto the canonical simplex of
R^n. JOTA 50 (1986), for t. lam is the root of a secular equation, by Newton's method as for trust
regions: More, Sorensen. Computing a trust region step. SIAM J. Sci. Stat. Comput. 4 (1983).
"""

from __future__ import annotations

from math import copysign, sqrt

from driftline.internals.compiled import Floats, Indices, jit
from driftline.internals.weight_layout import FIRST

BOX, SIMPLEX, L1_BALL, ELLIPSOID = 0.0, 1.0, 2.0, 3.0
MOST_STEPS = 100
"""The largest number of Newton's steps; about five are needed."""
NEAR = 1e-15


@jit
def onto_sum(w: Floats, total: float) -> None:
    """Lower all |w_i| by the t with sum max(0, |w_i| - t) = total; nothing if the sum is smaller.

    Weights of at most t are left out, and t is computed again, until none is left out. All numbers
    are measured from the largest |w_i|, so that a large common part costs no digits.
    """
    size = 0.0
    top = 0.0
    for i in range(w.size):
        size += abs(w[i])
        top = max(top, abs(w[i]))
    if size <= total:
        return
    t = -top
    known = -1
    while True:
        count = 0
        size = 0.0
        for i in range(w.size):
            if abs(w[i]) - top > t:
                size += abs(w[i]) - top
                count += 1
        if count == known or count == 0:
            break
        known = count
        t = max(t, (size - total) / count)
    for i in range(w.size):
        w[i] = copysign(max(0.0, abs(w[i]) - top - t), w[i])


@jit
def axis_of(position: int, axes: Floats, rest: float) -> float:
    """Return the axis of the weight at this position of v."""
    column = int(position) - FIRST
    return axes[column] if 0 <= column < axes.size else rest


@jit
def into_ellipsoid(w: Floats, positions: Indices, axes: Floats, rest: float) -> None:
    """Project w on the ellipsoid. Newton's method on 1 / sqrt(f) - 1 increases lam towards the root.

    It starts where no term of f exceeds 1, which is not beyond the root.
    """
    lam = 0.0
    for i in range(w.size):
        a = axis_of(positions[i], axes, rest)
        lam = max(lam, a * abs(w[i]) - a * a)
    f = 0.0
    for _ in range(MOST_STEPS):
        f = 0.0
        slope = 0.0
        for i in range(w.size):
            a = axis_of(positions[i], axes, rest)
            part = a * w[i] / (a * a + lam)
            f += part * part
            slope -= 2.0 * part * part / (a * a + lam)
        if f <= 1.0 + NEAR:
            break
        further = lam + 2.0 * (f - f * sqrt(f)) / slope
        if further <= lam:
            break
        lam = further
    if lam == 0.0:
        return
    inside = min(1.0, 1.0 / sqrt(f))
    for i in range(w.size):
        a = axis_of(positions[i], axes, rest)
        w[i] *= inside * (a * a / (a * a + lam))


@jit
def project(kind: float, w: Floats, positions: Indices, first: float, second: float, axes: Floats) -> None:
    """Project w on the region of this kind; ``positions`` are those of the weights in v.

    ``first`` and ``second`` are the limits of a box, ``first`` is the radius or the axis of the
    columns without an entry in ``axes``.
    """
    if kind == BOX:
        for i in range(w.size):
            w[i] = min(second, max(first, w[i]))
    elif kind == SIMPLEX:
        for i in range(w.size):
            w[i] = max(0.0, w[i])
        onto_sum(w, first)
    elif kind == L1_BALL:
        onto_sum(w, first)
    else:
        into_ellipsoid(w, positions, axes, first)
