"""Log loss, Brier score and calibration bins of probabilities, in one compiled pass over a block.

Sums are compensated (Neumaier), so that millions of rows cost no precision.
"""

from __future__ import annotations

import math

from driftline.engines.metrics.class_counts import BAD, Counts
from driftline.internals.compiled import Floats, inlined, jit

# entries of the sums; each is followed by its compensation
LOG_LOSS, BRIER = 0, 2
SUMS = 4
# rows of the calibration bins
ROWS, MEAN, HITS = 0, 1, 2
CALIBRATION_BINS = 15
# first axis of the calibration bins
OF_POSITIVE, OF_LIKELIEST = 0, 1
TINY = 2.0**-52


@inlined
def loss_of(p: float) -> float:
    """-log p, with p clipped to [2^-52, 1 - 2^-52]."""
    return -math.log(min(max(p, TINY), 1.0 - TINY))


@inlined
def brier_of(probabilities: Floats, i: int, label: int) -> float:
    """The sum of (p_k - [k is the label])^2 over all classes of row i."""
    total = 0.0 if label < probabilities.shape[1] else 1.0
    for k in range(probabilities.shape[1]):
        gap = probabilities[i, k] - (1.0 if k == label else 0.0)
        total += gap * gap
    return total


@jit
def add_probabilities(
    groups: Counts,
    labels: Counts,
    probabilities: Floats,
    two: bool,
    tallies: Counts,
    sums: Floats,
    calibration: Floats,
) -> None:
    """Add the rows of a block.

    ``sums`` has shape (groups, SUMS). ``calibration`` has shape (groups, 2, 3, CALIBRATION_BINS):
    bins of the probability of class 1 if there are ``two`` classes, and of the highest probability
    of each row, with the number of rows, the sum of the probability, and the rows in which the
    class was right. A row with a probability outside [0, 1] counts as bad and adds nothing else.
    """
    grouped = groups.size > 0
    classes = probabilities.shape[1]
    for i in range(labels.size):
        group = groups[i] if grouped else 0
        label = labels[i]
        likeliest, good = 0, classes > 0
        for k in range(classes):
            good &= 0.0 <= probabilities[i, k] <= 1.0
            if probabilities[i, k] > probabilities[i, likeliest]:
                likeliest = k
        if not good:
            tallies[group, BAD] += 1
            continue
        _add(sums, group, LOG_LOSS, loss_of(probabilities[i, label] if label < classes else 0.0))
        _add(sums, group, BRIER, brier_of(probabilities, i, label))
        if two and classes > 1:
            _add_bin(calibration, group, OF_POSITIVE, probabilities[i, 1], label == 1)
        _add_bin(calibration, group, OF_LIKELIEST, probabilities[i, likeliest], label == likeliest)


@inlined
def _add(sums: Floats, group: int, place: int, value: float) -> None:
    before = sums[group, place]
    total = before + value
    if abs(before) >= abs(value):
        sums[group, place + 1] += (before - total) + value
    else:
        sums[group, place + 1] += (value - total) + before
    sums[group, place] = total


@inlined
def _add_bin(calibration: Floats, group: int, which: int, p: float, right: bool) -> None:
    place = min(int(p * CALIBRATION_BINS), CALIBRATION_BINS - 1)
    calibration[group, which, ROWS, place] += 1.0
    calibration[group, which, MEAN, place] += p
    calibration[group, which, HITS, place] += 1.0 if right else 0.0
