"""Softmax regressions on the scores of voters, learned by online Newton steps.

Class c has the features f_c. The probability of class c is

    p_c = exp(w.f_c + b_c) / sum_r exp(w.f_r + b_r).

One w serves all classes; only the offset b_c belongs to a class. After a round with class y, let
u = f_y - (mean of the f_r, r != y, weighted by p_r), with the same difference for the offsets. The
step is that of a logistic regression on u, whose probability of the right answer is p_y:

    g = A u,  q = p_y (1 - p_y),  v = u.g
    w += (1 - p_y) g / (gamma + q v),   A = (A - g g^T / (gamma / q + v)) / gamma

q is at least 1e-4, and a round with 1 - p_y <= 1e-9 changes nothing. A begins as PRIOR I, b as 0.
On the scores of experts w begins as 1 / (number of active experts), on other features as 0. For
gamma < 1 every PERIOD-th round is followed by a pseudo-example that draws one weight, in turn,
towards its first value with the precision (1 - gamma) PERIOD (number of weights) / PRIOR. So A
stays bounded.

Hazan, Agarwal, Kale. Logarithmic regret algorithms for online convex optimization. Machine Learning
69 (2007).
Differs from the paper: the step uses the curvature p_y (1 - p_y) of the round, there is no
projection, and gamma < 1 forgets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.calibration.regressions import dot, move, padded
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.alignment import aligned
from driftline.internals.numeric.square import downdate, times

MEMORIES = (1.0, 0.999)
"""gamma of each regression."""
PRIOR = 1.0 / 3.0
PERIOD = 8
LEAST_SLOPE, LEAST_ERROR = 1e-4, 1e-9
ROUNDING = 1e-6  # u.g may be below 0 by this much
LARGEST = 30.0  # difference of two logits


class Readout(NamedTuple):
    """Both regressions on one set of features.

    Places 0 to ``features - 1`` are those of w, the offset of class c follows at ``features + c``.
    ``weights`` has w and b of each memory, ``spreads`` has A of each memory, row by row, ``start``
    the weights before the first round. ``logits`` has a row for each memory. It is overwritten in
    every round, and so are ``u`` and ``g``.
    """

    weights: Floats
    spreads: Floats
    start: Floats
    logits: Floats
    u: Floats
    g: Floats


def width_of(places: int) -> int:
    """The number of rows and columns of A: a multiple of four.

    >>> width_of(4), width_of(5)
    (4, 8)
    """
    return (places + 3) // 4 * 4


def new_readout(features: int, classes: int) -> Readout:
    """Regressions before the first round, with room for this number of classes."""
    width, memories = width_of(features + classes), len(MEMORIES)
    spreads = aligned(memories * width * width, np.dtype(np.float64))
    spreads.reshape(memories, width, width)[:, np.arange(width), np.arange(width)] = PRIOR
    return Readout(
        weights=np.zeros(memories * width),
        spreads=spreads,
        start=np.zeros(width),
        logits=np.zeros((memories, classes)),
        u=np.zeros(width),
        g=np.zeros(width),
    )


def widened(readout: Readout, features: int, classes: int) -> Readout:
    """The same regressions with room for more classes."""
    made = new_readout(features, classes)
    before, after, memories = readout.u.size, made.u.size, len(MEMORIES)
    made.weights.reshape(memories, after)[:, :before] = readout.weights.reshape(memories, before)
    square = readout.spreads.reshape(memories, before, before)
    made.spreads.reshape(memories, after, after)[:, :before, :before] = square
    made.start[:before] = readout.start
    return made


@jit
def begin(readout: Readout, features: int, active: np.ndarray) -> None:
    """Set the weights of the active features to 1 / (their number) before the first round."""
    count = 0
    for j in range(features):
        count += active[j]
    width = readout.u.size
    for j in range(features):
        readout.start[j] = 1.0 / count if active[j] else 0.0
        for k in range(len(MEMORIES)):
            readout.weights[k * width + j] = readout.start[j]


@jit
def restart_from(readout: Readout, first: int, features: int) -> None:
    """Forget the weights of the features from ``first`` on, and set them to 0."""
    width = readout.u.size
    for k in range(len(MEMORIES)):
        for i in range(width):
            for j in range(width):
                if first <= i < features or first <= j < features:
                    readout.spreads[(k * width + i) * width + j] = PRIOR if i == j else 0.0
        for i in range(first, features):
            readout.weights[k * width + i] = 0.0
    for i in range(first, features):
        readout.start[i] = 0.0


@jit
def restart(readout: Readout, k: int) -> None:
    """Set regression k to its prior."""
    width = readout.u.size
    for i in range(width):
        for j in range(width):
            readout.spreads[(k * width + i) * width + j] = PRIOR if i == j else 0.0
        readout.weights[k * width + i] = readout.start[i]


@inlined
def guess(readout: Readout, k: int, features: int, F: Floats, classes: int, p: Floats) -> None:
    """Write the probability of each class in regression k; ``F[c]`` has the features of class c."""
    w, width = readout.weights, np.uint64(readout.u.size)
    start = np.uint64(k) * width
    top = -np.inf
    for c in range(classes):
        s = w[start + np.uint64(features + c)]
        for j in range(np.uint64(features)):
            s += w[start + j] * F[c, j]
        readout.logits[k, c] = s
        top = max(top, s)
    total = 0.0
    for c in range(classes):
        p[c] = np.exp(max(-LARGEST, readout.logits[k, c] - top))
        total += p[c]
    if not total < np.inf:  # overflow or NaN
        for c in range(classes):
            p[c] = 1.0 / classes
        return
    for c in range(classes):
        p[c] /= total


@inlined
def direct(readout: Readout, features: int, F: Floats, classes: int, y: int, p: Floats, error: float) -> None:
    """Write u, the features of class y less the mean of those of the other classes."""
    u = readout.u
    for i in range(u.size):
        u[i] = 0.0
    for c in range(classes):
        share = 1.0 if c == y else -p[c] / error
        for j in range(features):
            u[j] += share * F[c, j]
        u[features + c] = share


@inlined
def step(readout: Readout, k: int, features: int, F: Floats, classes: int, y: int, p: Floats, learned: float) -> None:
    """A Newton step of regression k on class y, after its probabilities p.

    A regression whose numbers have overflowed starts again. ``learned`` is the number of earlier
    rounds.
    """
    w, A, u, g = readout.weights, readout.spreads, readout.u, readout.g
    width = np.uint64(u.size)
    at, start, gamma = np.uint64(k) * width, np.uint64(k) * width * width, MEMORIES[k]
    size = np.uint64(features + classes)
    error = 0.0
    for c in range(classes):
        if c != y:
            error += p[c]
    if error > LEAST_ERROR:
        direct(readout, features, F, classes, y, p, error)
        times(A, start, u, padded(size), width, g)
        v = dot(g, np.uint64(0), u, padded(size))
        if not (-ROUNDING < v < np.inf and np.isfinite(w[at])):
            restart(readout, k)
            return
        slope = max(p[y] * error, LEAST_SLOPE)
        b = 1.0 / (gamma / slope + max(v, 0.0))
        move(w, at, error * (b / slope), g, b, width)
        downdate(A, start, g, 1.0 / gamma, size, width)
    if gamma < 1.0 and learned % PERIOD == 0.0:
        decay(readout, k, size, int(learned) // PERIOD % int(size), (1.0 - gamma) * PERIOD * int(size) / PRIOR)


@inlined
def decay(readout: Readout, k: int, size: int, i: int, precision: float) -> None:
    """A Newton step on a pseudo-example: weight i has its prior value, with this precision."""
    w, A, g = readout.weights, readout.spreads, readout.g
    width = np.uint64(g.size)
    at, start = np.uint64(k) * width, np.uint64(k) * width * width
    row = start + np.uint64(i) * width
    for j in range(width):
        g[j] = A[row + j]
    b = 1.0 / (1.0 / precision + max(g[i], 0.0))
    move(w, at, (readout.start[i] - w[at + np.uint64(i)]) * b, g, b, width)
    downdate(A, start, g, 1.0, size, width)
