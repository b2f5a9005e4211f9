"""The learned arrays of a TrackerRegressor, in records, and the numbers of its experts.

Slots, places and views are those of the Tracker (``engines.tracker.state``), and so are the first
numbers of ``own``. ``own[MEMBERS]`` is the number of experts that a Tracker would have; it says
which views there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.engines.tracker.state import OWN as TRACKED
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import DENSE_BANK, FULL_BANK, WIDE_BANK
from driftline.rules.tracker.tracker_regressor import BANK, COLUMNS, STACKED, STAYS_OF_MEANS

Integers = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

# further numbers of own: the first target; mean, variance and count of the targets; their range;
# the running error and its count; the side on which the last target was an outlier (0: it was
# none); the means of the targets and their counts; the number of scores of the intervals
ORIGIN, MEAN, VARIANCE, COUNT, LOW, HIGH, ERROR, ERRORS, SIDE = range(TRACKED, TRACKED + 9)
MEANS = TRACKED + 9
COUNTS = MEANS + len(STAYS_OF_MEANS)
SCORED = COUNTS + len(STAYS_OF_MEANS)
OWN = SCORED + 1

LINE = len(COLUMNS)
STACKERS = len(STACKED)
EXPERTS = len(BANK)
VOTERS = STACKERS + EXPERTS
# the index of experts: columns by view, least squares by view, trees, neighbours
MAX_AT, STD_AT, STD_SQUARES_AT, MAX_SQUARES_AT, TREES_AT, NEAREST_AT, QUAD_AT, QUAD_SQUARES_AT = (
    5, 10, 15, 20, 23, 25, 27, 32,
)  # fmt: skip
ADDED_TO_TREES = STD_SQUARES_AT + 3  # the expert whose residuals the second forest learns


@jit
def experts_in(members: int) -> int:
    """The number of experts, given the number that a Tracker would have."""
    if members == FULL_BANK:
        return EXPERTS
    if members == DENSE_BANK:
        return QUAD_AT
    return STD_SQUARES_AT if members == WIDE_BANK else STD_AT


class Linear(NamedTuple):
    """The linear experts.

    ``max``, ``std`` and ``quad`` have a number per place and column. The others have weights and
    lower triangles of P of the least squares by view.
    """

    max: Floats
    std: Floats
    quad: Floats
    std_weights: Floats
    std_factors: Floats
    max_weights: Floats
    max_factors: Floats
    quad_weights: Floats
    quad_factors: Floats


class Forest(NamedTuple):
    """Trees over standardised features.

    ``nodes`` has the feature (slot, -1 in a leaf), the left child (the right one follows it) and
    the number of the leaf; ``thresholds`` belongs to it. ``tried`` has the features that a leaf
    tries (-1: none), ``ranges`` their least value and the width of a bin, ``bins`` count and sum of
    the targets in each bin. ``leaves`` has the numbers of a leaf, ``trees`` those of a tree.
    """

    nodes: Integers
    thresholds: Floats
    tried: Integers
    ranges: Floats
    bins: Floats
    leaves: Floats
    trees: Floats


class Neighbours(NamedTuple):
    """The last rows, ``ring[slot, place]``, and the target and sample weight of each place."""

    ring: Singles
    targets: Floats
    weights: Floats


class Voting(NamedTuple):
    """Shares by switching rate and voter, stackers, and the sums of squared errors of voters.

    ``spread`` has the lower triangle of P of each stacker. ``levels`` has alpha_t for each
    coverage, ``scores`` the last scores of the intervals by round, ``ordered`` the same in
    increasing order.
    """

    shares: Floats
    stack: Floats
    spread: Floats
    squares: Floats
    levels: Floats
    scores: Floats
    ordered: Floats


class Model(NamedTuple):
    """All that is learned except the views; the trees of ``moving`` are replaced in turn."""

    linear: Linear
    steady: Forest
    moving: Forest
    neighbours: Neighbours
    voting: Voting


class Scratch(NamedTuple):
    """Arrays that the loops overwrite in every round.

    ``scores`` has the predictions of the experts before they are moved into the range, ``votes``
    those of the voters, ``features`` F, ``squares`` |z|^2 of the columns by view, ``shares`` the
    shares after experts were removed.
    """

    scores: Floats
    votes: Floats
    features: Floats
    stacked: Floats
    squares: Floats
    shares: Floats
    h: Floats
    distances: Floats
    found: Integers
    near: Singles
    ones: Singles
