"""Histograms of scores and of probabilities by label, from which AUC is computed.

The bin of a score is given by its sign, its exponent and the first MANTISSA bits of its mantissa,
so a bin is at most 1/16 of its scores wide. Scores beyond 2^64 share the outermost bins, and scores
below 2^-64 the middle one. The last bin counts the scores that are not numbers.

The bin of a probability p <= 1/2 is that of its bits, down to 2^-24. The bins above 1/2 mirror
them, so probabilities near 1 are resolved like those near 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats, inlined, jit

Counts = npt.NDArray[np.int64]

MANTISSA, EXPONENTS = 4, 64
_SHIFT = 52 - MANTISSA
_LEAST = (1023 - EXPONENTS) << MANTISSA
SIDE = 2 * EXPONENTS << MANTISSA
MIDDLE = SIDE
NOT_A_NUMBER = 2 * SIDE + 1
SCORE_BINS = 2 * SIDE + 2

_INFINITE = 0x7FF << 52
_MAGNITUDE = (1 << 63) - 1

HALF = 24 << MANTISSA
"""Bins of the probabilities below 1/2."""
PROBABILITY_BINS = 2 * HALF
AUC_CLASSES = 32
"""The most classes for which AUC is computed from probabilities."""
_FIRST = ((1021 << MANTISSA) | ((1 << MANTISSA) - 1)) - (HALF - 1)


@inlined
def score_bin(score: float) -> int:
    """The bin of a score."""
    bits = np.float64(score).view(np.int64)
    magnitude = bits & _MAGNITUDE
    if magnitude > _INFINITE:
        return NOT_A_NUMBER
    place: int = min(max((magnitude >> _SHIFT) - _LEAST + 1, 0), SIDE)
    return MIDDLE + place * (1 | (bits >> 63))  # without a branch on the sign


@inlined
def probability_bin(p: float) -> int:
    """The bin of a probability from 0 to 1."""
    low = p < 0.5
    bits = np.float64(p if low else 1.0 - p).view(np.int64)
    place: int = min(max((bits >> _SHIFT) - _FIRST, 0), HALF - 1)
    return place if low else PROBABILITY_BINS - 1 - place


@jit
def add_scores(groups: Counts, labels: Counts, scores: Floats, bins: Counts) -> None:
    """Count the scores of a block in ``bins`` of shape (groups, 2, SCORE_BINS), by label.

    All rows are of group 0 if ``groups`` is empty.
    """
    grouped = groups.size > 0
    cells = bins.reshape(-1)
    for i in range(labels.size):
        row = 2 * groups[i] + labels[i] if grouped else labels[i]
        cells[np.uintp(row * SCORE_BINS + score_bin(scores[i]))] += 1


@jit
def add_probability_bins(groups: Counts, labels: Counts, probabilities: Floats, bins: Counts) -> None:
    """Count the probability of each class in ``bins`` of shape (groups, classes, 2, PROBABILITY_BINS).

    The third axis tells whether the row has that class. A class without a column has probability 0.
    Rows with a probability outside [0, 1] are left out.
    """
    grouped = groups.size > 0
    for i in range(labels.size):
        group = groups[i] if grouped else 0
        good = True
        for k in range(probabilities.shape[1]):
            good &= 0.0 <= probabilities[i, k] <= 1.0
        if good:
            for k in range(bins.shape[1]):
                p = probabilities[i, k] if k < probabilities.shape[1] else 0.0
                bins[group, k, np.int64(labels[i] == k), probability_bin(p)] += 1


@jit
def area(negative: Counts, positive: Counts) -> tuple[float, float]:
    """AUC of two histograms, and the most by which it can differ from the AUC of the scores.

    A pair of scores in one bin counts one half. Both are NaN if a histogram is empty.
    """
    below, wins, ties, positives = 0.0, 0.0, 0.0, 0.0
    for b in range(negative.size):
        if negative[b] or positive[b]:
            wins += positive[b] * (below + 0.5 * negative[b])
            ties += 0.5 * positive[b] * negative[b]
            below += negative[b]
            positives += positive[b]
    pairs = below * positives
    if pairs == 0.0:
        return np.nan, np.nan
    return wins / pairs, ties / pairs
