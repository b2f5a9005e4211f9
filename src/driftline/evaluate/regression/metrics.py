"""Metrics of regressions that are updated block by block, in constant memory."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from driftline.encode.arrays import masked
from driftline.encode.faults import shortened
from driftline.encode.targets import LARGEST_TARGET, NUMBERS
from driftline.engines.metrics.residual_sums import SUMS, Counts, add_residuals, baseline_predictions
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP
from driftline.evaluate.regression.figures import RegressionFigures
from driftline.evaluate.regression.window import Residuals, ResidualWindow
from driftline.internals.compiled import Floats
from driftline.internals.require import at_least, require, whole

WHERE = "RegressionMetrics"


class RegressionMetrics(RegressionFigures):
    """Metrics of the predictions of a regression, updated block by block in constant memory.

    The metrics of all examples are attributes: ``n``, ``mae``, ``mse``, ``rmse``, ``r2``, ``bias``,
    ``inside``, and ``mean_mae``, ``mean_rmse``, ``no_change_mae`` and ``no_change_rmse`` of two
    baselines. A metric is NaN if it is undefined, and ``why`` gives the reason. Sample weights are
    ignored.

    ``run.metrics`` of a regressor is such an object. Create one to evaluate the predictions of
    another model.

    Parameters
    ----------
    window : int, default=1000
        The number of examples over which ``window`` and ``series`` are computed.
    epsilon : float or None, default=None
        ``inside`` is the share of examples with an absolute error of at most ``epsilon``. None does
        not measure it.

    Examples
    --------
    >>> import driftline as dl
    >>> metrics = dl.RegressionMetrics(epsilon=0.5)
    >>> metrics.add([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    >>> metrics.n, metrics.mae, metrics.mse, metrics.inside
    (4, 0.5, 0.375, 0.75)
    >>> round(metrics.r2, 4), metrics.no_change_mae
    (0.9486, 3.5)
    """

    def __init__(self, *, window: int = 1000, epsilon: float | None = None) -> None:
        whole(WHERE, "window", window, 1)
        if epsilon is not None:
            at_least(WHERE, "epsilon", epsilon, 0.0)
        super().__init__(np.zeros(SUMS), None if epsilon is None else float(epsilon))
        self._window = ResidualWindow(int(window))
        self._last = 0.0
        self._sliced: Floats = np.zeros((0, SUMS))
        self._values: list[str] = []

    def add(self, y: Any, predicted: Any) -> None:
        """Add examples: one, or a sequence of them.

        Parameters
        ----------
        y
            The target, or a sequence of targets: finite numbers, at most 1e15 in absolute value.
        predicted
            The prediction of each example.
        """
        targets, said = _column("y", y), _column("predicted", predicted)
        require(targets.shape == said.shape, WHERE, f"predicted must have {targets.size} entries, as y", said.size)
        bad = np.flatnonzero(~(np.abs(targets) <= LARGEST_TARGET))
        if bad.size:
            raise ValueError(
                f"{WHERE}: y must have finite targets of at most {LARGEST_TARGET:g} in absolute value, got "
                f"{float(targets[bad[0]])!r} at position {bad[0]}. Leave out examples without a target"
            )
        self._take(targets, said)

    def _take(
        self, y: Floats, predicted: Floats, groups: Counts = EVERY_ROW_OF_ONE_GROUP, values: Sequence[str] = ()
    ) -> None:
        """Add rounds; ``groups`` gives the slice of each, ``values`` the names of the slices."""
        if not len(y):
            return
        done = self.n
        rounds = Residuals(y, predicted, np.empty(len(y)), np.empty(len(y)))
        baseline_predictions(y, self._sums, self._last, rounds.means, rounds.lasts)
        self._last = float(y[-1])
        self._add(EVERY_ROW_OF_ONE_GROUP, rounds, self._sums.reshape(1, SUMS))
        self._window.add(done, rounds)
        if len(groups):
            self._values = list(values)
            grown = np.zeros((len(values), SUMS))
            grown[: len(self._sliced)] = self._sliced
            self._sliced = grown
            self._add(groups, rounds, self._sliced)

    def _add(self, groups: Counts, rounds: Residuals, sums: Floats) -> None:
        add_residuals(groups, *rounds, -1.0 if self.epsilon is None else self.epsilon, sums)

    # parts of the run --------------------------------------------------------------------------
    @property
    def window(self) -> RegressionFigures:
        """The metrics of the last examples. The baselines are those of the whole stream."""
        sums = np.zeros((1, SUMS))
        self._add(EVERY_ROW_OF_ONE_GROUP, self._window.rounds(self.n), sums)
        return RegressionFigures(sums[0], self.epsilon)

    @property
    def series(self) -> dict[str, Floats]:
        """The metrics of the last examples along the run, at up to 64 positions.

        The columns are "n" (the position), "mae", "rmse", "r2", "bias", "mean_mae" and
        "no_change_mae". Undefined values are NaN.
        """
        return self._window.series()

    @property
    def slices(self) -> dict[str, RegressionFigures]:
        """The metrics by value of the column ``slice``; empty without one.

        The baselines are those of the whole stream.
        """
        return {value: RegressionFigures(self._sliced[k], self.epsilon) for k, value in enumerate(self._values)}

    def to_dict(self) -> dict[str, Any]:
        """All metrics as plain values for JSON; None where a metric is undefined.

        Returns
        -------
        dict
            The metrics by name; "undefined", the reason for each undefined metric; the same of the
            "window"; and "slices" by value.
        """
        window = {"examples_in_window": self._window.size, **self.window.to_dict()}
        slices = {value: figures.to_dict() for value, figures in self.slices.items()}
        return {**super().to_dict(), "window": window, "slices": slices}

    def __repr__(self) -> str:
        return f"<RegressionMetrics: {self.n:,} examples, MAE {self.mae:.4g}, RMSE {self.rmse:.4g}, R2 {self.r2:.4f}>"


def _column(name: str, given: Any) -> Floats:
    """One number or a sequence of numbers as an array."""
    require(not masked(given), WHERE, f"{name} must not have masked entries", masked(given))
    try:
        array = np.asarray(given)
        if array.ndim <= 1 and (array.dtype.kind in NUMBERS or all(map(_is_number, np.atleast_1d(array)))):
            return np.atleast_1d(array.astype(np.float64))
    except (OverflowError, TypeError, ValueError):  # the message below says what must hold
        pass
    raise ValueError(f"{WHERE}: {name} must be a number or a sequence of numbers, got {shortened(given)}")


def _is_number(one: Any) -> bool:
    return isinstance(one, Real | Decimal) and not isinstance(one, bool | np.timedelta64)
