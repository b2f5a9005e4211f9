"""The calibrator of a single score: a probability of the positive label for each score.

It is a mixture of two logistic regressions, one of them with forgetting, and of running shares of
the positive label, as in ``regressions`` and ``mixture``. The features are

    z = score / rms   and   tanh(3 z),

where rms is the running root mean square of the scores, this one included. z is limited to [-8, 8].
So the unit of the scores does not matter, and a learner whose scores grow stays calibrated. The
second feature bends the logistic curve: margin rules are surer of their sign than of its size.

All numbers are in one array, and every loop has three steps, so that a round costs little: a
probability is computed from the recent rounds when it is asked for.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.calibration.mixture import ALPHA, LEAST, LEAST_RATE, STAYS
from driftline.engines.calibration.regressions import (
    LARGEST_FEATURE,
    LEAST_SLOPE,
    MEMORIES,
    PERIOD,
    PRIOR,
    ROUNDING,
    probability_at,
)
from driftline.internals.compiled import Floats, inlined, jit

# the places of the numbers: the rounds that they were learned from, the sums for rms, the labels
# learned, the running shares (positive and all labels for each memory), the weights of the
# components; for each regression 3 weights and the 6 numbers of a symmetric matrix
FIRST, NEXT, SQUARES, ROUNDS, LEARNED = 0, 1, 2, 3, 4
RATES = 5
SHARES = RATES + 2 * len(STAYS)
COMPONENTS = len(MEMORIES) + len(STAYS)
WEIGHTS = SHARES + COMPONENTS
SPREADS = WEIGHTS + 3 * len(MEMORIES)
SIZE = SPREADS + 6 * len(MEMORIES)

FORGETS = 0.999  # the memory of rms
BEND = 3.0
LARGEST = 1e150  # of a score; its square must be finite


def new_numbers() -> Floats:
    """The numbers of a calibrator before the first round."""
    numbers = np.zeros(SIZE)
    restart(numbers)
    return numbers


@jit
def restart(c: Floats) -> None:
    """Forget all rounds."""
    c[:] = 0.0
    for k in range(len(STAYS)):
        c[RATES + 2 * k], c[RATES + 2 * k + 1] = 0.5, 1.0
    for k in range(COMPONENTS):
        c[SHARES + k] = 1.0 / COMPONENTS
    for k in range(len(MEMORIES)):
        restart_regression(c, k)


@inlined
def restart_regression(c: Floats, k: int) -> None:
    """Set regression k to its prior."""
    w, a = WEIGHTS + 3 * k, SPREADS + 6 * k
    c[w], c[w + 1], c[w + 2] = 0.0, 0.0, 0.0
    c[a], c[a + 1], c[a + 2] = PRIOR, 0.0, 0.0
    c[a + 3], c[a + 4], c[a + 5] = PRIOR, 0.0, PRIOR


@inlined
def features_of(c: Floats, score: float) -> tuple[float, float, float]:
    """Return z, tanh(3 z), and the score within its limits; 0 for NaN."""
    s = min(LARGEST, max(-LARGEST, score)) if score == score else 0.0
    mean = (FORGETS * c[SQUARES] + s * s) / (FORGETS * c[ROUNDS] + 1.0)
    z = min(LARGEST_FEATURE, max(-LARGEST_FEATURE, s / np.sqrt(mean))) if mean > 0.0 else 0.0
    return z, np.tanh(BEND * z), s


@inlined
def guess_of(c: Floats, k: int, z: float, bent: float) -> float:
    """The probability of component k: a regression, or a running share."""
    if k < len(MEMORIES):
        w = WEIGHTS + 3 * k
        return probability_at(c[w] + c[w + 1] * z + c[w + 2] * bent)
    at = RATES + 2 * (k - len(MEMORIES))
    return min(1.0 - LEAST_RATE, max(LEAST_RATE, c[at] / c[at + 1]))


@inlined
def mixed(c: Floats, z: float, bent: float) -> float:
    """The probability of the mixture."""
    p = 0.0
    for k in range(COMPONENTS):
        p += c[SHARES + k] * guess_of(c, k, z, bent)
    return min(1.0, p)


@inlined
def step(c: Floats, k: int, z: float, bent: float, p: float, y: float, gamma: float) -> None:
    """A Newton step of regression k with label y = 0 or 1; see ``regressions.step``."""
    w, a = WEIGHTS + 3 * k, SPREADS + 6 * k
    g0 = c[a] + c[a + 1] * z + c[a + 2] * bent
    g1 = c[a + 1] + c[a + 3] * z + c[a + 4] * bent
    g2 = c[a + 2] + c[a + 4] * z + c[a + 5] * bent
    v = g0 + g1 * z + g2 * bent
    if not (-ROUNDING < v < np.inf and np.isfinite(c[w])):
        restart_regression(c, k)
        return
    slope = max(p * (1.0 - p), LEAST_SLOPE)
    b = 1.0 / (gamma / slope + max(v, 0.0))
    move(c, w, a, (y - p) * (b / slope), b, g0, g1, g2, 1.0 / gamma)


@inlined
def move(c: Floats, w: int, a: int, tau: float, b: float, g0: float, g1: float, g2: float, grow: float) -> None:
    """w += tau g, then A = grow (A - b g g^T)."""
    c[w] += tau * g0
    c[w + 1] += tau * g1
    c[w + 2] += tau * g2
    c[a] = (c[a] - b * g0 * g0) * grow
    c[a + 1] = (c[a + 1] - b * g0 * g1) * grow
    c[a + 2] = (c[a + 2] - b * g0 * g2) * grow
    c[a + 3] = (c[a + 3] - b * g1 * g1) * grow
    c[a + 4] = (c[a + 4] - b * g1 * g2) * grow
    c[a + 5] = (c[a + 5] - b * g2 * g2) * grow


@inlined
def decay(c: Floats, k: int, i: int, precision: float) -> None:
    """A pseudo-example of regression k: weight i is 0, with this precision."""
    w, a = WEIGHTS + 3 * k, SPREADS + 6 * k
    g0, g1, g2 = c[a + i], c[a + 1], c[a + 2]
    if i == 1:
        g1, g2 = c[a + 3], c[a + 4]
    elif i == 2:
        g1, g2 = c[a + 4], c[a + 5]
    own = g0 if i == 0 else g1 if i == 1 else g2
    b = 1.0 / (1.0 / precision + max(own, 0.0))
    move(c, w, a, -c[w + i] * b, b, g0, g1, g2, 1.0)


@jit
def learn(c: Floats, score: float, positive: bool) -> float:
    """Learn the label of one score; return the probability of the positive label before."""
    y = 1.0 if positive else 0.0
    z, bent, s = features_of(c, score)
    total = p = 0.0
    for k in range(COMPONENTS):
        guess = guess_of(c, k, z, bent)
        p += c[SHARES + k] * guess
        c[SHARES + k] *= max(LEAST, guess if positive else 1.0 - guess)
        total += c[SHARES + k]
        if k < len(MEMORIES):
            step(c, k, z, bent, guess, y, MEMORIES[k])
            if MEMORIES[k] < 1.0 and c[LEARNED] % PERIOD == 0.0:
                decay(c, k, int(c[LEARNED]) // PERIOD % 3, (1.0 - MEMORIES[k]) * PERIOD * 3 / PRIOR)
    stays = (1.0 - ALPHA) / total
    for k in range(COMPONENTS):
        c[SHARES + k] = stays * c[SHARES + k] + ALPHA / COMPONENTS
    for k in range(len(STAYS)):
        c[RATES + 2 * k] = STAYS[k] * c[RATES + 2 * k] + y
        c[RATES + 2 * k + 1] = STAYS[k] * c[RATES + 2 * k + 1] + 1.0
    c[SQUARES] = FORGETS * c[SQUARES] + s * s
    c[ROUNDS] = FORGETS * c[ROUNDS] + 1.0
    c[LEARNED] += 1.0
    return min(1.0, p)


@jit
def probability(c: Floats, score: float) -> float:
    """The probability of the positive label at this score."""
    z, bent, _ = features_of(c, score)
    return mixed(c, z, bent)
