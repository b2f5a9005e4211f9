"""Multinomial naive Bayes on the values of sparse rows of many features, for each head.

Every row counts with length 1:

    v_i = |x_i| / |x|
    s   = [sum_i v_i ln (n_i+ + b) / (n_i- + b) - V ln (t+ + b N + 1) / (t- + b N + 1)] / sqrt(m + 1)

The sum is over the m features of x that were learned before, V is the sum of their v_i, n_i the sum
of v_i over the rows of either label, t the sum of all n_i, N the number of features; b = 0.01. Then
n_i += c v_i for the label of the row. So s depends on the ratios of the values in a row, and not on
their common factor.

Rennie, Shih, Teevan, Karger. Tackling the poor assumptions of naive Bayes text classifiers. ICML
2003, section 4.3: the normalisation by length.
Differs from the paper: values are not logarithms, there are no inverse document frequencies, and
signs of values are ignored. The frequencies of the labels are left out, as in the paper.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats, Indices, inlined, jit
from driftline.rules.tracker.tracker import BEYOND, VALUE_SMOOTHING, WORDS_BANK

MULTINOMIAL = WORDS_BANK  # index of this expert among all experts
PAIR = 2  # sums of a place: of label -1 and of +1; at place 0 those of all places
TWO, ONE = np.uint64(PAIR), np.uint64(1)
AT_ONCE = 8  # factors per logarithm; logarithms cost more than all the rest


@jit
def write_unit_values(slots: Indices, indices: Indices, values: Floats, units: Floats) -> None:
    """Write |x_i| / |x| of the features with a slot, in the order of the entries of the view "max"."""
    n = ONE
    square = 0.0
    for j in range(indices.size):
        k, value = indices[j], values[j]
        if abs(value) < BEYOND and value != 0.0:
            square += value * value
            if k < slots.size and slots[k] > 0:
                units[n] = abs(value)
                n += ONE
    scale = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
    units[0] = 0.0
    for p in range(ONE, n):
        units[p] *= scale


@inlined
def smoothing_of_totals(seen: float) -> float:
    """What is added to the sums of all places, after ``seen`` features."""
    return VALUE_SMOOTHING * seen + 1.0


@jit
def score_multinomial(seen: float, sums: Floats, places: Indices, units: Floats, size: int) -> float:
    """The score of a row with ``size`` entries; features that were never learned are skipped.

    Neighbours of equal value share a logarithm.
    """
    s, total, odds, value = 0.0, 0.0, 1.0, 0.0
    n, factors = 0, 0
    for p in range(ONE, np.uint64(size)):
        k = np.uint64(places[p]) * TWO
        less, more = sums[k], sums[k + ONE]
        if less + more > 0.0:
            if units[p] != value or factors == AT_ONCE:
                s += value * np.log(odds)
                odds, factors, value = 1.0, 0, units[p]
            odds *= (more + VALUE_SMOOTHING) / (less + VALUE_SMOOTHING)
            factors += 1
            total += value
            n += 1
    s += value * np.log(odds)
    added = smoothing_of_totals(seen)
    return (s - total * np.log((sums[1] + added) / (sums[0] + added))) / np.sqrt(n + 1.0)


@jit
def train_multinomial(sums: Floats, places: Indices, units: Floats, size: int, y: float, weight: float) -> None:
    """Add the values of a row to the sums of its label."""
    side = np.uint64(y > 0.0)
    total = 0.0
    for p in range(ONE, np.uint64(size)):
        sums[np.uint64(places[p]) * TWO + side] += weight * units[p]
        total += units[p]
    sums[side] += weight * total


def multinomial_terms(totals: Floats, sums: Floats, units: Floats, length: float | None = None) -> Floats:
    """The terms of the score at these places, given their sums and values; that of the constant is 0.

    ``totals`` are the smoothed sums of all places. The first place is the constant. ``length`` is the
    number of learned features of the row; None counts those of ``sums``.
    """
    learned = sums.sum(axis=1) > 0.0
    learned[0] = False
    odds = np.log((sums[:, 1] + VALUE_SMOOTHING) / (sums[:, 0] + VALUE_SMOOTHING)) - np.log(totals[1] / totals[0])
    size = np.count_nonzero(learned) if length is None else length
    terms: Floats = np.where(learned, units * odds, 0.0) / np.sqrt(size + 1.0)
    return terms
