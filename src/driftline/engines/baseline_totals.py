"""The mistakes of two baselines on the labels of a block, in one compiled pass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats, jit

# entries of the totals
NO_CHANGE, MAJORITY, LAST, LEADER = 0, 1, 2, 3
NONE = -1
"""The last label and the leader before the first example."""

Counts = npt.NDArray[np.int64]


@jit
def add_labels(labels: Floats, several: bool, first_sign: float, totals: Counts, counts: Counts) -> None:
    """Add the labels of a block to ``totals`` and to the ``counts`` of each class.

    Labels are class numbers, or signs if there are two labels; the class number of ``first_sign``
    is then 0. No change predicts the last label. Majority predicts the leader, the class that
    reached the highest count first. Both are wrong at the first example.
    """
    no_change, majority = totals[NO_CHANGE], totals[MAJORITY]
    last, leader = totals[LAST], totals[LEADER]
    for i in range(labels.size):
        label = np.int64(labels[i]) if several else np.int64(labels[i] != first_sign)
        no_change += label != last
        majority += label != leader
        counts[label] += 1
        if leader == NONE or counts[label] > counts[leader]:
            leader = label
        last = label
    totals[NO_CHANGE], totals[MAJORITY] = no_change, majority
    totals[LAST], totals[LEADER] = last, leader
