"""Waves: full AROW on 100 random cosines of a row and a constant.

    x_j    sqrt(2 / 100) cos(o_j.z + b_j)  for j = 0, ..., 99;  x_100 = 1
    s_c    w_c.x for each class c;  m_c = s_c if c is the label, else -s_c

    w_c'   w_c +- (1 - m_c) b h    where m_c < 1, plus for the label, minus for other classes
    P'     (P - b h h^T) / 0.995    if any class moved; then scaled so that its trace is <= 101,000
    h, b   P x,  1 / (x.h + 0.1 / w)

One matrix P, at first the identity, is shared by all classes; w is the sample weight. The
frequencies o_ji are normal with variance 2 q_j / d, the phases b_j uniform: these are random
Fourier features of the kernel exp(-q |z - z'|^2 / d), where q is 0.2 for even j and 2 for odd j.
On seven streams, these two q had a smaller mean log error than q = 1 alone, and 0.995 a smaller one
than 0.998 and 1.

Features may appear at any time. A feature takes part from the first learned row on in which it is
known; the score of that row is still without it. d is the number of features known in that row. So
d is the number of all features if they are known from the start, and a new feature does not change
the frequencies of the others, or what was learned with them.

A class that was never seen has the weights of a class that was never the label of any row so far:
these are learned in row 0 of the weights, in every round in which a class moved. A new class
starts with them. Two classes are therefore a single binary AROW: w_0 = -w_1 in every bit.

Crammer, Kulesza, Dredze. Adaptive regularization of weight vectors. NIPS 22 (2009), figure 1.
Rahimi, Recht. Random features for large-scale kernel machines. NIPS 20 (2007), algorithm 1.
Differs from the papers: P is shared by one-vs-rest classes, divided by 0.995 and limited. 0.1 / w
below 1e-6 counts as 1e-6.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftline.engines.nonlinear.nearest import Integers
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.internals.numeric.multiply_add import multiplied_and_added
from driftline.internals.numeric.simd import LANES, dot_eights
from driftline.internals.numeric.triangular import column
from driftline.rules.kernel.fourier_waves import S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, TURN, frequencies, uniform

WAVES = 100
SIZE = WAVES + 1
WIDTH = -(-SIZE // LANES) * LANES  # of a row of weights; the numbers from SIZE on are 0
PLACES = column(SIZE)  # of P: row i has 8 (i // 8 + 1) numbers; those after the diagonal are 0
NARROW, WIDE = 2.0, 0.2  # q of odd and of even waves
HEIGHT = math.sqrt(2.0 / WAVES)
R, GROWTH = 0.1, 1.0 / 0.995
LEAST_NOISE = 1e-6
MOST_TRACE = 1e3 * SIZE
SEED = np.uint64(2)
PHASES = np.uint64(1 << 40)  # used in place of a feature for the phases; no feature has it
NEVER, FIRST = 0, 1  # rows of weights: of a class never seen, of class 0
ZERO, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(LANES)
FULL = np.uint64(WIDTH)


class Bank(NamedTuple):
    """Frequencies in turns, weights by class, P, classes seen, number of features drawn."""

    frequencies: Floats
    weights: Floats
    variances: Floats
    seen: Integers
    drawn: Integers


class Workspace(NamedTuple):
    """x, h = P x, and the score of each row of weights."""

    x: Floats
    h: Floats
    sums: Floats


@jit
def fill_phases(phases: Floats) -> None:
    """Write the phase of each wave, in turns."""
    for j in range(WAVES):
        phases[j] = uniform(SEED, PHASES, np.uint64(j))


@jit
def draw(bank: Bank, known: int) -> None:
    """Draw the frequencies of the features that were unknown before."""
    for k in range(bank.drawn[0], known):
        row = bank.frequencies[k]
        frequencies(SEED, np.uint64(k), 1.0 / TURN, row[:WAVES])
        for j in range(WAVES):
            row[j] *= math.sqrt(2.0 * (NARROW if j % 2 == 1 else WIDE) / known)
    bank.drawn[0] = max(known, bank.drawn[0])


@inlined
def cosine(turns: float) -> float:
    """cos(2 pi turns) as sin(2 pi s), |s| <= 1/4, by its series, with explicit fused steps."""
    s = 0.25 - abs(turns - np.floor(turns + 0.5))
    q = s * s
    p = multiplied_and_added(q, S9, S8)
    p = multiplied_and_added(q, p, S7)
    p = multiplied_and_added(q, p, S6)
    p = multiplied_and_added(q, p, S5)
    p = multiplied_and_added(q, p, S4)
    p = multiplied_and_added(q, p, S3)
    p = multiplied_and_added(q, p, S2)
    p = multiplied_and_added(q, p, S1)
    return s * multiplied_and_added(q, p, S0)


@jit
def fill_waves(table: Floats, phases: Floats, z: Floats, known: int, work: Workspace) -> None:
    """Write x for the first ``known`` values of z."""
    x = work.x
    for j in range(FULL):
        x[j] = phases[j]
    for k in range(np.uint64(known)):
        value = z[k]
        if value != 0.0:
            for j in range(FULL):
                x[j] = multiplied_and_added(value, table[k, j], x[j])
    for j in range(FULL):
        x[j] = HEIGHT * cosine(x[j])
    x[WAVES] = 1.0
    for j in range(SIZE, WIDTH):
        x[j] = 0.0


@jit
def fill_sums(weights: Floats, seen: Integers, work: Workspace) -> None:
    """Write the score of each row of weights in use."""
    flat = weights.reshape(-1)
    work.sums[NEVER] = dot_eights(work.x, flat, ZERO, FULL)
    for c in range(seen.size):
        if seen[c] != 0:
            work.sums[FIRST + c] = dot_eights(work.x, flat, np.uint64(FIRST + c) * FULL, FULL)


@jit
def write_scores(seen: Integers, sums: Floats, scores: Floats, i: int) -> None:
    """Write the scores of row i; a class never seen has at most the lowest score of the others."""
    lowest = sums[NEVER]
    for c in range(seen.size):
        if seen[c] != 0:
            lowest = min(lowest, sums[FIRST + c])
    for c in range(scores.shape[2]):
        scores[i, 0, c] = sums[FIRST + c] if c < seen.size and seen[c] != 0 else lowest


@jit
def times(P: Floats, work: Workspace) -> float:
    """h = P x; return x.P x."""
    x, h, start = work.x, work.h, ZERO
    for i in range(np.uint64(SIZE)):
        size = (i // EIGHT + ONE) * EIGHT
        h[i] = dot_eights(x, P, start, size)
        value = x[i]
        for j in range(i):
            h[j] = multiplied_and_added(value, P[start + j], h[j])
        start += size
    return dot_eights(x, h, ZERO, FULL)


@jit
def downdate(P: Floats, h: Floats, b: float) -> None:
    """P = (P - b h h^T) / gamma, scaled if its trace is too large."""
    start, trace = ZERO, 0.0
    for i in range(np.uint64(SIZE)):
        minus = -(b * h[i])
        for j in range(i + ONE):
            P[start + j] = multiplied_and_added(minus, h[j], P[start + j]) * GROWTH
        trace += P[start + i]
        start += (i // EIGHT + ONE) * EIGHT
    if trace > MOST_TRACE:
        shrink = MOST_TRACE / trace
        for k in range(np.uint64(PLACES)):
            P[k] *= shrink


@jit
def move(weights: Floats, row: int, step: float, h: Floats) -> None:
    """w += step h for one row of weights."""
    for j in range(FULL):
        weights[row, j] = multiplied_and_added(step, h[j], weights[row, j])


@jit
def train(bank: Bank, label: int, weight: float, work: Workspace) -> None:
    """One step of AROW; ``work`` has x and the scores."""
    sums, seen, weights = work.sums, bank.seen, bank.weights
    if seen[label] == 0:
        seen[label] = 1
        for j in range(SIZE):
            weights[FIRST + label, j] = weights[NEVER, j]
        sums[FIRST + label] = sums[NEVER]
    moves = False
    for c in range(seen.size):
        moves = moves or (seen[c] != 0 and (sums[FIRST + c] < 1.0 if c == label else sums[FIRST + c] > -1.0))
    if not moves:
        return
    b = 1.0 / (max(times(bank.variances, work), 0.0) + max(R / weight, LEAST_NOISE))
    for c in range(-1, seen.size):  # -1: the class never seen
        if c < 0 or seen[c] != 0:
            sign = 1.0 if c == label else -1.0
            margin = sign * sums[FIRST + c]
            if margin < 1.0:
                move(weights, FIRST + c, (1.0 - margin) * b * sign, work.h)
    downdate(bank.variances, work.h, b)


@jit
def score_rows(bank: Bank, phases: Floats, Z: Floats, known: Integers, scores: Floats) -> None:
    """Write the scores of each row."""
    work = Workspace(np.zeros(WIDTH), np.zeros(WIDTH), np.zeros(bank.weights.shape[0]))
    for i in range(Z.shape[0]):
        fill_waves(bank.frequencies, phases, Z[i], min(known[i], bank.drawn[0]), work)
        fill_sums(bank.weights, bank.seen, work)
        write_scores(bank.seen, work.sums, scores, i)


@jit
def learn_rows(
    bank: Bank, phases: Floats, limit: int, Z: Floats, known: Integers, y: Integers, w: Floats, scores: Floats
) -> None:
    """Write the scores of each row, then learn it unless its weight is 0."""
    work = Workspace(np.zeros(WIDTH), np.zeros(WIDTH), np.zeros(bank.weights.shape[0]))
    learn_with(bank, phases, limit, Z, known, y, w, scores, work)


@jit
def learn_with(
    bank: Bank,
    phases: Floats,
    limit: int,
    Z: Floats,
    known: Integers,
    y: Integers,
    w: Floats,
    scores: Floats,
    work: Workspace,
) -> None:
    """``learn_rows`` in a given workspace."""
    bank, phases, Z, scores, work = borrowed(bank), borrowed(phases), borrowed(Z), borrowed(scores), borrowed(work)
    for i in range(Z.shape[0]):
        fill_waves(bank.frequencies, phases, Z[i], min(known[i], bank.drawn[0]), work)
        fill_sums(bank.weights, bank.seen, work)
        write_scores(bank.seen, work.sums, scores, i)
        if w[i] > 0.0:
            features = min(known[i], limit)
            if features > bank.drawn[0]:
                draw(bank, features)
                fill_waves(bank.frequencies, phases, Z[i], features, work)
                fill_sums(bank.weights, bank.seen, work)
            train(bank, y[i], w[i], work)
