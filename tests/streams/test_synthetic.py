"""Synthetic drift streams: the same at every reading and for every block size, in constant memory."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams import (
    LED,
    SEA,
    DriftingMixtures,
    MovingCentres,
    MovingChessboard,
    RotatingBananas,
    RotatingHyperplane,
    Stream,
    SwitchingHyperplane,
    SwitchingMixtures,
    SwitchingTrees,
)
from tests.support.synthetic_streams import (
    N,
    dense,
    dense_phases,
    same,
    sparse_phases,
    whole,
)

TWO = {
    "drifting mixtures": lambda n=N, **o: DriftingMixtures(n, **o),
    "switching mixtures": lambda n=N, **o: SwitchingMixtures(n, every=300, **o),
    "rotating hyperplane": lambda n=N, **o: RotatingHyperplane(n, 5, noise=0.1, margin=0.1, **o),
    "switching hyperplane": lambda n=N, **o: SwitchingHyperplane(n, 5, every=70, noise=0.1, margin=0.5, **o),
    "sea": lambda n=N, **o: SEA(n, every=250, **o),
    "chessboard": lambda n=N, **o: MovingChessboard(n, shift=0.001, noise=0.1, **o),
    "bananas": lambda n=N, **o: RotatingBananas(n, noise=0.1, **o),
    "moving centres, two classes": lambda n=N, **o: MovingCentres(n, 3, classes=2, noise=0.1, **o),
    "switching trees, two classes": lambda n=N, **o: SwitchingTrees(n, 3, classes=2, every=300, noise=0.1, **o),
}
SEVERAL = {
    "moving centres": lambda n=N, **o: MovingCentres(n, 3, noise=0.1, **o),
    "switching trees": lambda n=N, **o: SwitchingTrees(n, 3, every=300, transition=200, noise=0.1, **o),
    "led": lambda n=N, **o: LED(n, every=300, **o),
}
"""Streams with more than two classes."""
CLASSES_OF = {"moving centres": 5, "switching trees": 4, "led": 10}
GENERATED = TWO | SEVERAL
ALL = GENERATED | {"four phases": dense_phases, "four phases, sparse": sparse_phases}
every_stream = pytest.mark.parametrize("make", ALL.values(), ids=ALL.keys())
every_generated = pytest.mark.parametrize("make", GENERATED.values(), ids=GENERATED.keys())


# Every stream


@every_stream
def test_blocks_have_the_promised_form(make):
    blocks = list(make(block=500))
    assert [len(y) for _, y in blocks] == [500, 500, 200]
    for X, y in blocks:
        assert X.shape[0] == len(y)
        assert X.ndim == 2 and X.dtype == np.float64
        assert sp.issparse(X) or X.flags.c_contiguous
        assert isinstance(y, np.ndarray) and y.ndim == 1
        assert np.isfinite(dense(X)).all()


@pytest.mark.parametrize("name", ALL.keys())
def test_labels_are_signs_or_class_numbers(name):
    for _, y in ALL[name](block=500):
        assert y.dtype == (np.int64 if name in SEVERAL else np.float64)
        assert set(y.tolist()) == (set(range(CLASSES_OF[name])) if name in SEVERAL else {-1.0, 1.0})


@every_stream
def test_reading_again_gives_the_same(make):
    stream = make(seed=3)
    assert same(whole(stream), whole(stream))
    assert same(whole(stream), whole(make(seed=3)))


@every_stream
def test_two_readers_do_not_disturb_each_other(make):
    stream = make(block=100)
    for (X, y), (X_too, y_too) in zip(stream, stream, strict=True):
        assert same((dense(X), y), (dense(X_too), y_too))


@every_stream
def test_a_reader_may_write_into_its_blocks(make):
    stream = make(block=100)
    before = whole(stream)
    for X, y in stream:
        X *= 0.0
        y *= 0
    assert same(whole(stream), before)


@every_stream
def test_another_seed_is_another_stream(make):
    X, y = whole(make(seed=1))
    X_other, y_other = whole(make(seed=2))
    assert not np.array_equal(X, X_other)
    assert not np.array_equal(y, y_other)


@every_stream
@settings(max_examples=8, deadline=None, derandomize=True)
@given(block=st.integers(1, N + 100))
def test_examples_do_not_depend_on_block(make, block):
    blocks = list(make(block=block))
    assert {len(y) for _, y in blocks[:-1]} <= {block}
    assert 1 <= len(blocks[-1][1]) <= block
    assert same(whole(blocks), whole(make()))


@every_stream
@pytest.mark.parametrize("block", [1, 7, 1000, 10**9])
def test_length_is_exact(make, block):
    stream = make(block=block)
    assert len(stream) == N
    assert sum(len(y) for _, y in stream) == N


@every_generated
@settings(max_examples=8, deadline=None, derandomize=True)
@given(n=st.integers(1, 2100))
def test_any_length_is_a_beginning_of_the_endless_stream(make, n):
    X, y = whole(make(n=n))
    assert len(y) == n
    endless = whole(islice(make(n=None, block=n), 1))
    assert same((X, y), endless)


@every_generated
def test_an_endless_stream_goes_on_and_has_no_length(make):
    stream = make(n=None, block=700)
    assert [len(y) for _, y in islice(stream, 9)] == [700] * 9
    with pytest.raises(TypeError, match=r"^\w+: n must be a number for .* got None\. Read an endless stream"):
        len(stream)


@every_stream
def test_is_a_stream(make):
    assert isinstance(make(), Stream)


# Memory


def peak_of(blocks):
    """The most memory, in bytes, that reading took, and the number of examples."""
    tracemalloc.start()
    try:
        seen = sum(len(y) for _, y in blocks)
        return tracemalloc.get_traced_memory()[1], seen
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("stream", "examples"),
    [
        (SEA(None, every=15_000), 2_000_000),
        (RotatingHyperplane(None, 3, noise=0.1, margin=0.1), 200_000),
        (SwitchingHyperplane(None, 3), 200_000),
        (SwitchingMixtures(None, every=10**12), 50_000),
        (DriftingMixtures(None), 10_000),
        (MovingChessboard(None, shift=0.001), 200_000),
        (RotatingBananas(None), 200_000),
        (MovingCentres(None, 3), 200_000),
        (SwitchingTrees(None, 3), 100_000),
        (LED(None), 100_000),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Stream) else "",
)
def test_memory_stays_constant(stream, examples):
    list(islice(stream, 2))
    few, _ = peak_of(islice(stream, 5))
    many, seen = peak_of(islice(stream, examples // 1000))
    assert seen == examples
    assert many < few + 100_000
