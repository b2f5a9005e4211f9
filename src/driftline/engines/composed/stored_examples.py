"""Stored examples, and their conversion to a matrix for a fit and to arrays for a model file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftline.engines.array_checks import of_shape
from driftline.internals.compiled import Floats, Indices
from driftline.internals.numeric.alignment import aligned
from driftline.internals.rows import DenseRows, Rows

ARRAYS = ("dense", "indices", "indptr", "labels", "values", "weights")
LARGEST = 1 << 27  # upper limit of the numbers in a dense array


class Example(NamedTuple):
    """A row, sparse or dense (``indices`` is None), with its label and weight."""

    indices: Indices | None
    values: Floats
    label: float = 0.0
    weight: float = 1.0

    @property
    def width(self) -> int:
        """The number of columns up to the last entry."""
        if self.indices is None:
            return self.values.size
        return int(self.indices.max()) + 1 if self.indices.size else 0


def each(rows: Rows) -> Iterator[Example]:
    """Yield the rows one by one, with increasing indices."""
    if isinstance(rows, DenseRows):
        for x in rows.X:
            yield Example(None, x)
        return
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        indices, values = rows.indices[start:stop], rows.values[start:stop]
        if (indices[1:] < indices[:-1]).any():
            order = np.argsort(indices)
            indices, values = indices[order], values[order]
        yield Example(indices, values)


def matrix(examples: Sequence[Example], sparse: bool, width: int) -> Any:
    """The first ``width`` columns of the examples, as a CSR matrix or a dense array.

    A dense array starts on a cache line, so results do not depend on earlier allocations.
    ValueError if a dense array would be too large.
    """
    rows = [_cut(one, width) if sparse or one.indices is not None or one.width > width else one for one in examples]
    if sparse:
        from scipy.sparse import csr_matrix

        indices = np.concatenate([_columns(one) for one in rows]).astype(np.int32)
        indptr = np.cumsum([0, *(one.values.size for one in rows)]).astype(np.int32)
        return csr_matrix((np.concatenate([one.values for one in rows]), indices, indptr), (len(rows), width))
    if len(rows) * width > LARGEST:
        raise ValueError(f"{len(rows)} rows of {width} columns, too many for a dense array")
    X = aligned(len(rows) * width, np.dtype(np.float64)).reshape(len(rows), width)
    for i, one in enumerate(rows):
        X[i, slice(one.width) if one.indices is None else one.indices] = one.values
    return X


def _columns(example: Example) -> Indices:
    return np.arange(example.values.size, dtype=np.uint32) if example.indices is None else example.indices


def _cut(example: Example, width: int) -> Example:
    """The example as a sparse one, without columns from ``width`` on."""
    columns = _columns(example)
    known = columns < width
    return Example(columns[known], example.values[known])


def packed(examples: Sequence[Example]) -> dict[str, np.ndarray]:
    """Convert examples to arrays for a model file."""
    return {
        "dense": np.array([one.indices is None for one in examples], np.uint8),
        "indices": np.concatenate([np.zeros(0, np.uint32), *map(_columns, examples)]),
        "indptr": np.cumsum([0, *(one.values.size for one in examples)]).astype(np.uint64),
        "labels": np.array([one.label for one in examples], np.float64),
        "values": np.concatenate([np.zeros(0), *(one.values for one in examples)]),
        "weights": np.array([one.weight for one in examples], np.float64),
    }


def unpacked(arrays: dict[str, np.ndarray], features: int) -> list[Example]:
    """Convert the arrays of ``packed`` back to examples; ValueError if they are not consistent."""
    size, total = arrays["labels"].size, arrays["values"].size
    dense = of_shape(arrays, "dense", "uint8", (size,))
    indices = of_shape(arrays, "indices", "uint32", (total,))
    indptr = of_shape(arrays, "indptr", "uint64", (size + 1,))
    labels = of_shape(arrays, "labels", "float64", (size,))
    values = of_shape(arrays, "values", "float64", (total,))
    weights = of_shape(arrays, "weights", "float64", (size,))
    fit = indptr[0] == 0 and indptr[-1] == total and bool((indptr[1:] >= indptr[:-1]).all())
    if not fit or (indices >= features).any() or (dense > 1).any():
        raise ValueError("rows of examples that do not fit together")
    if not (np.abs(labels) == 1.0).all() or not ((weights > 0.0) & (weights < np.inf)).all():
        raise ValueError("labels of examples other than -1 and +1, or weights that are not positive and finite")
    if not np.isfinite(values).all():
        raise ValueError("values of examples that are not finite")
    found = []
    for k, (start, stop) in enumerate(zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)):
        columns, about = indices[start:stop].copy(), (float(labels[k]), float(weights[k]))
        if dense[k] and not np.array_equal(columns, np.arange(stop - start)):
            raise ValueError("a dense row of examples without some of its columns")
        found.append(Example(None if dense[k] else columns, values[start:stop].copy(), *about))
    return found
