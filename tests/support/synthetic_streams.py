"""Synthetic streams of four phases, the blocks of a stream as one, and a classifier to test drift."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.streams import (
    FourPhase,
)

N = 1200
DIGITS = np.arange(3000) % 10
INSTANCES = np.random.default_rng(5).integers(0, 3, (3000, 6))
CLASSES = (3, 7, 8, 9)


def four_phase(X, *, n=N, **options):
    return FourPhase(X, DIGITS, CLASSES, phase=n // 4, **options)


def dense_phases(**options):
    return four_phase(INSTANCES, **options)


def sparse_phases(**options):
    return four_phase(sp.csr_matrix(INSTANCES), **options)


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def whole(blocks):
    """All examples of a stream, or of some blocks, as one (X, y)."""
    Xs, ys = zip(*blocks, strict=True)
    return np.concatenate([dense(X) for X in Xs]), np.concatenate(ys)


def nearest_neighbour_error(train, test):
    """Share of the test examples whose nearest training example has another label."""
    (X, y), (X_test, y_test) = train, test
    squares = np.square(X).sum(axis=1) - 2.0 * X_test @ X.T
    return float(np.mean(y[squares.argmin(axis=1)] != y_test))


def errors_at_start_and_end(stream, rows=500):
    """Errors of the nearest neighbour in the first rows: on the rows after them, and on the last rows."""
    X, y = whole(stream)
    train = X[:rows], y[:rows]
    return tuple(
        nearest_neighbour_error(train, (X[part], y[part])) for part in (slice(rows, 2 * rows), slice(-rows, None))
    )


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
