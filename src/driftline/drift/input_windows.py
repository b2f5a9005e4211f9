"""Compiled loops over rows for the windows of ``InputMonitor``: three for each feature.

Window 3 f counts the rows in which feature f is present, window 3 f + 1 its values of at least
``cuts[f, 0]``, window 3 f + 2 its values outside [``cuts[f, 1]``, ``cuts[f, 2]``]. The cuts are NaN
if the values of the feature are not watched.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.drift.window import AT, COLUMNS, PENDING, PENDING_SUM, SEEN, SINCE, close, forget_before
from driftline.internals.compiled import Floats, Indices, Offsets, jit

PRESENCE, LEVEL, SPREAD, KINDS = 0, 1, 2, 3
WINDOW, WIDTH = COLUMNS, COLUMNS + 1
"""The column of a change after those of ``window``, and the number of columns."""

Counts = npt.NDArray[np.int64]


@jit
def count_present(indices: Indices, values: Floats, counts: Counts) -> None:
    """Count the values of each feature that are not NaN."""
    for k in range(values.size):
        if values[k] == values[k]:
            counts[indices[k]] += 1


@jit
def gather(indices: Indices, values: Floats, slots: Counts, sample: Floats, sizes: Counts) -> None:
    """Append the values of the watched features to their samples."""
    for k in range(values.size):
        feature = slots[indices[k]] if indices[k] < slots.size else -1
        if feature >= 0 and values[k] == values[k] and sizes[feature] < sample.shape[1]:
            sample[feature, sizes[feature]] = values[k]
            sizes[feature] += 1


@jit
def watch(
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    slots: Counts,
    cuts: Floats,
    windows: Floats,
    every: int,
    limits: Floats,
    changes: Floats,
) -> int:
    """Add rows to the windows; write the changes to the rows of ``changes``, and return their number.

    The positions of changes count rows.
    """
    found = 0
    x = np.full(len(cuts), np.nan)
    for row in range(indptr.size - 1):
        x[:] = np.nan
        for k in range(np.int64(indptr[row]), np.int64(indptr[row + 1])):
            feature = slots[indices[k]] if indices[k] < slots.size else -1
            if feature >= 0:
                x[feature] = values[k]
        for feature in range(len(cuts)):
            present, known = x[feature] == x[feature], cuts[feature, 0] == cuts[feature, 0]
            for kind in range(KINDS if present and known else PRESENCE + 1):
                holds = present
                if kind == LEVEL:
                    holds = x[feature] >= cuts[feature, 0]
                elif kind == SPREAD:
                    holds = (x[feature] < cuts[feature, 1]) | (x[feature] > cuts[feature, 2])
                which = KINDS * feature + kind
                windows[which, SEEN] += 1.0
                windows[which, PENDING] += 1.0
                windows[which, PENDING_SUM] += 1.0 if holds else 0.0
                if windows[which, PENDING] < every or not close(windows[which], every, limits, False, changes[found]):
                    continue
                rows = windows[KINDS * feature, SEEN]  # a feature may have no value in some of them
                since = (changes[found, AT] - changes[found, SINCE]) * rows / windows[which, SEEN]
                changes[found, AT], changes[found, SINCE] = rows, rows - np.floor(since)
                changes[found, WINDOW] = which
                found += 1
                for other in range(KINDS * feature, KINDS * feature + KINDS):  # one alarm for one change
                    forget_before(windows[other], 0)
                    windows[other, PENDING] = 0.0
                    windows[other, PENDING_SUM] = 0.0
    return found


def cuts_of(values: Floats) -> tuple[float, float, float]:
    """The level with about half of the values at or above it, and the bounds of the middle half."""
    ordered = np.sort(values)
    candidates = np.unique(ordered)
    shares = 1.0 - np.searchsorted(ordered, candidates) / len(ordered)
    level = candidates[int(np.argmin(np.abs(shares - 0.5)))]
    quarter = len(ordered) // 4
    return float(level), float(ordered[quarter]), float(ordered[len(ordered) - 1 - quarter])
