"""The metrics of a run of a regressor, fed with its learned blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.targets import LARGEST_TARGET
from driftline.engines.metrics.residual_sums import INSIDE, OVERFLOWED, ROWS, SUMS
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP
from driftline.evaluate.metrics.slices import MOST_VALUES, Slices
from driftline.evaluate.regression.metrics import RegressionMetrics
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock, Learner
from driftline.saved.description import MOST

KEYS = ("epsilon", "last", "window", "stride", "slice", "values")
ARRAYS = ("total", "slices", "window", "points")


class RegressionObserver:
    """Feeds the metrics of a run. Checkpoints save their state.

    Parameters
    ----------
    window
        The number of examples in the window.
    epsilon
        The half-width of the tube of the learner; None if it has none.
    column
        The column by whose values the run is sliced; None for no slices.

    Attributes
    ----------
    metrics
        The metrics.
    """

    name = "metrics"
    wants_probabilities = False

    def __init__(self, window: int = 1000, epsilon: float | None = None, column: str | int | None = None) -> None:
        self.metrics = RegressionMetrics(window=window, epsilon=epsilon)
        self._slices = None if column is None else Slices(column)

    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """See a learned block.

        Parameters
        ----------
        learned
            The record of the block.
        X
            The rows of the block, as the stream gave them.
        learner
            The learner, after the block.
        """
        groups = EVERY_ROW_OF_ONE_GROUP if self._slices is None else self._slices.groups(X)
        values = () if self._slices is None else tuple(self._slices.values)
        y, predicted = np.ascontiguousarray(learned.y), np.ascontiguousarray(learned.scores)
        self.metrics._take(y, predicted, groups, values)

    @property
    def examples(self) -> int:
        """The number of examples that were measured."""
        return self.metrics.n

    # checkpoints -------------------------------------------------------------------------------
    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays."""
        metrics = self.metrics
        ring, arrays = metrics._window.state(metrics.n)
        meta = {
            "epsilon": metrics.epsilon,
            "last": metrics._last,
            **ring,
            "slice": None if self._slices is None else self._slices.column,
            "values": metrics._values,
        }
        return meta, {"total": metrics._sums, "slices": metrics._sliced, **arrays}

    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state; raise ValueError if no run can have it.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned.
        """
        if meta.keys() != set(KEYS) or arrays.keys() != set(ARRAYS):
            raise ValueError(f"entries {sorted(meta)} and arrays {sorted(arrays)}")
        own = None if self._slices is None else self._slices.column
        if meta["epsilon"] != self.metrics.epsilon or meta["slice"] != own:
            raise ValueError(f"epsilon {meta['epsilon']!r} and slice {meta['slice']!r}")
        values, last = meta["values"], meta["last"]
        texts = isinstance(values, list) and all(isinstance(value, str) for value in values)
        if not texts or len(set(values)) != len(values) or len(values) > MOST_VALUES + 1:
            raise ValueError(f"values {values!r}")
        if type(last) is not float or not abs(last) <= LARGEST_TARGET:
            raise ValueError(f"last {last!r}")
        metrics = RegressionMetrics(window=self.metrics._window.size, epsilon=self.metrics.epsilon)
        metrics._sums = checked_sums("total", arrays["total"], (SUMS,))
        metrics._sliced = checked_sums("slices", arrays["slices"], (len(values), SUMS))
        if values and metrics._sliced[:, ROWS].sum() != metrics.n:
            raise ValueError("slices that do not add up to the total")
        metrics._window.restore(meta, arrays, metrics.n)
        metrics._last, metrics._values = last, list(values)
        if self._slices is not None:
            self._slices.values = {value: k for k, value in enumerate(values)}
        self.metrics = metrics


def checked_sums(name: str, given: np.ndarray, shape: tuple[int, ...]) -> Floats:
    """Sums of a checkpoint; ValueError if no run can have them.

    Parameters
    ----------
    name
        What they are.
    given
        The sums.
    shape
        Their shape.

    Returns
    -------
    numpy.ndarray
        A copy.
    """
    if given.dtype != np.float64 or given.shape != shape or not np.isfinite(given).all():
        raise ValueError(f"{name} of shape {given.shape} and {given.dtype}")
    rows = given[..., ROWS]
    for which in (ROWS, INSIDE, OVERFLOWED):
        counts = given[..., which]
        if np.any((counts < 0.0) | (counts > np.minimum(rows, MOST)) | (counts != np.trunc(counts))):
            raise ValueError(f"{name} with counts outside their range")
    return given.copy()
