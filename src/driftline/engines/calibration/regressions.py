"""Logistic regressions on the same features, by online Newton steps, with different memories.

    s = w.z,   p = 1 / (1 + exp(-s)),   k = max(p (1 - p), 1e-4)
    g = A z,   b = 1 / (gamma / k + z.g)
    w += (y - p) (b / k) g,   A = (A - b g g^T) / gamma      with y = 0 or 1

A is the inverse of the discounted sum of k z z^T. A regression with gamma < 1 forgets, and A would
grow without limit in directions that no z has. So every PERIOD rounds a pseudo-example says that
one weight, in turn, is 0. Its precision is such that A stays near PRIOR in these directions.

Place 0 of z is the constant 1. A is stored as a full matrix with a multiple of four rows and
columns, so that all loops run over whole vectors. Their order and their fused operations are
explicit, and do not depend on the caller. A stays exactly symmetric, because the product of two
entries of sqrt(b) g is subtracted.

Hazan, Agarwal, Kale. Logarithmic regret algorithms for online convex optimization. Machine
Learning 69 (2007).
Differs from the paper: the Hessian k z z^T takes the place of the outer product of the gradient,
there is no projection, and there is a memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.multiply_add import multiplied_and_added
from driftline.internals.numeric.square import downdate, times

MEMORIES = (1.0, 0.999)
"""gamma of each regression."""
PRIOR = 3.0  # the variance of a weight before the first round
PERIOD = 8  # rounds between two pseudo-examples
LEAST_SLOPE = 1e-4  # lower limit of p (1 - p)
LARGEST_FEATURE, LARGEST_SCORE = 8.0, 30.0
ROUNDING = 1e-6  # z.g may be below 0 by this much
LANES = 4
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


class Regressions(NamedTuple):
    """The regressions on one set of features.

    ``weights`` has w of each memory, ``spreads`` A of each memory, row by row. ``z`` and ``g`` are
    overwritten in every round.
    """

    weights: Floats
    spreads: Floats
    z: Floats
    g: Floats


def width_of(features: int) -> int:
    """The number of rows and columns of A for ``features`` features and the constant.

    >>> width_of(1), width_of(7), width_of(30)
    (4, 8, 32)
    """
    return LANES * (features // LANES + 1)


def new_regressions(features: int) -> Regressions:
    """Regressions on this number of features before the first round."""
    width, memories = width_of(features), len(MEMORIES)
    made = Regressions(np.zeros(memories * width), np.zeros(memories * width**2), np.zeros(width), np.zeros(width))
    restart(made, 0, features + 1)
    return made


@jit
def restart(regressions: Regressions, first: int, size: int) -> None:
    """Set the weights from place ``first`` on, of ``size`` places, to their prior."""
    for k in range(len(MEMORIES)):
        restart_one(regressions, k, first, size)


@jit
def restart_one(regressions: Regressions, k: int, first: int, size: int) -> None:
    """``restart`` of the regression of one memory."""
    w, A, width = regressions.weights, regressions.spreads, regressions.z.size
    start = k * (A.size // len(MEMORIES))
    for i in range(size):
        for j in range(first if i < first else 0, size):
            A[start + i * width + j] = 0.0
    for i in range(first, size):
        A[start + i * width + i] = PRIOR
        w[k * width + i] = 0.0


@inlined
def padded(size: int) -> int:
    """The number of places, rounded up to a multiple of four."""
    return (np.uint64(size) + THREE) & ~THREE


@inlined
def place(regressions: Regressions, features: Floats, size: int) -> None:
    """Write the constant and the first ``size - 1`` features into z; NaN becomes 0."""
    z = regressions.z
    z[0] = 1.0
    for i in range(np.uint64(size) - ONE):
        v = features[i]
        z[i + ONE] = 0.0 if np.isnan(v) else min(LARGEST_FEATURE, max(-LARGEST_FEATURE, v))
    for i in range(np.uint64(size), padded(size)):
        z[i] = 0.0


@inlined
def dot(a: Floats, start: int, b: Floats, size: int) -> float:
    """The sum of ``a[start + i] * b[i]``; ``size`` is a multiple of four."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(np.uint64(0), size, FOUR):
        at = start + i
        s0 = multiplied_and_added(a[at], b[i], s0)
        s1 = multiplied_and_added(a[at + ONE], b[i + ONE], s1)
        s2 = multiplied_and_added(a[at + TWO], b[i + TWO], s2)
        s3 = multiplied_and_added(a[at + THREE], b[i + THREE], s3)
    return (s0 + s1) + (s2 + s3)


