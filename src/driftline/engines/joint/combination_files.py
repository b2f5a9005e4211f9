"""The learned arrays of the combination in model files, with the lower triangles of matrices."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, counters, finite, of_shape, only, within
from driftline.engines.joint.combination import (
    CLASSES,
    COMPONENTS,
    LEARNED,
    PAIRS,
    RATE_PLACES,
    SECOND,
    Combination,
    new_combination,
)
from driftline.engines.joint.readouts import MEMORIES, Readout
from driftline.engines.tracker.state import triangle
from driftline.internals.compiled import Floats

PLAIN = ("counts", "shares", "squares", "errors", "labels", "weights")
READOUTS = ("first", "again")
NAMES = (*PLAIN, *(f"{name}_{part}" for name in READOUTS for part in ("weights", "spreads", "start")))
LARGEST = 1e300


def saved_combination(own: Combination, classes: int) -> Arrays:
    """The learned arrays of this number of classes."""
    arrays = {name: getattr(own, name) for name in PLAIN} | {"labels": own.labels[:, :classes].copy()}
    for name, features in zip(READOUTS, (own.squares.size, SECOND), strict=True):
        readout, size = getattr(own, name), features + classes
        weights, spreads = _matrices(readout, size)
        rows, columns = np.tril_indices(size)
        arrays[f"{name}_weights"], arrays[f"{name}_spreads"] = weights.copy(), spreads[:, rows, columns]
        arrays[f"{name}_start"] = readout.start[:size].copy()
    return arrays


def restored_combination(
    experts: int, classes: int, rounds: float | None, arrays: Arrays, pairs: int = PAIRS
) -> Combination:
    """The combination from the arrays of a model file; ValueError if no bank can have them.

    ``rounds`` is the number of rounds learned; None if it may be any.
    """
    only(arrays, *NAMES)
    made = new_combination(experts, classes, pairs)
    shapes = {name: getattr(made, name).shape for name in PLAIN}
    for name, shape in shapes.items():
        getattr(made, name)[...] = within(name, of_shape(arrays, name, "float64", shape), 0.0, LARGEST)
    counters("counts", made.counts)
    counters("errors", made.errors)
    rounds = float(made.counts[LEARNED]) if rounds is None else rounds
    if made.counts[LEARNED] != rounds or made.counts[CLASSES] not in (classes, *range(2, classes)):
        raise ValueError(f"counts {made.counts.tolist()} after {rounds:g} rounds")
    total = 1.0 if rounds else 0.0
    if abs(made.shares.sum() - total) > 1e-6 or abs(made.weights.sum() - 1.0) > 1e-6:
        raise ValueError(f"shares with the sums {made.shares.sum()} and {made.weights.sum()}")
    if made.labels.shape != (RATE_PLACES, classes) or made.weights.shape != (COMPONENTS,):
        raise ValueError("labels or weights of another shape")
    for name, features in zip(READOUTS, (experts, SECOND), strict=True):
        _fill(getattr(made, name), arrays, name, features + classes)
    return made


def _matrices(readout: Readout, size: int) -> tuple[Floats, Floats]:
    """Views of w and A of each memory, without padding."""
    width, memories = readout.u.size, len(MEMORIES)
    weights = readout.weights.reshape(memories, width)[:, :size]
    return weights, readout.spreads.reshape(memories, width, width)[:, :size, :size]


def _fill(readout: Readout, arrays: Arrays, name: str, size: int) -> None:
    """Copy w, A and the prior of w from a model file."""
    memories = len(MEMORIES)
    given = finite(name, of_shape(arrays, f"{name}_weights", "float64", (memories, size)))
    lower = finite(name, of_shape(arrays, f"{name}_spreads", "float64", (memories, triangle(size))))
    start = finite(name, of_shape(arrays, f"{name}_start", "float64", (size,)))
    rows, columns = np.tril_indices(size)
    if (lower[:, rows == columns] < 0.0).any():
        raise ValueError(f"{name}_spreads with variances below 0")
    weights, spreads = _matrices(readout, size)
    weights[:], readout.start[:size] = given, start
    spreads[:, rows, columns] = lower
    spreads[:, columns, rows] = lower
