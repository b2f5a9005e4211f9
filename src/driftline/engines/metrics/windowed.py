"""The last rows of a run in a ring, and their metrics at regular positions, in one compiled pass.

Row n of the run is at position n mod window of the ring, so the content does not depend on the
split of the stream into blocks.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.metrics.class_counts import NO_CHANGE_HIT, NONE, PREDICTED, RIGHT, TRUE, Counts, Hits
from driftline.engines.metrics.probability_sums import loss_of
from driftline.engines.metrics.score_bins import (
    AUC_CLASSES,
    NOT_A_NUMBER,
    PROBABILITY_BINS,
    SCORE_BINS,
    area,
    probability_bin,
    score_bin,
)
from driftline.internals.compiled import Floats, jit

# columns of a point; the shares of the first classes follow
AT, ERROR, BALANCED, KAPPA, KAPPA_TEMPORAL, AUC, LOSS = 0, 1, 2, 3, 4, 5, 6
FIRST_SHARE = 7
SHARES = 10
POINT = FIRST_SHARE + SHARES


@jit
def advance(
    start: int,
    labels: Counts,
    predicted: Counts,
    hits: Hits,
    scores: Floats,
    probabilities: Floats,
    ring_labels: Counts,
    ring_predicted: Counts,
    ring_hits: Hits,
    ring_scores: Floats,
    ring_probabilities: Floats | None,
    two: bool,
    first: int,
    stride: int,
    counts: Counts,
    bins: Counts,
    points: Floats,
) -> None:
    """Move the ring over a block that follows ``start`` rows; write the points of the block.

    A point is due after row ``first`` of the block, and after every ``stride``-th row from there.
    ``ring_probabilities`` is None if probabilities are not measured; the code for them is then not
    compiled. ``counts`` of shape (3, classes) is scratch; ``bins`` of shape (2, SCORE_BINS) is too,
    and stays 0.
    """
    window, size = ring_labels.size, labels.size
    done = 0
    for point in range(points.shape[0] + 1):
        stop = min(first + point * stride + 1, size) if point < points.shape[0] else size
        begin = max(done, stop - window)
        at = (start + begin) % window
        for i in range(begin, stop):
            ring_labels[at] = labels[i]
            ring_predicted[at] = predicted[i]
            ring_hits[at] = hits[i]
            ring_scores[at] = scores[i]
            if ring_probabilities is not None:
                for k in range(ring_probabilities.shape[1]):
                    ring_probabilities[at, k] = probabilities[i, k] if k < probabilities.shape[1] else 0.0
            at = at + 1 if at + 1 < window else 0
        done = stop
        if point < points.shape[0]:
            rows = min(start + stop, window)
            row = points[point]
            row[AT] = start + stop
            _count(rows, ring_labels, ring_predicted, ring_hits, counts, row)
            row[AUC], row[LOSS] = np.nan, np.nan
            if ring_probabilities is not None:
                row[LOSS] = _loss(rows, ring_labels, ring_probabilities)
                row[AUC] = _area_of_probabilities(rows, ring_labels, ring_probabilities, two, bins)
            elif two:
                row[AUC] = _area_of_scores(rows, ring_labels, ring_scores, bins)


@jit
def _count(rows: int, labels: Counts, predicted: Counts, hits: Hits, counts: Counts, row: Floats) -> None:
    """Write error, balanced accuracy, both kappas and the shares of the classes."""
    counts[:] = 0
    unchanged = 0
    for i in range(rows):
        unchanged += hits[i] & NO_CHANGE_HIT
    if counts.shape[1] == 2:
        positive, said_positive, both, said = 0, 0, 0, 0
        for i in range(rows):
            positive += labels[i]
            said_positive += predicted[i] == 1
            said += predicted[i] != NONE
            both += labels[i] & (predicted[i] == 1)
        counts[TRUE, 0], counts[TRUE, 1] = rows - positive, positive
        counts[PREDICTED, 0], counts[PREDICTED, 1] = said - said_positive, said_positive
        counts[RIGHT, 1] = both
        for i in range(rows):
            counts[RIGHT, 0] += (labels[i] == 0) & (predicted[i] == 0)
    else:
        for i in range(rows):
            label, told = labels[i], predicted[i]
            counts[TRUE, label] += 1
            if told != NONE:
                counts[PREDICTED, told] += 1
                counts[RIGHT, label] += label == told
    right, recall, there, chance = 0, 0.0, 0, 0.0
    for k in range(counts.shape[1]):
        right += counts[RIGHT, k]
        chance += counts[TRUE, k] * (counts[PREDICTED, k] / rows)
        if counts[TRUE, k] > 0:
            recall += counts[RIGHT, k] / counts[TRUE, k]
            there += 1
    row[ERROR] = (rows - right) / rows
    row[BALANCED] = recall / there
    row[KAPPA] = (right - chance) / (rows - chance) if chance < rows else np.nan
    row[KAPPA_TEMPORAL] = (right - unchanged) / (rows - unchanged) if unchanged < rows else np.nan
    for k in range(SHARES):
        row[FIRST_SHARE + k] = counts[TRUE, k] / rows if k < counts.shape[1] else 0.0


@jit
def _loss(rows: int, labels: Counts, probabilities: Floats) -> float:
    """The mean log loss; NaN if a probability is not in [0, 1]."""
    total = 0.0
    for i in range(rows):
        p = probabilities[i, labels[i]] if labels[i] < probabilities.shape[1] else 0.0
        total += loss_of(p) if 0.0 <= p <= 1.0 else np.nan
    return total / rows


@jit
def _area_of_scores(rows: int, labels: Counts, scores: Floats, bins: Counts) -> float:
    """AUC of the scores; NaN if one of them is not a number."""
    cells = bins.reshape(-1)
    low, high = SCORE_BINS, 0
    for i in range(rows):
        place = score_bin(scores[i])
        low, high = min(low, place), max(high, place)
        cells[np.uintp(labels[i] * SCORE_BINS + place)] += 1
    found = area(bins[0, low : high + 1], bins[1, low : high + 1])[0] if high < NOT_A_NUMBER else np.nan
    bins[:, low : high + 1] = 0
    return found


@jit
def _area_of_probabilities(rows: int, labels: Counts, probabilities: Floats, two: bool, bins: Counts) -> float:
    """The mean AUC of each class against the others; with two classes that of class 1."""
    total, there = 0.0, 0
    if probabilities.shape[1] > AUC_CLASSES:
        return np.nan
    for k in range(probabilities.shape[1]):
        if two and k != 1:
            continue
        good = True
        for i in range(rows):
            p = probabilities[i, k]
            good &= 0.0 <= p <= 1.0
            bins[np.int64(labels[i] == k), probability_bin(p) if good else 0] += 1
        found = area(bins[0, :PROBABILITY_BINS], bins[1, :PROBABILITY_BINS])[0]
        bins[:, :PROBABILITY_BINS] = 0
        if not good:
            return np.nan
        if found == found:
            total += found
            there += 1
    return total / there if there > 0 else np.nan
