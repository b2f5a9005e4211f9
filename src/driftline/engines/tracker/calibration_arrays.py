"""The learned arrays of a calibration in model files, with the lower triangles of matrices."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, counters, finite, of_shape, within
from driftline.engines.calibration.mixture import Mixture
from driftline.engines.calibration.regressions import MEMORIES, Regressions
from driftline.engines.tracker.calibration import STACKERS, Calibration, new_calibration
from driftline.engines.tracker.state import triangle
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import FULL_BANK

SAVED = (
    "expert_weights",
    "expert_spreads",
    "stacker_weights",
    "stacker_spreads",
    "label_rates",
    "guess_shares",
    "labels_learned",
)
"""The names of the arrays in model files. Files of earlier versions have none of them."""


def learned_arrays(calibration: Calibration) -> Arrays:
    """The learned arrays as the loops have them, by name."""
    experts, stackers, mixture = calibration
    each = (
        *(experts.weights, experts.spreads, stackers.weights, stackers.spreads),
        *(mixture.rates, mixture.shares, mixture.learned),
    )
    return dict(zip(SAVED, each, strict=True))


def saved_arrays(calibration: Calibration) -> Arrays:
    """The learned arrays for a model file, by name."""
    experts, stackers, mixture = calibration
    each = (
        *_triangles(experts, FULL_BANK + 1),
        *_triangles(stackers, STACKERS + 1),
        *(mixture.rates, mixture.shares, mixture.learned),
    )
    return dict(zip(SAVED, each, strict=True))


def restored(arrays: Arrays, rounds: float) -> Calibration:
    """The calibration from the arrays of ``saved_arrays``; ValueError if none can have them.

    ``rounds`` is the number of rounds of the tracker. Without any of these arrays it is a new one.
    """
    calibration = new_calibration()
    if not any(name in arrays for name in SAVED):
        return calibration
    experts, stackers, mixture = calibration
    _fill(experts, arrays, "expert", FULL_BANK + 1)
    _fill(stackers, arrays, "stacker", STACKERS + 1)
    _fill_mixture(mixture, arrays)
    if mixture.learned[0] > rounds:
        raise ValueError(f"labels_learned {mixture.learned[0]:g} after {rounds:g} rounds")
    return calibration


def copied(calibration: Calibration) -> Calibration:
    """A copy that shares no array."""
    experts, stackers, mixture = calibration
    return Calibration(
        Regressions(*(array.copy() for array in experts)),
        Regressions(*(array.copy() for array in stackers)),
        Mixture(*(array.copy() for array in mixture)),
    )


def _matrices(regressions: Regressions, size: int) -> tuple[Floats, Floats]:
    """Views of w and A of each memory, without padding."""
    width, memories = regressions.z.size, len(MEMORIES)
    weights = regressions.weights.reshape(memories, width)[:, :size]
    return weights, regressions.spreads.reshape(memories, width, width)[:, :size, :size]


def _triangles(regressions: Regressions, size: int) -> tuple[Floats, Floats]:
    """w and the lower triangle of A of each memory."""
    weights, spreads = _matrices(regressions, size)
    rows, columns = np.tril_indices(size)
    return weights.copy(), spreads[:, rows, columns]


def _fill(regressions: Regressions, arrays: Arrays, name: str, size: int) -> None:
    """Copy w and A from a model file."""
    memories = len(MEMORIES)
    given = finite(f"{name}_weights", of_shape(arrays, f"{name}_weights", "float64", (memories, size)))
    shape = memories, triangle(size)
    lower = finite(f"{name}_spreads", of_shape(arrays, f"{name}_spreads", "float64", shape))
    weights, spreads = _matrices(regressions, size)
    rows, columns = np.tril_indices(size)
    if (lower[:, rows == columns] < 0.0).any():
        raise ValueError(f"{name}_spreads with variances below 0")
    weights[:] = given
    spreads[:, rows, columns] = lower
    spreads[:, columns, rows] = lower


def _fill_mixture(mixture: Mixture, arrays: Arrays) -> None:
    """Copy the running shares and the weights of all components from a model file."""
    rates = finite("label_rates", of_shape(arrays, "label_rates", "float64", mixture.rates.shape))
    if not ((rates[:, 0] >= 0.0) & (rates[:, 0] <= rates[:, 1]) & (rates[:, 1] >= 1.0)).all():
        raise ValueError(f"label_rates {rates.tolist()}")
    shares = of_shape(arrays, "guess_shares", "float64", mixture.shares.shape)
    within("guess_shares", shares, 0.0, 1.0)
    if not abs(shares.sum() - 1.0) < 1e-6:
        raise ValueError(f"guess_shares with sum {shares.sum()}")
    mixture.rates[:], mixture.shares[:] = rates, shares
    mixture.learned[:] = counters("labels_learned", of_shape(arrays, "labels_learned", "float64", (1,)))
