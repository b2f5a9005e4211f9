"""The calls of all families of nonlinear experts on some rows, in compiled code.

A family takes part up to a number of features; after a row with more it has left for good.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.nonlinear.forest_rows import learn_rows as learn_forest
from driftline.engines.nonlinear.forest_rows import score_rows as score_forest
from driftline.engines.nonlinear.forest_state import MOST_FEATURES, REPLACED, STATIC, Trees
from driftline.engines.nonlinear.forest_state import Workspace as ForestWorkspace
from driftline.engines.nonlinear.neighbours import Neighbours, Ring
from driftline.engines.nonlinear.neighbours import learn_rows as learn_neighbours
from driftline.engines.nonlinear.neighbours import score_rows as score_neighbours
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import FULL_BANK, WIDE_BANK

FOREST_AT = FULL_BANK
NEIGHBOURS_AT = FOREST_AT + 2
EXPERTS = NEIGHBOURS_AT + Neighbours.experts
"""The number of linear and nonlinear experts."""
NARROW, WIDE = MOST_FEATURES, Neighbours.limit
"""The largest number of features of all families but the neighbours, and of the neighbours."""


class Families(NamedTuple):
    """The arrays of all families, and buffers for their scores on some rows."""

    static: Trees
    replaced: Trees
    forest_work: ForestWorkspace
    ring: Ring
    forest_scores: Floats
    neighbour_scores: Floats


@jit
def rows_within(seen: np.ndarray, members: np.ndarray, most: int) -> int:
    """The number of rows before the first one with more than ``most`` features, or sparse."""
    for i in range(seen.size):
        if seen[i] > most or members[i] < WIDE_BANK:
            return i
    return seen.size


@jit
def learn_families(
    families: Families,
    Z: Floats,
    slots: np.ndarray,
    seen: np.ndarray,
    members: np.ndarray,
    y: np.ndarray,
    w: Floats,
) -> None:
    """Test, then train every family on its rows."""
    n = rows_within(seen, members, NARROW)
    if n > 0:
        some = Z[:n], slots[:n], y[:n], w[:n]
        learn_forest(families.static, STATIC, *some, families.forest_work, families.forest_scores[:n])
        learn_forest(families.replaced, REPLACED, *some, families.forest_work, families.forest_scores[:n])
    n = rows_within(seen, members, WIDE)
    if n > 0:
        learn_neighbours(families.ring, WIDE, Z[:n], slots[:n], y[:n], w[:n], families.neighbour_scores[:n])


@jit
def score_families(families: Families, Z: Floats, slots: np.ndarray, members: int) -> None:
    """Score every row by every family that has not left; ``members`` is that of learned rows."""
    features = slots[0]
    if members < WIDE_BANK:
        return
    if features <= NARROW:
        score_forest(families.static, STATIC, Z, families.forest_work, families.forest_scores)
        score_forest(families.replaced, REPLACED, Z, families.forest_work, families.forest_scores)
    if features <= WIDE:
        score_neighbours(families.ring, WIDE, Z, slots, families.neighbour_scores)


@jit
def copy_shares(shares: Floats, i: int, at: int, scores: Floats, classes: int) -> None:
    """Write the class shares of row i as scores 2 p - 1, from expert ``at`` on.

    ``scores`` has a row for each class, or one row for class 1.
    """
    for e in range(shares.shape[1]):
        if len(scores) == 1:
            scores[0, at + e] = 2.0 * shares[i, e, 1] - 1.0
        else:
            for c in range(classes):
                scores[c, at + e] = 2.0 * shares[i, e, c] - 1.0


@jit
def join(families: Families, i: int, seen: int, members: int, classes: int, scores: Floats, active: np.ndarray) -> None:
    """Complete the scores of row i with those of the families, and say which experts take part."""
    for j in range(active.size):
        active[j] = j < members and j < FULL_BANK
    if members >= WIDE_BANK and seen <= NARROW:
        copy_shares(families.forest_scores, i, FOREST_AT, scores, classes)
        for j in range(FOREST_AT, NEIGHBOURS_AT):
            active[j] = 1
    if members >= WIDE_BANK and seen <= WIDE:
        copy_shares(families.neighbour_scores, i, NEIGHBOURS_AT, scores, classes)
        for j in range(NEIGHBOURS_AT, EXPERTS):
            active[j] = 1
