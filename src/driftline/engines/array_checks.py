"""Checks of the arrays of a model file. Each raises ValueError with what was found.

Anyone can write a file with a right checksum, and compiled loops have no bounds checks. So an
engine checks every number that a loop uses as an index or a counter, and every size, before it
takes over an array.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from driftline.engines.state import DUE, FIRST, NORM, SCALE, SEEN, SINCE
from driftline.internals.compiled import Floats

MOST = 2.0**52  # upper limit of a counter: it can still count on exactly
Arrays = dict[str, np.ndarray]


# names and shapes -----------------------------------------------------------------------------------------------------
def only(arrays: Mapping[str, object], *names: str) -> None:
    """Raise unless the arrays, or groups of arrays, have exactly these names."""
    if arrays.keys() != set(names):
        raise ValueError(f"arrays {listed(arrays)}, expected {listed(names)}")


def without(arrays: Arrays, *names: str) -> Arrays:
    """The arrays without those of these names."""
    return {name: array for name, array in arrays.items() if name not in names}


def of_shape(arrays: Arrays, name: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the array of this name; raise unless it has this dtype and shape."""
    array = arrays.get(name)
    if array is None:
        raise ValueError(f"no array {name}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name} of shape {array.shape} and {array.dtype}, expected shape {shape} and {dtype}")
    return array


def listed(names: Iterable[str]) -> str:
    """Up to 40 names: a file may have any number of arrays, with names of any length."""
    every = sorted(names)
    shown = [f"{name:.60}" for name in every[:40]]
    return f"{shown}" if len(shown) == len(every) else f"{shown} and {len(every) - len(shown)} more"


# numbers --------------------------------------------------------------------------------------------------------------
def finite(name: str, array: np.ndarray) -> np.ndarray:
    """Return the array; raise unless all its numbers are finite."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name} that are not finite")
    return array


def within(name: str, array: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return the array; raise unless all its numbers are from ``low`` to ``high``."""
    if not ((array >= low) & (array <= high)).all():
        raise ValueError(f"{name} outside [{low:g}, {high:g}]")
    return array


def counters(name: str, array: np.ndarray) -> np.ndarray:
    """Return the array; raise unless all its numbers are whole, from 0 to 2^52."""
    if not ((array >= 0.0) & (array <= MOST) & (array == np.floor(array))).all():
        raise ValueError(f"{name} that are no counters")
    return array


# the state of an engine -----------------------------------------------------------------------------------------------
def tracked_state(arrays: Arrays) -> Floats:
    """Return the state of weights that are scaled lazily, and of their tracked norm.

    Neither is negative, but both may have overflowed.
    """
    state = of_shape(arrays, "state", "float64", (SEEN,))
    negative = state[SCALE] < 0.0 or state[NORM] < 0.0
    if negative or not all(0.0 <= state[place] < np.inf for place in (SINCE, DUE)):
        raise ValueError(f"state {state.tolist()}")
    return state


def constant_state(arrays: Arrays, due: Floats) -> None:
    """Raise unless the state is ``due``: that of a new engine, for engines that do not use it."""
    state = of_shape(arrays, "state", "float64", due.shape)
    if not np.array_equal(state, due):
        raise ValueError(f"state {state.tolist()}")


def _overflowed(weights: np.ndarray) -> bool:
    """Whether a weight is not finite."""
    return not (np.isfinite(weights[0]).all() and np.isfinite(weights[FIRST:]).all())


def weights_of_shape(arrays: Arrays, name: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return weights: the constant feature first, then a gap of zeros, then the other features.

    The gap may be NaN once other weights have overflowed.
    """
    weights = of_shape(arrays, name, dtype, shape)
    gap = weights[1:FIRST]
    if gap.any() and not (np.isnan(gap[gap != 0.0]).all() and _overflowed(weights)):
        raise ValueError("nonzero weights between the bias feature and the first feature")
    return weights
