"""One row at a time as a dense vector x, from dense or sparse rows."""

from __future__ import annotations

from math import sqrt

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, inlined
from driftline.internals.rows import DenseRows, Rows
from driftline.rules.kernel.kernel_columns import LAPLACIAN

NO_INDPTR = np.zeros(1, np.uint64)
NO_INDICES = np.zeros(1, np.uint32)


def arrays_of(rows: Rows) -> tuple[int, Offsets, Indices, Floats]:
    """Width, indptr, indices and values of rows: see ``fill``."""
    if isinstance(rows, DenseRows):
        return rows.X.shape[1], NO_INDPTR, NO_INDICES, rows.X.reshape(-1)
    return 0, *rows


@inlined
def fill(kernel: int, x: Floats, n: int, width: int, indptr: Offsets, indices: Indices, values: Floats, i: int) -> None:
    """Write row i into x: ``width`` values of a dense row; width 0 is a sparse row of n features.

    An index occurs twice only if it stands for several unknown features. They count as one
    feature, as far from 0 as all of them together.
    """
    if width > 0:
        for j in range(width):
            x[j] = values[i * width + j]
        return
    for j in range(n):
        x[j] = 0.0
    for j in range(indptr[i], indptr[i + 1]):
        k = indices[j]
        if x[k] == 0.0:
            x[k] = values[j]
        elif kernel == LAPLACIAN:
            x[k] = abs(x[k]) + abs(values[j])
        else:
            x[k] = sqrt(x[k] * x[k] + values[j] * values[j])


@inlined
def is_finite(x: Floats, size: int) -> bool:
    """Return whether the first ``size`` values are finite; kernels of distances do not show it."""
    total = 0.0
    for j in range(size):
        total += 0.0 * x[j]
    return total == 0.0
