"""Logistic regressions on the same features, by online Newton steps, with different memories.

    s = w.z,   p = 1 / (1 + exp(-s)),   k = max(p (1 - p), 1e-4)
    g = A z,   b = 1 / (gamma / k + z.g)
    w += (y - p) (b / k) g,   A = (A - b g g^T) / gamma      with y = 0 or 1

A is the inverse of the discounted sum of k z z^T. A regression with gamma < 1 forgets, and A would
grow without limit in directions that no z has. So every PERIOD rounds a pseudo-example says that
one weight, in turn, is 0. Its precision is such that A stays near PRIOR in these directions.

Place 0 of z is the constant 1. A is stored as a full matrix: its rows have a multiple of eight
numbers, so that all loops run over whole vectors, in an order that does not depend on the caller.
A stays exactly symmetric, because the product of two entries of sqrt(b) g is subtracted.

Hazan, Agarwal, Kale. Logarithmic regret algorithms for online convex optimization. Machine
Learning 69 (2007).
Differs from the paper: the Hessian k z z^T takes the place of the outer product of the gradient,
there is no projection, and there is a memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, fused, jit

MEMORIES = (1.0, 0.999)
"""gamma of each regression."""
PRIOR = 1.0  # the variance of a weight before the first round
PERIOD = 8  # rounds between two pseudo-examples
LEAST_SLOPE = 1e-4  # lower limit of p (1 - p)
LARGEST_FEATURE, LARGEST_SCORE = 8.0, 30.0
ROUNDING = 1e-6  # z.g may be below 0 by this much
LANES = 8
ONE, EIGHT = np.uint64(1), np.uint64(LANES)


class Regressions(NamedTuple):
    """The regressions on one set of features.

    ``weights`` has a row w for each memory, ``spreads`` a row with all of A, row by row. ``turn``
    is the number of rounds since the first pseudo-example. ``z`` and ``g`` are overwritten in every
    round.
    """

    weights: Floats
    spreads: Floats
    turn: Floats
    z: Floats
    g: Floats


def width_of(features: int) -> int:
    """The room for ``features`` features and the constant: a multiple of eight.

    >>> width_of(1), width_of(7), width_of(30)
    (8, 8, 32)
    """
    return LANES * (features // LANES + 1)


def new_regressions(features: int) -> Regressions:
    """Regressions on this number of features before the first round."""
    width, memories = width_of(features), len(MEMORIES)
    made = Regressions(
        np.zeros((memories, width)),
        np.zeros((memories, (features + 1) * width)),
        np.zeros(1),
        np.zeros(width),
        np.zeros(width),
    )
    for k in range(memories):
        restart(made.weights[k], made.spreads[k], 0, features + 1, width)
    return made


@jit
def restart(w: Floats, A: Floats, first: int, size: int, width: int) -> None:
    """Set the weights from place ``first`` on, of ``size`` places, to their prior."""
    for i in range(size):
        for j in range(first if i < first else 0, size):
            A[i * width + j] = 0.0
    for i in range(first, size):
        A[i * width + i] = PRIOR
        w[i] = 0.0


@jit
def place(regressions: Regressions, features: Floats, size: int) -> None:
    """Write the constant and the first ``size - 1`` features into z; NaN becomes 0."""
    z = regressions.z
    z[0] = 1.0
    for i in range(np.uint64(size - 1)):
        v = features[i]
        if not np.isnan(v):
            z[i + ONE] = min(LARGEST_FEATURE, max(-LARGEST_FEATURE, v))
        else:
            z[i + ONE] = 0.0


@fused
def dot_of(w: Floats, z: Floats, size: int) -> float:
    """w.z."""
    total = 0.0
    for i in range(np.uint64(size)):
        total += w[i] * z[i]
    return total


@jit
def probability_at(s: float) -> float:
    """1 / (1 + exp(-s)) with s limited to [-30, 30]; 1/2 for NaN."""
    if np.isnan(s):
        return 0.5
    return 1.0 / (1.0 + np.exp(-min(LARGEST_SCORE, max(-LARGEST_SCORE, s))))


@jit
def guess(regressions: Regressions, size: int, guesses: Floats, first: int) -> None:
    """Write the probability of each regression for the z in place, from ``guesses[first]`` on."""
    for k in range(len(MEMORIES)):
        guesses[first + k] = probability_at(dot_of(regressions.weights[k], regressions.z, size))


@fused
def times(A: Floats, z: Floats, size: int, width: int, g: Floats) -> float:
    """g = A z; return z.g."""
    for block in range(np.uint64(width) // EIGHT):
        k = block * EIGHT
        a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(np.uint64(size)):
            v, at = z[i], i * np.uint64(width) + k
            a0 += A[at] * v
            a1 += A[at + np.uint64(1)] * v
            a2 += A[at + np.uint64(2)] * v
            a3 += A[at + np.uint64(3)] * v
            a4 += A[at + np.uint64(4)] * v
            a5 += A[at + np.uint64(5)] * v
            a6 += A[at + np.uint64(6)] * v
            a7 += A[at + np.uint64(7)] * v
        g[k], g[k + np.uint64(1)], g[k + np.uint64(2)], g[k + np.uint64(3)] = a0, a1, a2, a3
        g[k + np.uint64(4)], g[k + np.uint64(5)], g[k + np.uint64(6)], g[k + np.uint64(7)] = a4, a5, a6, a7
    total = 0.0
    for i in range(np.uint64(size)):
        total += z[i] * g[i]
    return total


@fused
def downdate(A: Floats, u: Floats, grow: float, size: int, width: int) -> None:
    """A = grow (A - u u^T)."""
    for i in range(np.uint64(size)):
        v, at = u[i], i * np.uint64(width)
        for j in range(np.uint64(width)):
            A[at + j] = (A[at + j] - v * u[j]) * grow


@fused
def move(w: Floats, tau: float, g: Floats, b: float, size: int) -> None:
    """w += tau g, then g = sqrt(b) g."""
    root = np.sqrt(b)
    for i in range(np.uint64(size)):
        w[i] += tau * g[i]
        g[i] *= root


@jit
def step(w: Floats, A: Floats, z: Floats, g: Floats, size: int, width: int, p: float, y: float, gamma: float) -> None:
    """One Newton step on z, after the probability p, with label y = 0 or 1.

    A regression whose numbers have overflowed starts again.
    """
    v = times(A, z, size, width, g)
    if not (-ROUNDING < v < np.inf and np.isfinite(w[0])):
        restart(w, A, 0, size, width)
        return
    slope = max(p * (1.0 - p), LEAST_SLOPE)
    b = 1.0 / (gamma / slope + max(v, 0.0))
    move(w, (y - p) * (b / slope), g, b, size)
    downdate(A, g, 1.0 / gamma, size, width)


@jit
def decay(w: Floats, A: Floats, g: Floats, i: int, size: int, width: int, precision: float) -> None:
    """A Newton step on a pseudo-example: weight i is 0, with this precision."""
    for j in range(np.uint64(size)):
        g[j] = A[np.uint64(i * width) + j]
    b = 1.0 / (1.0 / precision + max(g[i], 0.0))
    move(w, -w[i] * b, g, b, size)
    downdate(A, g, 1.0, size, width)


@jit
def regress(regressions: Regressions, size: int, guesses: Floats, first: int, y: float) -> None:
    """Learn the z in place with label y = 0 or 1; ``guesses`` are those of ``guess``."""
    weights, spreads, turn = regressions.weights, regressions.spreads, regressions.turn
    z, g, width = regressions.z, regressions.g, regressions.z.size
    for k in range(len(MEMORIES)):
        gamma = MEMORIES[k]
        step(weights[k], spreads[k], z, g, size, width, guesses[first + k], y, gamma)
        if gamma < 1.0 and turn[0] % PERIOD == 0.0:
            i = int(turn[0]) // PERIOD % size
            decay(weights[k], spreads[k], g, i, size, width, (1.0 - gamma) * PERIOD * size / PRIOR)
    turn[0] += 1.0
