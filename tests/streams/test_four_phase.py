"""The stream of four phases: class probabilities, draws without replacement, and sparse rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.streams import (
    FourPhase,
)
from tests.support.synthetic_streams import (
    CLASSES,
    DIGITS,
    INSTANCES,
    N,
    dense_phases,
    four_phase,
    same,
    whole,
)

PRINTED = [
    ((0.7, 0, 0.3, 0), (0.5, 0, 0.5, 0)),
    ((0.5, 0, 0.5, 0), (0.3, 0.2, 0.5, 0)),
    ((0, 0.5, 0.2, 0.3), (0, 0.5, 0, 0.5)),
    ((0, 0.5, 0, 0.5), (0, 0.3, 0, 0.7)),
]


@pytest.mark.parametrize("length", [1, 2, 5, 500])
@pytest.mark.parametrize("index", range(4))
def test_phase_probabilities_are_as_printed(index, length):
    table = four_phase(INSTANCES, n=4 * length).phase_probabilities(index)
    start, end = PRINTED[index]
    assert table.shape == (length, 4)
    assert table.min() >= 0.0
    for i, row in enumerate(table):
        share = i / (length - 1) if length > 1 else 0.0
        assert row == pytest.approx([(1 - share) * a + share * b for a, b in zip(start, end, strict=True)])
        assert row.sum() == pytest.approx(1.0, abs=1e-15)


def test_four_phase_class_frequencies():
    """Over many seeds each class comes as often as its probabilities say, early and late in every phase."""
    length, seeds = 400, 200
    streams = [four_phase(INSTANCES, n=4 * length, seed=seed) for seed in range(seeds)]
    drawn = np.stack([DIGITS[stream.rows] for stream in streams]).reshape(seeds, 4, length)
    for index in range(4):
        table = streams[0].phase_probabilities(index)
        for half in (slice(0, length // 2), slice(length // 2, length)):
            for c, p in zip(CLASSES, table[half].T, strict=True):
                times = int((drawn[:, index, half] == c).sum())
                assert abs(times - seeds * p.sum()) <= 4.0 * math.sqrt(seeds * (p * (1 - p)).sum())
                assert p.any() or times == 0


def test_four_phase_labels_and_rows():
    stream = four_phase(INSTANCES, seed=4)
    X, y = whole(stream)
    assert len(stream) == N == len(stream.rows)
    np.testing.assert_array_equal(X, INSTANCES[stream.rows])
    np.testing.assert_array_equal(y, np.where(np.isin(DIGITS[stream.rows], [3, 7]), 1.0, -1.0))


def test_four_phase_draws_without_replacement():
    stream = dense_phases(n=400)
    assert stream.reused == 0
    assert np.unique(stream.rows).size == 400


def test_a_class_that_is_used_up_starts_over():
    y = np.repeat(["p1", "p2", "n1", "n2", "other"], [7, 1000, 50, 1000, 10])
    X = np.arange(len(y))[:, None]
    stream = FourPhase(X, y, ("p1", "p2", "n1", "n2"), phase=100, seed=1)
    passes = 0
    for c in stream.classes:
        mine = stream.rows[y[stream.rows] == c]
        size = int((y == c).sum())
        times = np.bincount(mine, minlength=len(y))[y == c]
        assert times.max() - times.min() <= 1
        for start in range(0, len(mine) - size + 1, size):  # every pass holds each instance once
            assert np.unique(mine[start : start + size]).size == size
        passes += max(0, math.ceil(len(mine) / size) - 1)
    assert stream.reused == passes > 10
    first = stream.rows[y[stream.rows] == "p1"]
    assert not np.array_equal(first[:7], first[7:14])  # in a new order


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_four_phase_keeps_csr(kind, dtype):
    matrix = kind(INSTANCES.astype(dtype))
    stream = four_phase(matrix, block=333, seed=2)
    for (X, y), (X_dense, y_dense) in zip(stream, four_phase(INSTANCES, block=333, seed=2), strict=True):
        assert type(X) is kind and X.format == "csr" and X.dtype == np.float64
        assert X.nnz == np.count_nonzero(X_dense)
        assert same((X.toarray(), y), (X_dense, y_dense))


@pytest.mark.parametrize("X", [INSTANCES > 1, np.asfortranarray(INSTANCES, dtype=float), INSTANCES.tolist()])
def test_four_phase_takes_any_dense_numbers(X):
    blocks = list(four_phase(X, seed=2))
    assert all(block.dtype == np.float64 and block.flags.c_contiguous for block, _ in blocks)
    stream = four_phase(INSTANCES, seed=2)
    np.testing.assert_array_equal(whole(blocks)[0], np.asarray(X)[stream.rows])
