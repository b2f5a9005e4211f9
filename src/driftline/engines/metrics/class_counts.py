"""Counts of labels and predictions by class, and the hits of two baselines, in compiled passes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import jit

Counts = npt.NDArray[np.int64]
Hits = npt.NDArray[np.uint8]

# rows of the counts of each class
TRUE, PREDICTED, RIGHT = 0, 1, 2
# entries of the tallies
EXAMPLES, NO_CHANGE, MAJORITY, BAD = 0, 1, 2, 3
TALLIES = 4
# bits of a hit
NO_CHANGE_HIT, MAJORITY_HIT = 1, 2
NONE = -1
"""The last label and the leader before the first example; the prediction where there was none."""


@jit
def baseline_hits(labels: Counts, seen: Counts, last_and_leader: Counts, hits: Hits) -> None:
    """Write for each row which baseline predicts its label; ``seen`` counts the labels so far.

    No change predicts the label of the previous row. Majority predicts the leader, the class that
    reached the highest count first.
    """
    last, leader = last_and_leader
    for i in range(labels.size):
        label = labels[i]
        hits[i] = NO_CHANGE_HIT * (label == last) + MAJORITY_HIT * (label == leader)
        seen[label] += 1
        if leader == NONE or seen[label] > seen[leader]:
            leader = label
        last = label
    last_and_leader[0], last_and_leader[1] = last, leader


@jit
def add_to_matrix(
    labels: Counts, predicted: Counts, hits: Hits, counts: Counts, matrix: Counts, tallies: Counts
) -> None:
    """``add_counts`` for one group and few classes: only the matrix is written in each row.

    ``counts`` has shape (3, classes), ``matrix`` has shape (classes, classes).
    """
    classes = matrix.shape[0]
    for k in range(classes):  # the rows without a prediction, which are not in the matrix
        for j in range(classes):
            counts[TRUE, k] -= matrix[k, j]
    cells = matrix.reshape(-1)
    no_change, majority = 0, 0
    for i in range(labels.size):
        no_change += hits[i] & NO_CHANGE_HIT
        majority += hits[i] & MAJORITY_HIT
        if predicted[i] == NONE:
            counts[TRUE, labels[i]] += 1
        else:
            cells[np.uintp(labels[i] * classes + predicted[i])] += 1
    for k in range(classes):
        counts[PREDICTED, k] = 0
        for j in range(classes):
            counts[TRUE, k] += matrix[k, j]
            counts[PREDICTED, k] += matrix[j, k]
        counts[RIGHT, k] = matrix[k, k]
    tallies[EXAMPLES] += labels.size
    tallies[NO_CHANGE] += no_change
    tallies[MAJORITY] += majority // MAJORITY_HIT


@jit
def add_counts(
    groups: Counts, labels: Counts, predicted: Counts, hits: Hits, counts: Counts, matrix: Counts, tallies: Counts
) -> None:
    """Count the rows of a block by group and class.

    ``counts`` has shape (groups, 3, classes). ``matrix`` has shape (groups, classes, classes), true
    class first; it is empty if there are too many classes. All rows are of group 0 if ``groups`` is
    empty.
    """
    grouped, square = groups.size > 0, matrix.size > 0
    for i in range(labels.size):
        group = groups[i] if grouped else 0
        label, said = labels[i], predicted[i]
        tallies[group, EXAMPLES] += 1
        tallies[group, NO_CHANGE] += hits[i] & NO_CHANGE_HIT
        tallies[group, MAJORITY] += (hits[i] & MAJORITY_HIT) // MAJORITY_HIT
        counts[group, TRUE, label] += 1
        if said != NONE:
            counts[group, PREDICTED, said] += 1
            counts[group, RIGHT, label] += label == said
            if square:
                matrix[group, label, said] += 1
