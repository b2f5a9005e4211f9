"""Two data sets of the package river, in their order: Bananas and ImageSegments."""

from __future__ import annotations

import numpy as np

from error.stored import Stream


def bananas() -> list[Stream]:
    """Return two crescents."""
    from river import datasets

    rows = list(datasets.Bananas())
    X = np.array([list(x.values()) for x, _ in rows], np.float64)
    return [Stream("bananas", 0, X, np.where([y for _, y in rows], 1.0, -1.0))]


def segments() -> list[Stream]:
    """Return patches of seven kinds of outdoor surfaces."""
    from river import datasets

    rows = list(datasets.ImageSegments())
    X = np.array([list(x.values()) for x, _ in rows], np.float64)
    _, y = np.unique([y for _, y in rows], return_inverse=True)
    return [Stream("segments", 0, X, y.astype(np.int64))]
