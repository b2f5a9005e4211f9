"""The labels of a block as one array of ints, floats or strings."""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.scan.cells import Cells, Numbers

LARGEST_WHOLE = 2.0**53


def label_array(rows: Offsets, cells: Cells, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of ``count`` rows, and a mask of the rows that have a valid label."""
    if isinstance(cells, Numbers):
        labels = np.full(count, np.nan)
        labels[rows] = cells.values
        return labels, np.isfinite(labels)
    codes = np.full(count, -1)
    codes[rows] = cells.codes
    return np.array([*cells.distinct, ""], np.str_)[codes], codes >= 0


def whole_if_all_are(labels: np.ndarray) -> np.ndarray:
    """Return labels as ints if all are whole numbers, else unchanged."""
    if labels.dtype.kind == "f" and (np.abs(labels) < LARGEST_WHOLE).all() and (labels == np.trunc(labels)).all():
        return labels.astype(np.int64)
    return labels
