"""Synthetic drift streams: the same at every reading and for every block size; bad parameters."""

from __future__ import annotations

import math
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
    FourPhase,
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
    CLASSES,
    DIGITS,
    INSTANCES,
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


# Parameters


def phases(X=INSTANCES, y=DIGITS, classes=CLASSES, **options):
    return FourPhase(X, y, classes, **options)


WHOLE = [0, -1, 2.0, "3", True]
FRACTION = [-0.1, 1.0, 1.5, math.nan, "0.1", None]
POSITIVE = [0.0, -1.0, math.inf, math.nan, "1", None]
NOT_NEGATIVE = [-0.1, math.inf, math.nan, "1"]
BAD = [
    *[
        (make, {name: value}, f"{name} must be a whole number >= 1, got {value!r}")
        for make in (
            DriftingMixtures,
            SwitchingMixtures,
            RotatingHyperplane,
            SwitchingHyperplane,
            SEA,
            MovingChessboard,
            RotatingBananas,
            MovingCentres,
            SwitchingTrees,
            LED,
        )
        for name in ("n", "block")
        for value in WHOLE
    ],
    *[
        (make, {"seed": value}, f"seed must be a whole number >= 0, got {value!r}")
        for make in (DriftingMixtures, RotatingHyperplane, SEA, phases)
        for value in (-1, 1.5, None)
    ],
    *[
        (make, {name: value}, f"{name} must be a whole number >= 1, got {value!r}")
        for make, names in (
            (DriftingMixtures, ("every", "d", "components")),
            (SwitchingMixtures, ("every", "d", "components")),
            (SwitchingHyperplane, ("every",)),
            (SEA, ("every",)),
            (MovingCentres, ("d", "components")),
            (SwitchingTrees, ("d", "depth", "every")),
            (LED, ("every",)),
            (phases, ("phase", "block")),
        )
        for name in names
        for value in WHOLE
    ],
    *[
        (make, {name: value}, f"{name} must be a whole number >= 2, got {value!r}")
        for make, name in (
            (RotatingHyperplane, "d"),
            (SwitchingHyperplane, "d"),
            (MovingChessboard, "cells"),
            (MovingCentres, "classes"),
            (SwitchingTrees, "classes"),
        )
        for value in (1, 2.0)
    ],
    *[
        (make, {name: value}, f"{name} must be in [0, 1), got {value!r}")
        for make, names in (
            (RotatingHyperplane, ("noise", "margin")),
            (SwitchingHyperplane, ("noise", "margin")),
            *(
                (make, ("noise",))
                for make in (SEA, MovingChessboard, RotatingBananas, MovingCentres, SwitchingTrees, LED)
            ),
        )
        for name in names
        for value in FRACTION
    ],
    *[
        (make, {name: value}, f"{name} must be > 0 and finite, got {value!r}")
        for make, names in (
            (DriftingMixtures, ("box", "sd")),
            (SwitchingMixtures, ("box", "sd")),
            (MovingCentres, ("sd",)),
        )
        for name in names
        for value in POSITIVE
    ],
    *[
        (make, {name: value}, f"{name} must be >= 0 and finite, got {value!r}")
        for make, names in (
            (DriftingMixtures, ("keep", "drift")),
            (SwitchingMixtures, ("keep",)),
            (MovingChessboard, ("shift",)),
            (RotatingBananas, ("sd",)),
            (MovingCentres, ("speed",)),
        )
        for name in names
        for value in NOT_NEGATIVE
    ],
    *[
        (make, {"angle": value}, f"angle must be in [0, pi], got {value!r}")
        for make in (RotatingHyperplane, MovingChessboard, RotatingBananas)
        for value in (-0.1, 3.2, 1e9)
    ],
    *[
        (make, {"angle": value}, f"angle must be a finite number, got {value!r}")
        for make in (RotatingHyperplane, MovingChessboard, RotatingBananas)
        for value in (math.nan, math.inf, "1")
    ],
    (SwitchingTrees, {"depth": 13}, "depth must be <= 12, got 13"),
    (
        SwitchingTrees,
        {"classes": 9, "depth": 3},
        "classes must be <= 8, the number of leaves, got 9. Use fewer classes or a larger depth.",
    ),
    (SwitchingTrees, {"every": 10, "transition": 11}, "transition must be <= every = 10, got 11"),
    (SwitchingTrees, {"transition": -1}, "transition must be a whole number >= 0, got -1"),
    (LED, {"swaps": 8}, "swaps must be <= 7, got 8"),
    (LED, {"swaps": 1.0}, "swaps must be a whole number >= 0, got 1.0"),
    (SEA, {"thetas": ()}, "thetas must hold at least one number, got ()"),
    (SEA, {"thetas": (8.0, math.nan)}, "every theta must be a finite number, got nan"),
    (SEA, {"n": None}, "every must be a number when n is None, got None. Give the length of a concept"),
    (phases, {"classes": (3, 7, 8)}, "classes must be four different classes (P1, P2, N1, N2), got (3, 7, 8)"),
    (phases, {"classes": (3, 7, 8, 3)}, "classes must be four different classes (P1, P2, N1, N2), got (3,"),
    (
        phases,
        {"classes": (3, 7, 8, 11)},
        "every class must occur in y, got 11. The classes of y are 0, 1, 2,",
    ),
    (phases, {"classes": (3, 7, 8, "9")}, "every class must occur in y, got '9'. The classes of y are 0, 1,"),
    (
        phases,
        {"y": np.arange(3000)[::-1] + 10},
        "every class must occur in y, got 3. The classes of y are 10",
    ),
    (phases, {"y": DIGITS[1:]}, "y must hold one class for each of the 3000 rows of X, got (2999,)"),
    (phases, {"y": DIGITS[:, None]}, "y must hold one class for each of the 3000 rows of X, got (3000, 1)"),
    (phases, {"X": INSTANCES[:, 0]}, "X must have two dimensions, got (3000,)"),
    (phases, {"X": INSTANCES.astype(str)}, "X must hold real numbers, got dtype"),
    (phases, {"X": INSTANCES * 1j}, "X must hold real numbers, got dtype"),
    (
        phases,
        {"X": sp.csc_matrix(INSTANCES)},
        "X must be a dense array or a CSR matrix, got 'csc'. Use X.tocsr().",
    ),
]


