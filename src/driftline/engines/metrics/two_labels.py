"""The rounds of a learner of two labels: all counts that do not need probabilities, in one pass."""

from __future__ import annotations

import numpy as np

from driftline.engines.metrics.class_counts import (
    EXAMPLES,
    MAJORITY,
    MAJORITY_HIT,
    NO_CHANGE,
    NO_CHANGE_HIT,
    PREDICTED,
    RIGHT,
    TRUE,
    Counts,
    Hits,
)
from driftline.engines.metrics.score_bins import SCORE_BINS, score_bin
from driftline.internals.compiled import Floats, jit


@jit
def add_two_labels(
    y: Floats,
    scores: Floats,
    labels: Counts,
    predicted: Counts,
    hits: Hits,
    last_and_leader: Counts,
    counts: Counts,
    matrix: Counts,
    tallies: Counts,
    bins: Counts,
) -> None:
    """Write class numbers and baseline hits, and count the rows of a block.

    Class 1 is the positive label. It is predicted if the score is >= 0. The result is that of
    ``baseline_hits``, ``add_counts`` and ``add_scores`` for one group, with counters in registers.
    ``bins`` has shape (2, SCORE_BINS).
    """
    last, leader = last_and_leader
    lead = counts[TRUE, 1] - counts[TRUE, 0]
    positive, said_positive, both, no_change, majority = 0, 0, 0, 0, 0
    cells = bins.reshape(-1)
    for i in range(y.size):
        label = np.int64(y[i] > 0.0)
        said = np.int64(scores[i] >= 0.0)
        unchanged, frequent = np.int64(label == last), np.int64(label == leader)
        labels[i], predicted[i] = label, said
        hits[i] = NO_CHANGE_HIT * unchanged + MAJORITY_HIT * frequent
        no_change += unchanged
        majority += frequent
        positive += label
        said_positive += said
        both += label & said
        lead += 2 * label - 1
        leader = np.int64(lead > 0) | (np.int64(lead == 0) & np.int64(leader == 1))
        last = label
        cells[np.uintp(label * SCORE_BINS + score_bin(scores[i]))] += 1
    last_and_leader[0], last_and_leader[1] = last, leader
    matrix[0, 0] += y.size - positive - said_positive + both
    matrix[0, 1] += said_positive - both
    matrix[1, 0] += positive - both
    matrix[1, 1] += both
    for k in range(2):
        counts[TRUE, k] = matrix[k, 0] + matrix[k, 1]
        counts[PREDICTED, k] = matrix[0, k] + matrix[1, k]
        counts[RIGHT, k] = matrix[k, k]
    tallies[EXAMPLES] += y.size
    tallies[NO_CHANGE] += no_change
    tallies[MAJORITY] += majority
