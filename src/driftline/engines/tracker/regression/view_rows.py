"""The views of an example for regression: scaled, with a constant 1, but not of length 1."""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.state import MAX_VIEW, PEAK, SLOTS, STD, STD_VIEW, Views, Workspace, X, Z
from driftline.engines.tracker.views import known, of_ranges, products, risen, spread_out, standardised
from driftline.internals.compiled import Floats, Indices, jit
from driftline.rules.tracker.tracker import FULL_BANK, GROWTH


@jit
def look_dense(
    own: Floats, views: Views, workspace: Workspace, members: int, dense: bool, indices: Indices, values: Floats
) -> int:
    """Write "std", "max" and "quad" into the workspace; return the number of missing values."""
    rows = workspace.rows
    x, std, scaled = rows[X], rows[Z + STD_VIEW], rows[Z + MAX_VIEW]
    d = int(own[SLOTS])
    missing, _ = spread_out(own, views, x, dense, indices, values)
    standardised(x, views.course, STD, std, d)
    if members == FULL_BANK:
        n = products(std, workspace.pair[0], d)
        standardised(workspace.pair[0], views.pairs, 0, workspace.pair[1], n)
        workspace.pair[1, 0] = 1.0
    of_ranges(x, views.course, views.highest, rows[PEAK], scaled, d)
    std[0] = 1.0
    scaled[0] = 1.0
    return missing


@jit
def look_sparse(own: Floats, views: Views, workspace: Workspace, indices: Indices, values: Floats) -> tuple[int, int]:
    """Write places and values of the view "max" into the workspace.

    Return the number of entries and the number of missing values.
    """
    places, z, peak = workspace.places, workspace.entries[0], workspace.entries[1]
    n = np.uint64(1)
    missing = 0
    for j in range(indices.size):
        k, value = indices[j], values[j]
        if not known(value):
            missing += 1
        elif value != 0.0 and k < views.slots.size and views.slots[k] > 0:
            slot = views.slots[k] - np.uint32(1)
            peak[n] = risen(views.highest[slot], abs(value), GROWTH)
            z[n] = min(1.0, max(-1.0, value / peak[n]))
            places[n] = slot + np.uint32(1)
            n += np.uint64(1)
    places[0] = 0
    z[0] = 1.0
    return np.int64(n), missing