@inlined
def probability_at(s: float) -> float:
    """1 / (1 + exp(-s)) with s limited to [-30, 30]; 1/2 for NaN."""
    if np.isnan(s):
        return 0.5
    return 1.0 / (1.0 + np.exp(-min(LARGEST_SCORE, max(-LARGEST_SCORE, s))))


@inlined
def guess(regressions: Regressions, size: int, guesses: Floats, first: int) -> None:
    """Write the probability of each regression for the z in place, from ``guesses[first]`` on."""
    width = np.uint64(regressions.z.size)
    for k in range(len(MEMORIES)):
        s = dot(regressions.weights, np.uint64(k) * width, regressions.z, padded(size))
        guesses[first + k] = probability_at(s)


@inlined
def move(w: Floats, start: int, tau: float, g: Floats, b: float, width: int) -> None:
    """w += tau g, then g = sqrt(b) g."""
    root = np.sqrt(b)
    for i in range(width):
        w[start + i] = multiplied_and_added(tau, g[i], w[start + i])
        g[i] *= root


@inlined
def step(regressions: Regressions, k: int, size: int, p: float, y: float, gamma: float) -> None:
    """A Newton step of regression k on the z in place, after its probability p.

    A regression whose numbers have overflowed starts again.
    """
    w, A, z, g = regressions
    width, n = np.uint64(z.size), np.uint64(size)
    at, start = np.uint64(k) * width, np.uint64(k) * np.uint64(A.size // len(MEMORIES))
    times(A, start, z, padded(size), width, g)
    v = dot(g, np.uint64(0), z, padded(size))
    if not (-ROUNDING < v < np.inf and np.isfinite(w[at])):
        restart_one(regressions, k, 0, size)
        return
    slope = max(p * (1.0 - p), LEAST_SLOPE)
    b = 1.0 / (gamma / slope + max(v, 0.0))
    move(w, at, (y - p) * (b / slope), g, b, width)
    downdate(A, start, g, 1.0 / gamma, n, width)


@jit
def decay(regressions: Regressions, k: int, size: int, i: int, precision: float) -> None:
    """A Newton step of regression k on a pseudo-example: weight i is 0, with this precision."""
    w, A, z, g = regressions
    width, n = np.uint64(z.size), np.uint64(size)
    at, start = np.uint64(k) * width, np.uint64(k) * np.uint64(A.size // len(MEMORIES))
    row = start + np.uint64(i) * width
    for j in range(width):
        g[j] = A[row + j]
    b = 1.0 / (1.0 / precision + max(g[i], 0.0))
    move(w, at, -w[at + np.uint64(i)] * b, g, b, width)
    downdate(A, start, g, 1.0, n, width)


@jit
def regress(regressions: Regressions, size: int, guesses: Floats, first: int, learned: float, y: float) -> None:
    """Learn the z in place with label y = 0 or 1, after ``learned`` labels.

    ``guesses`` are those of ``guess``.
    """
    for k in range(len(MEMORIES)):
        gamma = MEMORIES[k]
        step(regressions, k, size, guesses[first + k], y, gamma)
        if gamma < 1.0 and learned % PERIOD == 0.0:
            i = int(learned) // PERIOD % size
            decay(regressions, k, size, i, (1.0 - gamma) * PERIOD * size / PRIOR)
