"""The calls of all families of nonlinear experts on some rows, in compiled code.

A family takes part up to a number of features; after a row with more it has left for good.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.nonlinear.forest_rows import learn_rows as learn_forest
from driftline.engines.nonlinear.forest_state import MOST_FEATURES, REPLACED, STATIC, Trees
from driftline.engines.nonlinear.forest_state import Workspace as ForestWorkspace
from driftline.engines.nonlinear.neighbours import Neighbours, Ring
from driftline.engines.nonlinear.neighbours import learn_rows as learn_neighbours
from driftline.engines.nonlinear.neighbours import score_rows as score_neighbours
from driftline.engines.nonlinear.path_trees import Trees as PathTrees
from driftline.engines.nonlinear.path_trees import learn_rows as learn_paths
from driftline.engines.nonlinear.path_trees import score_rows as score_paths
from driftline.engines.nonlinear.paths import Paths
from driftline.engines.nonlinear.wave_arow import Bank as WaveBank
from driftline.engines.nonlinear.wave_arow import learn_rows as learn_waves
from driftline.engines.nonlinear.wave_arow import score_rows as score_waves
from driftline.engines.nonlinear.waves import Waves
from driftline.internals.compiled import Floats, inlined, jit
from driftline.rules.tracker.tracker import FULL_BANK, WIDE_BANK

FOREST_AT = FULL_BANK
PATHS_AT = FOREST_AT + 2
WAVES_AT = PATHS_AT + Paths.experts
NEIGHBOURS_AT = WAVES_AT + Waves.experts
EXPERTS = NEIGHBOURS_AT + Neighbours.experts
"""The number of linear and nonlinear experts."""
NARROW, WIDE = MOST_FEATURES, Neighbours.limit
"""The largest number of features of all families but the neighbours, and of the neighbours."""


class Families(NamedTuple):
    """The arrays of all families, and buffers for their scores on some rows."""

    static: Trees
    replaced: Trees
    forest_work: ForestWorkspace
    paths: PathTrees
    waves: WaveBank
    phases: Floats
    ring: Ring
    forest_scores: Floats
    path_scores: Floats
    wave_scores: Floats
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
        learn_paths(families.paths, NARROW, *some, families.path_scores[:n])
        learn_waves(families.waves, families.phases, NARROW, *some, families.wave_scores[:n])
    n = rows_within(seen, members, WIDE)
    if n > 0:
        learn_neighbours(families.ring, WIDE, Z[:n], slots[:n], y[:n], w[:n], families.neighbour_scores[:n])


@jit
def score_families(families: Families, Z: Floats, slots: np.ndarray, members: int) -> None:
    """Score every row by every family that has not left; ``members`` is that of learned rows."""
    features, n = slots[0], slots.size
    if members < WIDE_BANK:
        return
    if features <= NARROW:
        nothing = slots, np.zeros(n, np.int64), np.zeros(n)  # rows of weight 0 are scored only
        learn_forest(families.static, STATIC, Z, *nothing, families.forest_work, families.forest_scores[:n])
        learn_forest(families.replaced, REPLACED, Z, *nothing, families.forest_work, families.forest_scores[:n])
        score_paths(families.paths, NARROW, Z, slots, families.path_scores[:n])
        score_waves(families.waves, families.phases, Z, slots, families.wave_scores[:n])
    if features <= WIDE:
        score_neighbours(families.ring, WIDE, Z, slots, families.neighbour_scores[:n])


@inlined
def copy_scores(
    found: Floats, shares: bool, i: int, at: int, scores: Floats, classes: int, active: np.ndarray
) -> None:
    """Write the scores of row i, from expert ``at`` on; class shares p become scores 2 p - 1.

    ``scores`` has a row for each class, or one row for class 1.
    """
    for e in range(found.shape[1]):
        active[at + e] = 1
        for c in range(len(scores) if len(scores) == 1 else classes):
            s = found[i, e, 1 if len(scores) == 1 else c]
            scores[c, at + e] = 2.0 * s - 1.0 if shares else s


@jit
def join(families: Families, i: int, seen: int, members: int, classes: int, scores: Floats, active: np.ndarray) -> None:
    """Complete the scores of row i with those of the families, and say which experts take part."""
    for j in range(active.size):
        active[j] = j < members and j < FULL_BANK
    if members >= WIDE_BANK and seen <= NARROW:
        copy_scores(families.forest_scores, True, i, FOREST_AT, scores, classes, active)
        copy_scores(families.path_scores, False, i, PATHS_AT, scores, classes, active)
        copy_scores(families.wave_scores, False, i, WAVES_AT, scores, classes, active)
    if members >= WIDE_BANK and seen <= WIDE:
        copy_scores(families.neighbour_scores, True, i, NEIGHBOURS_AT, scores, classes, active)
