"""The arrays that the tracker has learned, in three records, and the workspace of its loops.

A feature has a slot from the round in which it first appears; places are slots + 1, and place 0 is
that of the constant 1 that every view has. What is kept by slot or by place has room at its end,
filled with zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats, Indices, jit
from driftline.rules.tracker.tracker import QUAD_FEATURES

# places of own: rounds learned, slots given, experts that are left, values that were missing, scores that were not
# finite, experts that sparse rows of many features have, features that naive Bayes has counted, whether the view "max"
# is the recipe's; the scale of NORMA's column in each view; what the counts of the naive Bayes that forgets are
# multiplied with, and the sums of all counts
ROUNDS, SLOTS, MEMBERS, MISSING, GUARDED, SPARSE, SEEN, PLAIN = 0, 1, 2, 3, 4, 5, 6, 7
SCALES, GROWN, TOTALS, OWN = 8, 12, 13, 17
# rows of course: running mean, variance and count, of the view "std" and of "forget"; then what a sparse row that
# lacks a feature needs: rounds with a value, the round of the first, that value, and whether there was another; then
# the least and the greatest value; and mean, variance and count without the first values
STD, FORGET, PRESENT, SINCE, VALUE, VARIED, LOW, HIGH, LATER, MOMENTS = 0, 3, 6, 7, 8, 9, 10, 11, 12, 15
# views, as they are numbered
MAX_VIEW, STD_VIEW, FORGET_VIEW, QUAD_VIEW = 0, 1, 2, 3
# rows of the workspace, by slot or place: x, the running maxima after it, its views, and P z
X, PEAK, Z, H, WORKSPACE_ROWS = 0, 1, 2, 6, 7
LINE = 8
VOTERS = 35
Votes = npt.NDArray[np.int8]


class Views(NamedTuple):
    """``slots`` by feature (0: none, else slot + 1), ``highest`` and ``course`` by slot, ``pairs`` by pair."""

    slots: Indices
    highest: Floats
    course: Floats
    pairs: Floats


class Bank(NamedTuple):
    """Experts. Columns: eight numbers a place, for each view; full AROW: ``means`` and ``factors`` by view.

    ``sparse_lines`` has eight numbers a place for the experts that only sparse rows of many
    features have; its name in model files is "words".
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
    of the last stacker. The rows of ``shares`` are all rates of switching for each rate of
    learning in turn.
    """

    shares: Floats
    stack: Floats
    squares: Floats
    spread: Floats
    errors: Floats


class Workspace(NamedTuple):
    """Arrays that the loops overwrite in every round.

    ``pair`` has the products of features and their view. ``places`` and ``entries`` (value and
    running maximum) are for sparse rows of many features.
    """

    rows: Floats
    pair: Floats
    places: Indices
    entries: Floats
    scores: Floats
    spreads: Floats
    features: Floats
    votes: Floats
    stacked: Floats
    squares: Floats
    shares: Floats


def triangle(size: int) -> int:
    """How many entries a symmetric matrix of this size has on and below its diagonal."""
    return size * (size + 1) // 2


def pairs_of(features: int) -> int:
    """How many features the view "quad" has: these, and their products.

    >>> pairs_of(8), pairs_of(10)
    (44, 65)
    """
    return features + triangle(features)


PAIRS = pairs_of(QUAD_FEATURES)


@jit
def block_of(slot: int) -> int:
    """Where the pairs of this slot with itself and those before it start; the first is the feature itself."""
    return slot + slot * (slot + 1) // 2
