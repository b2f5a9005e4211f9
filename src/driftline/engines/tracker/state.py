"""The learned arrays of a tracker, in three records, and the workspace of its loops.

A feature gets a slot in the round in which it first appears. Its place in a view is its slot plus
1; place 0 is the constant 1 of every view. Arrays indexed by slot or place have spare room at the
end, filled with zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats, Indices, jit
from driftline.rules.tracker.tracker import QUAD_FEATURES

# indices in own: the number of rounds learned, of slots, of experts, of missing values, of scores
# that were not finite, of experts for sparse rows of many features, and of features that naive
# Bayes has counted; whether the view "max" is that of the recipe; the scale of NORMA in each view;
# the factor of the counts of the naive Bayes with forgetting; and the sums of all counts
ROUNDS, SLOTS, MEMBERS, MISSING, GUARDED, SPARSE, SEEN, PLAIN = 0, 1, 2, 3, 4, 5, 6, 7
SCALES, GROWN, TOTALS, OWN = 8, 12, 13, 17
# rows of course: running mean, variance and count of the view "std" and of "forget"; for features
# without an entry in a sparse row, the number of rounds with a value, the first of these rounds,
# its value, and whether another value followed; the least and the greatest value; and mean,
# variance and count without the first values
STD, FORGET, PRESENT, SINCE, VALUE, VARIED, LOW, HIGH, LATER, MOMENTS = 0, 3, 6, 7, 8, 9, 10, 11, 12, 15
# numbers of the views
MAX_VIEW, STD_VIEW, FORGET_VIEW, QUAD_VIEW = 0, 1, 2, 3
# rows of the workspace, indexed by slot or place: x, the running maxima including x, the views, P
# z
X, PEAK, Z, H, WORKSPACE_ROWS = 0, 1, 2, 6, 7
LINE = 8
VOTERS = 35
PROBABILITY = 4  # the row of trials, if there are five, for the probability of +1 before the round
Votes = npt.NDArray[np.int8]


class Views(NamedTuple):
    """The statistics of the views.

    ``slots`` is indexed by feature (0: no slot, otherwise slot + 1), ``highest`` (the running
    maxima) and ``course`` by slot, ``pairs`` by pair of features.
    """

    slots: Indices
    highest: Floats
    course: Floats
    pairs: Floats


class Bank(NamedTuple):
    """The experts.

    ``max``, ``std``, ``forget`` and ``quad`` have eight numbers per place for the six columns of a
    view. ``means`` and ``factors`` have the full AROW by view. ``sparse_lines`` has eight numbers
    per place for the experts for sparse rows of many features; its name in model files is "words".
    """

    max: Floats
    std: Floats
    forget: Floats
    quad: Floats
    means: Floats
    factors: Floats
    quad_means: Floats
    quad_factors: Floats
    sparse_lines: Floats


class Voting(NamedTuple):
    """Shares of the voters, stackers, and the errors of each voter.

    ``stack`` has the weights of the stackers, ``squares`` the mean squares of scores, ``spread`` P
    of the last stacker. ``shares`` has a row for each pair of rates: all switching rates of the
    first learning rate, then those of the next.
    """

    shares: Floats
    stack: Floats
    squares: Floats
    spread: Floats
    errors: Floats


class Workspace(NamedTuple):
    """Arrays that the loops overwrite in every round.

    ``pair`` has the products of features and their view. ``places`` and ``entries`` (value,
    running maximum, and in a third row of the strong bank |x_i| / |x|) are for sparse rows of many
    features. ``ratios`` are the scores divided by their root mean squares.
    """

    rows: Floats
    pair: Floats
    places: Indices
    entries: Floats
    scores: Floats
    spreads: Floats
    ratios: Floats
    features: Floats
    votes: Floats
    stacked: Floats
    squares: Floats
    shares: Floats


def triangle(size: int) -> int:
    """The number of entries of a square matrix of this size on and below its diagonal."""
    return size * (size + 1) // 2


def pairs_of(features: int) -> int:
    """The number of features of the view "quad": the given features and their products.

    >>> pairs_of(8), pairs_of(10)
    (44, 65)
    """
    return features + triangle(features)


PAIRS = pairs_of(QUAD_FEATURES)


@jit
def block_of(slot: int) -> int:
    """The offset of the block of a slot: the feature, then its products with slots up to it."""
    return slot + slot * (slot + 1) // 2
