"""Scaling of examples, to unit norm or by running statistics. The bias feature is not scaled here.

``"unit"``: x / |x|. With a bias feature, x and the bias are both divided by sqrt(2), so that the
whole example has norm 1.
``"standard"``: (x - mean) / deviation for dense rows, x / deviation for sparse rows. The
statistics are those of all examples learned so far and of the example itself; labels are never
used. A feature that has not varied yet becomes 0. A feature that is absent from a sparse row
counts as 0.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import DenseRows, Rows, SparseRows, length
from driftline.internals.writable import writable

Snapshot = tuple[slice | Indices, Floats, float]
# rows of the array of moments: number of values, mean, sum of squared deviations
NUMBER, MEAN, SPREAD = 0, 1, 2


@jit
def scale_to_unit_norm(values: Floats, indptr: Offsets, factor: float) -> None:
    """Scale each row to norm ``factor``, in place and without overflow."""
    for i in range(indptr.size - 1):
        highest = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            highest = max(highest, abs(values[j]))
        if highest == 0.0:
            continue
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            values[j] /= highest
            total += values[j] * values[j]
        for j in range(indptr[i], indptr[i + 1]):
            values[j] *= factor / sqrt(total)


@jit
def updated_moments(moments: Floats, seen: float, k: int, x: float) -> tuple[float, float]:
    """Return mean and sum of squared deviations of feature k after one more value x.

    Of the ``seen`` earlier examples, those without the feature count as 0.
    """
    number, mean, spread = moments[NUMBER, k], moments[MEAN, k], moments[SPREAD, k]
    if number < seen:
        spread += mean * mean * number * (seen - number) / seen
        mean *= number / seen
    change = x - mean
    mean += change / (seen + 1.0)
    spread += change * (x - mean)
    return mean, spread


@jit
def standardise_sparse(
    moments: Floats, seen: float, learn: bool, indptr: Offsets, indices: Indices, values: Floats
) -> None:
    """Divide each value by its feature's deviation, in place; if ``learn``, update the moments."""
    for i in range(indptr.size - 1):
        for j in range(indptr[i], indptr[i + 1]):
            k = indices[j]
            mean, spread = updated_moments(moments, seen, k, values[j])
            if learn:
                moments[NUMBER, k] = seen + 1.0
                moments[MEAN, k] = mean
                moments[SPREAD, k] = spread
            values[j] = values[j] / sqrt(spread / (seen + 1.0)) if spread > 0.0 else 0.0
        if learn:
            seen += 1.0


@jit
def standardise_dense(moments: Floats, seen: float, learn: bool, X: Floats) -> None:
    """Subtract means and divide by deviations, in place; if ``learn``, update the moments."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            mean, spread = updated_moments(moments, seen, k, X[i, k])
            if learn:
                moments[NUMBER, k] = seen + 1.0
                moments[MEAN, k] = mean
                moments[SPREAD, k] = spread
            X[i, k] = (X[i, k] - mean) / sqrt(spread / (seen + 1.0)) if spread > 0.0 else 0.0
        if learn:
            seen += 1.0


class Unit:
    """Scales every example to norm 1."""

    def __init__(self, bias: bool) -> None:
        self.factor = sqrt(0.5) if bias else 1.0

    def scale(self, rows: Rows, features: int, learn: bool) -> Rows:
        """Return scaled copies of the rows."""
        if isinstance(rows, DenseRows):
            X = rows.X.copy()
            indptr = np.arange(len(X) + 1, dtype=np.uint64) * np.uint64(X.shape[1])
            scale_to_unit_norm(X.reshape(-1), indptr, self.factor)
            return DenseRows(X)
        values = rows.values.copy()
        scale_to_unit_norm(values, rows.indptr, self.factor)
        return SparseRows(rows.indptr, rows.indices, values)


class Standard:
    """Scales every feature by its running mean and deviation."""

    def __init__(self) -> None:
        self.moments = np.zeros((3, 16))
        self.seen = 0.0

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(writable(state))

    def scale(self, rows: Rows, features: int, learn: bool) -> Rows:
        """Return scaled copies of the rows; if ``learn``, update the statistics."""
        self.reserve(features)
        if isinstance(rows, DenseRows):
            X = rows.X.copy()
            standardise_dense(self.moments, self.seen, learn, X)
            scaled: Rows = DenseRows(X)
        else:
            scaled = SparseRows(rows.indptr, rows.indices, rows.values.copy())
            standardise_sparse(self.moments, self.seen, learn, *scaled)
        if learn:
            self.seen += length(rows)
        return scaled

    def reserve(self, features: int) -> None:
        """Grow the moments to hold ``features`` features and one unknown feature."""
        if self.moments.shape[1] <= features:
            moments = np.zeros((3, 2 * features + 2))
            moments[:, : self.moments.shape[1]] = self.moments
            self.moments = moments

    def snapshot(self, rows: Rows) -> Snapshot:
        """Return the statistics that these rows will change, for ``restore``."""
        touched = slice(0, rows.X.shape[1]) if isinstance(rows, DenseRows) else rows.indices[: int(rows.indptr[-1])]
        return touched, self.moments[:, touched].copy(), self.seen

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the statistics of a snapshot."""
        touched, moments, self.seen = snapshot
        self.moments[:, touched] = moments
