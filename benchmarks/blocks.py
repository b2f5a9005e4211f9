"""Cut the rows into blocks before the timing starts, in the same way for every contestant.

The values are views of the same arrays. The matrix objects are new at every call, because scipy
caches results of checks (such as sorted indices) on the object, and a stream never yields the same
object twice.
"""

from __future__ import annotations

from typing import Any

from data import Data
from scipy.sparse import csr_matrix


def block_rows(data: Data, kind: str, size: int | None) -> int:
    """Return the number of rows fed in blocks of `size`. Blocks of a single row use fewer rows."""
    rows = data.sizes.sparse_rows if kind == "sparse" else data.sizes.dense_rows
    return min(rows, data.sizes.single_rows) if size == 1 else rows


def cut(data: Data, kind: str, size: int | None) -> list[tuple[Any, Any]]:
    """Return the blocks of `kind` ("sparse" or "dense") as pairs (X, y)."""
    rows = block_rows(data, kind, size)
    spans = [(start, min(rows, start + (size or rows))) for start in range(0, rows, size or rows)]
    if kind == "dense":
        return [(data.X[start:end], data.dense_y[start:end]) for start, end in spans]
    return [(_csr(data, start, end), data.sparse_y[start:end]) for start, end in spans]


def _csr(data: Data, start: int, end: int) -> csr_matrix:
    first, last = data.indptr[start], data.indptr[end]
    parts = (data.values[first:last], data.indices[first:last], data.indptr[start : end + 1] - first)
    return csr_matrix(parts, shape=(end - start, data.sizes.features))
