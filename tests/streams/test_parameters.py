"""Synthetic drift streams: parameters, rounds and examples that are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.streams import (
    LED,
    SEA,
    DriftingMixtures,
    FourPhase,
    MovingCentres,
    MovingChessboard,
    RotatingBananas,
    RotatingHyperplane,
    SwitchingHyperplane,
    SwitchingMixtures,
    SwitchingTrees,
)
from tests.support.synthetic_streams import (
    CLASSES,
    DIGITS,
    INSTANCES,
)


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
