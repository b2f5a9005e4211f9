"""The calibrator of the scores of several classes: a probability of each class.

It is the mixture of two softmax regressions and of running shares of the classes, weighed by log
loss as in ``mixture``. The regressions see two features of each class k:

    z_k = (score_k - mean score) / rms   and   tanh(3 (score_k - best other score) / rms),

where rms is the running root mean square of the deviations from the mean score, this round
included. The logit of class k is w.(its features): one w for all classes, so that a few rounds
suffice. A step on class y with features f and probabilities p is

    H = gamma H + Cov_p(f) + (1 - gamma) I,   w += H^-1 (f_y - E_p(f)).

A round with a new class teaches the shares only. The result is finite for any scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.calibration.mixture import ALPHA, LEAST, STAYS
from driftline.engines.calibration.regressions import LARGEST_FEATURE
from driftline.engines.calibration.score_calibrator import BEND, FORGETS, LARGEST
from driftline.internals.compiled import Floats, inlined, jit

MEMORIES = (0.999, 0.995)
"""gamma of each regression."""
# the places of the numbers: the rounds that they were learned from, the sums for rms, the labels
# counted for each memory, the weights of the components; for each regression 2 weights and the 3
# numbers of a symmetric matrix
FIRST, NEXT, SQUARES, ROUNDS = 0, 1, 2, 3
TOTALS = 4
SHARES = TOTALS + len(STAYS)
COMPONENTS = len(MEMORIES) + len(STAYS)
WEIGHTS = SHARES + COMPONENTS
HESSIANS = WEIGHTS + 2 * len(MEMORIES)
SIZE = HESSIANS + 3 * len(MEMORIES)
SMOOTHING = 0.5  # rounds that each class has had before the first round
# rows of ``work``: the two features of each class, then the probabilities of each regression
Z, BENT, GUESSES = 0, 1, 2
MIXED = GUESSES + len(MEMORIES)


class ClassCalibrator(NamedTuple):
    """The numbers of a calibrator; the running count of each class, a row for each memory; and
    arrays with a column for each class that are overwritten: their last row is the probability.
    """

    numbers: Floats
    counts: Floats
    work: Floats


def new_calibrator(classes: int) -> ClassCalibrator:
    """A calibrator with room for this number of classes before the first round."""
    made = ClassCalibrator(np.zeros(SIZE), np.zeros((len(STAYS), classes)), np.zeros((MIXED + 1, classes)))
    restart(made.numbers, made.counts)
    return made


@jit
def restart(c: Floats, counts: Floats) -> None:
    """Forget all rounds."""
    c[:] = 0.0
    counts[:] = 0.0
    for k in range(COMPONENTS):
        c[SHARES + k] = 1.0 / COMPONENTS
    for k in range(len(MEMORIES)):
        restart_regression(c, k)


@inlined
def restart_regression(c: Floats, k: int) -> None:
    """Set regression k to its prior."""
    w, h = WEIGHTS + 2 * k, HESSIANS + 3 * k
    c[w], c[w + 1] = 0.0, 0.0
    c[h], c[h + 1], c[h + 2] = 1.0, 0.0, 1.0


@inlined
def limited(score: float) -> float:
    """The score within its limits; 0 for NaN."""
    return min(LARGEST, max(-LARGEST, score)) if score == score else 0.0


@jit
def place(c: Floats, work: Floats, scores: Floats, classes: int) -> float:
    """Write the features of each class; return the mean square of the deviations."""
    mean, best, second = 0.0, -np.inf, -np.inf
    for r in range(classes):
        s = limited(scores[r])
        mean += s / classes
        if s > best:
            best, second = s, best
        elif s > second:
            second = s
    square = 0.0
    for r in range(classes):
        square += (limited(scores[r]) - mean) ** 2 / classes
    found = (FORGETS * c[SQUARES] + square) / (FORGETS * c[ROUNDS] + 1.0)
    inverse = 1.0 / np.sqrt(found) if found > 0.0 else 0.0
    top = True  # until the first class with the best score
    for r in range(classes):
        s = limited(scores[r])
        rival = best
        if top and s == best:
            rival, top = second if classes > 1 else s, False
        work[Z, r] = min(LARGEST_FEATURE, max(-LARGEST_FEATURE, (s - mean) * inverse))
        work[BENT, r] = np.tanh(BEND * (s - rival) * inverse)
    return square


@jit
def guess(c: Floats, counts: Floats, work: Floats, classes: int) -> None:
    """Write the probabilities of each regression, and of the mixture, for the features in place."""
    for k in range(len(MEMORIES)):
        w0, w1 = c[WEIGHTS + 2 * k], c[WEIGHTS + 2 * k + 1]
        top = -np.inf
        for r in range(classes):
            work[GUESSES + k, r] = w0 * work[Z, r] + w1 * work[BENT, r]
            top = max(top, work[GUESSES + k, r])
        total = 0.0
        for r in range(classes):
            work[GUESSES + k, r] = np.exp(work[GUESSES + k, r] - top)
            total += work[GUESSES + k, r]
        for r in range(classes):
            work[GUESSES + k, r] /= total
    total = 0.0
    for r in range(classes):
        p = 0.0
        for k in range(COMPONENTS):
            p += c[SHARES + k] * guess_of(c, counts, work, classes, k, r)
        work[MIXED, r] = p
        total += p
    for r in range(classes):
        work[MIXED, r] /= total


@inlined
def guess_of(c: Floats, counts: Floats, work: Floats, classes: int, k: int, r: int) -> float:
    """The probability that component k gives to class r."""
    if k < len(MEMORIES):
        return work[GUESSES + k, r]
    j = k - len(MEMORIES)
    return (counts[j, r] + SMOOTHING) / (c[TOTALS + j] + SMOOTHING * classes)


@jit
def step(c: Floats, work: Floats, classes: int, y: int, k: int) -> None:
    """A Newton step of regression k on class y."""
    w, h, gamma = WEIGHTS + 2 * k, HESSIANS + 3 * k, MEMORIES[k]
    e0 = e1 = m00 = m01 = m11 = 0.0
    for r in range(classes):
        p, f0, f1 = work[GUESSES + k, r], work[Z, r], work[BENT, r]
        e0 += p * f0
        e1 += p * f1
    for r in range(classes):
        p, f0, f1 = work[GUESSES + k, r], work[Z, r] - e0, work[BENT, r] - e1
        m00 += p * f0 * f0
        m01 += p * f0 * f1
        m11 += p * f1 * f1
    c[h] = gamma * c[h] + m00 + (1.0 - gamma)
    c[h + 1] = gamma * c[h + 1] + m01
    c[h + 2] = gamma * c[h + 2] + m11 + (1.0 - gamma)
    g0, g1 = work[Z, y] - e0, work[BENT, y] - e1
    determinant = c[h] * c[h + 2] - c[h + 1] * c[h + 1]
    c[w] += (c[h + 2] * g0 - c[h + 1] * g1) / determinant
    c[w + 1] += (c[h] * g1 - c[h + 1] * g0) / determinant
    if not (np.isfinite(c[w]) and np.isfinite(c[w + 1]) and np.isfinite(determinant)):
        restart_regression(c, k)


@jit
def learn(c: Floats, counts: Floats, work: Floats, scores: Floats, classes: int, y: int) -> None:
    """Learn class y of one round; ``classes`` is the number of classes known before it."""
    square = place(c, work, scores, classes)
    if y < classes:
        guess(c, counts, work, classes)
        total = 0.0
        for k in range(COMPONENTS):
            c[SHARES + k] *= max(LEAST, guess_of(c, counts, work, classes, k, y))
            total += c[SHARES + k]
        stays = (1.0 - ALPHA) / total
        for k in range(COMPONENTS):
            c[SHARES + k] = stays * c[SHARES + k] + ALPHA / COMPONENTS
        for k in range(len(MEMORIES)):
            step(c, work, classes, y, k)
    for j in range(len(STAYS)):
        if STAYS[j] < 1.0:
            for r in range(classes):
                counts[j, r] *= STAYS[j]
        counts[j, y] += 1.0
        c[TOTALS + j] = STAYS[j] * c[TOTALS + j] + 1.0
    if classes > 0:
        c[SQUARES] = FORGETS * c[SQUARES] + square
        c[ROUNDS] = FORGETS * c[ROUNDS] + 1.0


@jit
def probability(c: Floats, counts: Floats, work: Floats, scores: Floats, classes: int, found: Floats) -> None:
    """Write the probability of each class at these scores; ``classes`` is at least 1."""
    place(c, work, scores, classes)
    guess(c, counts, work, classes)
    for r in range(classes):
        found[r] = work[MIXED, r]
