"""The metrics that follow from the sums over the residuals of a group of rounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from driftline.engines.metrics.residual_sums import (
    ABSOLUTE,
    HIGHEST,
    INSIDE,
    LAST_ABSOLUTE,
    LAST_SQUARED,
    LOWEST,
    MEAN_ABSOLUTE,
    MEAN_SQUARED,
    OVERFLOWED,
    RESIDUAL,
    ROWS,
    SHIFT,
    SQUARED,
    TARGET,
    TARGET_SQUARED,
)
from driftline.internals.compiled import Floats

OF_PREDICTIONS = ("mae", "mse", "rmse", "r2", "bias", "inside")
BASELINES = ("mean_mae", "mean_rmse", "no_change_mae", "no_change_rmse")
OF_TARGETS = ("target_mean", "target_deviation", "target_lowest", "target_highest")
NUMBERS = (*OF_PREDICTIONS, *BASELINES, *OF_TARGETS)
"""The metrics that are one number."""
NO_EXAMPLES = "no examples"


class RegressionFigures:
    """The metrics of a group of rounds. A metric is NaN if it is undefined; ``why`` gives the reason.

    Sample weights are ignored: every example counts once.

    Parameters
    ----------
    sums
        The sums of the group.
    epsilon
        The half-width of the tube around the targets; None if there is none.
    """

    def __init__(self, sums: Floats, epsilon: float | None) -> None:
        self._sums = sums
        self.epsilon = epsilon

    # predictions -------------------------------------------------------------------------------
    @property
    def n(self) -> int:
        """The number of examples."""
        return int(self._sums[ROWS])

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return math.nan if self._no_error() else self._mean(ABSOLUTE)

    @property
    def mse(self) -> float:
        """The mean squared error."""
        return math.nan if self._no_error() else self._mean(SQUARED)

    @property
    def rmse(self) -> float:
        """The square root of the mean squared error."""
        return math.sqrt(self.mse)

    @property
    def bias(self) -> float:
        """The mean of prediction - target: positive if the predictions are too high."""
        return math.nan if self._no_error() else self._mean(RESIDUAL)

    @property
    def r2(self) -> float:
        """1 - (sum of squared errors) / (sum of squared deviations of the targets from their mean).

        1 is perfect. The mean of all targets, known in advance, has 0. Worse predictions have
        negative values, minus infinity if they are too large for a float.
        """
        if self._no_r2():
            return math.nan
        try:
            return float(1 - self._total(SQUARED) / self._spread())
        except OverflowError:
            return -math.inf

    @property
    def inside(self) -> float:
        """The share of examples with an absolute error of at most ``epsilon``."""
        return math.nan if self._no_share() else float(self._sums[INSIDE]) / self.n

    # baselines ---------------------------------------------------------------------------------
    @property
    def mean_mae(self) -> float:
        """The mean absolute error of a baseline: predict the mean of the targets so far, at first 0."""
        return self._mean(MEAN_ABSOLUTE)

    @property
    def mean_rmse(self) -> float:
        """The root mean squared error of a baseline that predicts the mean of the targets so far, at first 0."""
        return math.sqrt(self._mean(MEAN_SQUARED))

    @property
    def no_change_mae(self) -> float:
        """The mean absolute error of a baseline: predict the previous target, at first 0."""
        return self._mean(LAST_ABSOLUTE)

    @property
    def no_change_rmse(self) -> float:
        """The root mean squared error of a baseline that predicts the previous target, at first 0."""
        return math.sqrt(self._mean(LAST_SQUARED))

    # targets -----------------------------------------------------------------------------------
    @property
    def target_mean(self) -> float:
        """The mean of the targets."""
        if not self.n:
            return math.nan
        return float(Fraction(float(self._sums[SHIFT])) + self._total(TARGET) / self.n)

    @property
    def target_deviation(self) -> float:
        """The standard deviation of the targets."""
        return math.sqrt(self._spread() / self.n) if self.n else math.nan

    @property
    def target_lowest(self) -> float:
        """The smallest target."""
        return float(self._sums[LOWEST]) if self.n else math.nan

    @property
    def target_highest(self) -> float:
        """The largest target."""
        return float(self._sums[HIGHEST]) if self.n else math.nan

    # what is undefined -------------------------------------------------------------------------
    @property
    def why(self) -> dict[str, str]:
        """The reason for each metric that is undefined, by its name."""
        if not self.n:
            return dict.fromkeys(NUMBERS, NO_EXAMPLES)
        reasons = dict.fromkeys(("mae", "mse", "rmse", "bias"), self._no_error())
        reasons |= {"r2": self._no_r2(), "inside": self._no_share()}
        return {name: reason for name, reason in reasons.items() if reason}

    @property
    def overflowed(self) -> int:
        """The number of predictions that are not finite, or whose squared error exceeds 1e200."""
        return int(self._sums[OVERFLOWED])

    def _no_error(self) -> str:
        """Why the errors are undefined; empty if they are defined."""
        if not self.n:
            return NO_EXAMPLES
        return f"{self.overflowed:,} predictions have overflowed" if self.overflowed else ""

    def _no_r2(self) -> str:
        if reason := self._no_error():
            return reason
        return "" if self._spread() else "all targets are equal"

    def _no_share(self) -> str:
        return self._no_error() or ("the learner has no epsilon" if self.epsilon is None else "")

    # sums --------------------------------------------------------------------------------------
    def _total(self, which: int) -> Fraction:
        """A sum, without further rounding."""
        return Fraction(float(self._sums[which])) + Fraction(float(self._sums[which + 1]))

    def _mean(self, which: int) -> float:
        return float(self._total(which) / self.n) if self.n else math.nan

    def _spread(self) -> Fraction:
        """The sum of squared deviations of the targets from their mean."""
        return max(Fraction(0), self._total(TARGET_SQUARED) - self._total(TARGET) ** 2 / self.n)

    # plain values ------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """All metrics as plain values for JSON; None where a metric is undefined.

        Returns
        -------
        dict
            The metrics by name, and "undefined", the reason for each undefined metric.
        """
        known = {name: getattr(self, name) for name in NUMBERS}
        plain = {name: value if math.isfinite(value) else None for name, value in known.items()}
        return {"n": self.n, **plain, "epsilon": self.epsilon, "undefined": self.why}