@pytest.mark.parametrize(("make", "options", "message"), BAD)
def test_bad_parameters_are_refused_where_they_are_given(make, options, message):
    where = "FourPhase" if make is phases else make.__name__
    with pytest.raises(ValueError) as error:
        make(**options)
    assert str(error.value).startswith(f"{where}: {message}")


def test_many_classes_are_not_all_listed():
    with pytest.raises(ValueError, match=r"\.\.\.\.$") as error:
        phases(y=np.arange(3000) + 10)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("t", [-1, 1.5, [0, -3], "now", True])
@pytest.mark.parametrize(
    "ask",
    [
        RotatingHyperplane().target,
        SwitchingHyperplane().target,
        SEA().theta,
        MovingCentres().centres,
        lambda t: MovingChessboard().target(np.ones((2, 2)), t),
    ],
)
def test_rounds_are_whole_and_not_negative(ask, t):
    with pytest.raises(ValueError, match=r"^\w+: t must hold whole numbers >= 0, got "):
        ask(t)


@pytest.mark.parametrize("stream", [MovingChessboard(), MovingCentres(d=2), SwitchingTrees(d=2)])
@pytest.mark.parametrize(
    ("X", "t", "message"),
    [
        (np.ones((4, 3)), 0, "X must have the shape (rows, 2), got (4, 3)"),
        ([1.0, 2.0], 0, "X must have the shape (rows, 2), got (2,)"),
        ([["a", "b"]], 0, "X must hold real numbers, got dtype"),
        (np.ones((4, 2)), [1, 2, 3], "t must be one round, or one for each of 4 rows, got (3,)"),
    ],
)
def test_examples_for_a_target_are_checked(stream, X, t, message):
    with pytest.raises(ValueError) as error:
        stream.target(X, t)
    assert str(error.value).startswith(f"{type(stream).__name__}: {message}")


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (4, "phase_index must be 0, 1, 2 or 3, got 4"),
        (-1, "phase_index must be a whole number >= 0, got -1"),
        (1.0, "phase_index must be a whole number >= 0, got 1.0"),
    ],
)
def test_phase_index_is_checked(index, message):
    with pytest.raises(ValueError) as error:
        phases().phase_probabilities(index)
    assert str(error.value) == f"FourPhase: {message}"


def test_numpy_numbers_are_numbers():
    stream = SEA(np.int64(40), noise=np.float32(0.25), every=np.int32(10), block=np.uint8(30), seed=np.int64(3))
    assert [len(y) for _, y in stream] == [30, 10]
