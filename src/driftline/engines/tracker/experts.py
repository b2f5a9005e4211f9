"""The experts of a view: six columns (three PA-I, NORMA, two diagonal AROW) and two full AROW.

Only small views have full AROW. A place of a view has eight numbers, a cache line: the six
weights, and the variances of the two diagonal AROW. The lower triangle of the matrix P of a full
AROW is stored row by row. So P is exactly symmetric (an antisymmetric rounding error would grow
like gamma^-updates), and a new feature appends a row.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.state import LINE
from driftline.internals.compiled import Floats, Indices, fused, inlined, jit, leaf
from driftline.internals.numeric.multiply_add import multiplied_and_added
from driftline.rules.tracker.tracker import DIAGONAL_GAMMA, DIAGONAL_R, MOST_VARIANCE, NORMA_FORGETS, NORMA_STEP, PA_C

EIGHT = np.uint64(LINE)
ONE = np.uint64(1)
SMALLEST = 1e-100  # lower limit of the scale of NORMA
NORMA = 3  # the column of NORMA


@fused
def score_columns(lines: Floats, z: Floats, size: int, scale: float, scores: Floats, spreads: Floats) -> None:
    """Write the scores of the six columns on z, and z.P z of the two diagonal AROW.

    ``size`` is the number of places of z.
    """
    a0, a1, a2, a3, a4, a5, u0, u1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(np.uint64(size)):
        v, k = z[p], p * EIGHT
        a0 += lines[k] * v
        a1 += lines[k + np.uint64(1)] * v
        a2 += lines[k + np.uint64(2)] * v
        a3 += lines[k + np.uint64(3)] * v
        a4 += lines[k + np.uint64(4)] * v
        a5 += lines[k + np.uint64(5)] * v
        u0 += lines[k + np.uint64(6)] * (v * v)
        u1 += lines[k + np.uint64(7)] * (v * v)
    scores[0], scores[1], scores[2], scores[3], scores[4], scores[5] = a0, a1, a2, scale * a3, a4, a5
    spreads[0], spreads[1] = u0, u1


@fused
def score_entries(
    lines: Floats, places: Indices, z: Floats, size: int, scale: float, scores: Floats, spreads: Floats
) -> None:
    """``score_columns`` for a sparse z: ``z[p]`` is the value at place ``places[p]``."""
    a0, a1, a2, a3, a4, a5, u0, u1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(np.uint64(size)):
        v, k = z[p], np.uint64(places[p]) * EIGHT
        a0 += lines[k] * v
        a1 += lines[k + np.uint64(1)] * v
        a2 += lines[k + np.uint64(2)] * v
        a3 += lines[k + np.uint64(3)] * v
        a4 += lines[k + np.uint64(4)] * v
        a5 += lines[k + np.uint64(5)] * v
        u0 += lines[k + np.uint64(6)] * (v * v)
        u1 += lines[k + np.uint64(7)] * (v * v)
    scores[0], scores[1], scores[2], scores[3], scores[4], scores[5] = a0, a1, a2, scale * a3, a4, a5
    spreads[0], spreads[1] = u0, u1


@inlined
def move_line(
    lines: Floats, k: int, v: float, t0: float, t1: float, t2: float, t3: float, t4: float, t5: float,
    b0: float, b1: float, g0: float, g1: float,
) -> None:  # fmt: skip
    """Update the line of one place with value v.

    t0 to t5 are the steps; b0, b1, g0 and g1 are b and gamma of the two diagonal AROW. Each fused
    operation is explicit. If the compiler chose them, code that was just compiled and code from
    the cache could differ in the last bit.
    """
    c0, c1 = lines[k + np.uint64(6)], lines[k + np.uint64(7)]
    lines[k] = multiplied_and_added(t0, v, lines[k])
    lines[k + np.uint64(1)] = multiplied_and_added(t1, v, lines[k + np.uint64(1)])
    lines[k + np.uint64(2)] = multiplied_and_added(t2, v, lines[k + np.uint64(2)])
    lines[k + np.uint64(3)] = multiplied_and_added(t3, v, lines[k + np.uint64(3)])
    lines[k + np.uint64(4)] = multiplied_and_added(t4 * c0, v, lines[k + np.uint64(4)])
    lines[k + np.uint64(5)] = multiplied_and_added(t5 * c1, v, lines[k + np.uint64(5)])
    lines[k + np.uint64(6)] = min(MOST_VARIANCE, multiplied_and_added(-(b0 * c0 * c0 * v), v, c0) / g0)
    lines[k + np.uint64(7)] = min(MOST_VARIANCE, multiplied_and_added(-(b1 * c1 * c1 * v), v, c1) / g1)


@jit
def train_columns(
    scale: Floats,
    lines: Floats,
    sparse: bool,
    places: Indices,
    z: Floats,
    size: int,
    every: int,
    y: float,
    weight: float,
    scores: Floats,
    spreads: Floats,
) -> None:
    """Update the six columns of a view with z, |z| = 1.

    ``scale[0]`` is the scale of NORMA, ``size`` the number of places of z, ``every`` the number of
    all places.
    """
    m0, m1, m2, m3, m4, m5 = y * scores[0], y * scores[1], y * scores[2], y * scores[3], y * scores[4], y * scores[5]
    t0 = y * min(weight * PA_C[0], 1.0 - m0) if m0 < 1.0 else 0.0
    t1 = y * min(weight * PA_C[1], 1.0 - m1) if m1 < 1.0 else 0.0
    t2 = y * min(weight * PA_C[2], 1.0 - m2) if m2 < 1.0 else 0.0
    scale[0] *= 1.0 - NORMA_FORGETS
    t3 = y * (weight * NORMA_STEP) / scale[0] if m3 <= 1.0 else 0.0
    t4, t5, b0, b1, g0, g1 = 0.0, 0.0, 0.0, 0.0, 1.0, 1.0
    if m4 < 1.0:
        b0, g0 = 1.0 / (spreads[0] + DIAGONAL_R[0] / weight), DIAGONAL_GAMMA[0]
        t4 = (1.0 - m4) * b0 * y
    if m5 < 1.0:
        b1, g1 = 1.0 / (spreads[1] + DIAGONAL_R[1] / weight), DIAGONAL_GAMMA[1]
        t5 = (1.0 - m5) * b1 * y
    if t0 != 0.0 or t1 != 0.0 or t2 != 0.0 or t3 != 0.0 or g0 != 1.0 or g1 != 1.0:
        for p in range(np.uint64(size)):
            k = (np.uint64(places[p]) if sparse else p) * EIGHT
            move_line(lines, k, z[p], t0, t1, t2, t3, t4, t5, b0, b1, g0, g1)
    if scale[0] < SMALLEST:
        for p in range(np.uint64(every)):
            lines[p * EIGHT + np.uint64(NORMA)] *= scale[0]
        scale[0] = 1.0


@leaf
def dot(w: Floats, z: Floats, size: int) -> float:
    """w.z."""
    total = 0.0
    for p in range(np.uint64(size)):
        total += w[p] * z[p]
    return total


@leaf
def times(P: Floats, z: Floats, size: int, h: Floats) -> float:
    """h = P z; return z.P z."""
    start = np.uint64(0)
    for i in range(np.uint64(size)):
        zi, total = z[i], 0.0
        for j in range(i):
            p = P[start + j]
            total += p * z[j]
            h[j] += p * zi
        h[i] = total + P[start + i] * zi
        start += i + ONE
    v = 0.0
    for i in range(np.uint64(size)):
        v += h[i] * z[i]
    return v


@fused
def downdate(P: Floats, h: Floats, b: float, grow: float, size: int) -> float:
    """P = grow (P - b h h^T); return its trace."""
    start = np.uint64(0)
    trace = 0.0
    for i in range(np.uint64(size)):
        bh = b * h[i]
        for j in range(i + ONE):
            P[start + j] = (P[start + j] - bh * h[j]) * grow
        start += i + ONE
        trace += P[start - ONE]
    return trace


@jit
def train_arow(
    w: Floats,
    P: Floats,
    z: Floats,
    size: int,
    score: float,
    y: float,
    r: float,
    gamma: float,
    most: float,
    h: Floats,
) -> None:
    """One step of full AROW; P is divided by gamma, and its trace limited to ``most``."""
    m = y * score
    if not m < 1.0:
        return
    v = times(P, z, size, h)
    b = 1.0 / (max(v, 0.0) + r)
    tau = (1.0 - m) * b * y
    for i in range(np.uint64(size)):
        w[i] += tau * h[i]
    trace = downdate(P, h, b, 1.0 / gamma, size)
    if trace > most:
        shrink = most / trace
        for k in range(np.uint64(size * (size + 1) // 2)):
            P[k] *= shrink
