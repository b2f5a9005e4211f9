"""The experts for sparse rows of many features only: two static AROW and two naive Bayes.

A place has a line of eight numbers: the weights of the two AROW, their variances, and the counts
of examples of label -1 and +1 with this feature, without and with forgetting. Place 0, the
constant, counts all examples.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.state import GROWN, LINE, SEEN, TOTALS
from driftline.internals.compiled import Floats, Indices, fused, inlined, jit
from driftline.rules.tracker.tracker import BAYES_STAYS, SMOOTHING, SPARSE_BANK, STATIC_R

EIGHT = np.uint64(LINE)
ONE = np.uint64(1)
VARIANCES, COUNTS, FORGOTTEN = 2, 4, 6
AT = SPARSE_BANK  # index of the first of these experts among all experts
LARGEST = 1e100  # upper limit of the factor of the counts with forgetting
AT_ONCE = 8  # factors per logarithm; logarithms cost more than all the rest


@jit
def open_line(lines: Floats, place: int) -> None:
    """Set the variances of a new place to 1."""
    lines[LINE * place + VARIANCES] = 1.0
    lines[LINE * place + VARIANCES + 1] = 1.0


@fused
def score_static(lines: Floats, places: Indices, z: Floats, size: int, scores: Floats, spreads: Floats) -> None:
    """Write the scores of the two static AROW on the sparse z, and z.P z of both."""
    a0, a1, u0, u1 = 0.0, 0.0, 0.0, 0.0
    for p in range(np.uint64(size)):
        v, k = z[p], np.uint64(places[p]) * EIGHT
        a0 += lines[k] * v
        a1 += lines[k + np.uint64(1)] * v
        u0 += lines[k + np.uint64(2)] * (v * v)
        u1 += lines[k + np.uint64(3)] * (v * v)
    scores[0], scores[1] = a0, a1
    spreads[0], spreads[1] = u0, u1


@inlined
def odds(less: float, more: float, added: float) -> float:
    """The ratio of the count of +1 to that of -1, with ``added`` added to both."""
    return (more + added) / (less + added)


@jit
def score_bayes(own: Floats, lines: Floats, places: Indices, size: int, scores: Floats) -> None:
    """Write the scores of the two naive Bayes; features that were never learned are skipped."""
    grown = own[GROWN]
    s, f, n = 0.0, 0.0, 0
    still = odds(lines[COUNTS], lines[COUNTS + 1], 1.0)
    lately = odds(lines[FORGOTTEN], lines[FORGOTTEN + 1], grown)
    for p in range(ONE, np.uint64(size)):
        k = np.uint64(places[p]) * EIGHT
        less, more = lines[k + np.uint64(4)], lines[k + np.uint64(5)]
        if less + more > 0.0:
            n += 1
            still *= odds(less, more, SMOOTHING)
            lately *= odds(lines[k + np.uint64(6)], lines[k + np.uint64(7)], SMOOTHING * grown)
            if n % AT_ONCE == 0:
                s, f = s + np.log(still), f + np.log(lately)
                still, lately = 1.0, 1.0
    added = SMOOTHING * own[SEEN] + 1.0
    s += np.log(still) - n * np.log(odds(own[TOTALS], own[TOTALS + 1], added))
    f += np.log(lately) - n * np.log(odds(own[TOTALS + 2], own[TOTALS + 3], added * grown))
    scores[2], scores[3] = s / np.sqrt(n + 1.0), f / np.sqrt(n + 1.0)


@jit
def score_sparse_experts(
    own: Floats, lines: Floats, places: Indices, z: Floats, size: int, scores: Floats, spreads: Floats
) -> None:
    """Write the scores of all four experts."""
    score_static(lines, places, z, size, scores[AT:], spreads[2:])
    score_bayes(own, lines, places, size, scores[AT:])


@jit
def train_sparse_experts(
    own: Floats,
    lines: Floats,
    places: Indices,
    z: Floats,
    size: int,
    every: int,
    y: float,
    weight: float,
    scores: Floats,
    spreads: Floats,
) -> None:
    """Update all four experts; ``every`` is the number of places."""
    m0, m1 = y * scores[AT], y * scores[AT + 1]
    b0 = 1.0 / (spreads[2] + STATIC_R[0] / weight) if m0 < 1.0 else 0.0
    b1 = 1.0 / (spreads[3] + STATIC_R[1] / weight) if m1 < 1.0 else 0.0
    t0, t1 = (1.0 - m0) * b0 * y, (1.0 - m1) * b1 * y
    own[GROWN] /= BAYES_STAYS
    grown = weight * own[GROWN]
    side = np.uint64(y > 0.0)
    new = -1 if lines[COUNTS] + lines[COUNTS + 1] == 0.0 else 0  # the constant is not a feature
    for p in range(np.uint64(size)):
        v, k = z[p], np.uint64(places[p]) * EIGHT
        c0, c1 = lines[k + np.uint64(2)], lines[k + np.uint64(3)]
        lines[k] += t0 * c0 * v
        lines[k + np.uint64(1)] += t1 * c1 * v
        lines[k + np.uint64(2)] = c0 - b0 * c0 * c0 * v * v
        lines[k + np.uint64(3)] = c1 - b1 * c1 * c1 * v * v
        new += lines[k + np.uint64(4)] + lines[k + np.uint64(5)] == 0.0
        lines[k + np.uint64(4) + side] += weight
        lines[k + np.uint64(6) + side] += grown
    own[SEEN] += new
    own[np.uint64(TOTALS) + side] += (size - 1) * weight
    own[np.uint64(TOTALS + 2) + side] += (size - 1) * grown
    if own[GROWN] > LARGEST:
        for p in range(np.uint64(every)):
            lines[p * EIGHT + np.uint64(6)] /= own[GROWN]
            lines[p * EIGHT + np.uint64(7)] /= own[GROWN]
        own[TOTALS + 2] /= own[GROWN]
        own[TOTALS + 3] /= own[GROWN]
        own[GROWN] = 1.0
