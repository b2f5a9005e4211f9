"""Rows of a CSR matrix without a copy; slices of scipy copy their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.internals.compiled import Floats


class CsrSlice:
    """Rows of a CSR matrix that share its memory. Learners accept it like a CSR matrix.

    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix(np.eye(4))
    >>> rows = CsrSlice.of(X, 1, 3)
    >>> rows.shape, rows.indices.tolist(), np.shares_memory(rows.data, X.data)
    ((2, 4), [1, 2], True)
    """

    format = "csr"

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, data: Floats, shape: tuple[int, int]) -> None:
        self.indptr = indptr
        self.indices = indices
        self.data = data
        self.shape = shape

    @classmethod
    def of(cls, X: Any, start: int, stop: int) -> CsrSlice:
        """Rows ``start`` to ``stop`` of a CSR matrix. The matrix is not checked."""
        indptr = X.indptr[start : stop + 1]
        first, last = (int(indptr[0]), int(indptr[-1])) if len(indptr) else (0, 0)
        return cls(indptr - first, X.indices[first:last], X.data[first:last], (stop - start, X.shape[1]))

    def tocsr(self) -> CsrSlice:
        """The slice itself; learners call ``tocsr`` on every sparse matrix."""
        return self


def is_csr(X: Any) -> bool:
    """Whether X is a CSR matrix, or a slice of one, with plain arrays as its parts."""
    if not hasattr(type(X), "tocsr") or X.format != "csr" or len(X.shape) != 2:
        return False
    return all(type(part) is np.ndarray and part.ndim == 1 for part in (X.indptr, X.indices, X.data))
