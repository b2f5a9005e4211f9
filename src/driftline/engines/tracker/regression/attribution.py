"""How much each entry of a row contributes to the prediction: occlusion by missing values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from driftline.engines.attribution import AT_ONCE, Attribution, entries_of
from driftline.engines.tracker.views import known
from driftline.internals.rows import DenseRows, Rows, SparseRows

if TYPE_CHECKING:
    from driftline.engines.tracker.regression.regressor_engine import TrackerRegressorEngine


def attribute(engine: TrackerRegressorEngine, row: Rows) -> Attribution:
    """Compare the prediction with those for rows in which one value is missing.

    The constant is the prediction if all values are missing. The rest of the prediction belongs to
    no single feature.
    """
    indices, values = entries_of(row)
    whole = float(engine.score_of(row)[0])
    constant = float(engine.score_of(_rows(row, indices, np.full((1, values.size), np.nan)))[0])
    entries, step = np.zeros(values.size), max(1, AT_ONCE // max(1, values.size))
    for start in range(0, values.size, step):
        stop = min(values.size, start + step)
        X = np.tile(values, (stop - start, 1))
        X[np.arange(stop - start), np.arange(start, stop)] = np.nan
        entries[start:stop] = whole - engine.score_of(_rows(row, indices, X))
    rest = math.fsum([whole, -constant, *(-entries).tolist()])
    if abs(rest) <= 1e-12 * math.fsum([abs(whole), abs(constant), *np.abs(entries).tolist()]):  # rounding
        rest = 0.0
    missing = frozenset(int(k) for k, value in zip(indices, values, strict=True) if not known(value))
    return Attribution(entries, constant, missing=missing, rest=rest, method="occlusion")


def _rows(row: Rows, indices: np.ndarray, X: np.ndarray) -> Rows:
    """Rows of the same kind with these values, each at the same indices."""
    if isinstance(row, DenseRows):
        return DenseRows(X)
    size = X.shape[1]
    return SparseRows(np.arange(len(X) + 1, dtype=np.uint64) * np.uint64(size), np.tile(indices, len(X)), X.reshape(-1))
