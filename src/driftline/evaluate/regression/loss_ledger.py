"""The totals of a run of a regressor: its errors, its updates, and the curve of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from driftline.engines.metrics.residual_sums import OVERFLOWED, SUMS, add_losses, add_residuals, baseline_predictions
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.metrics.rounds import EVERY_ROW_OF_ONE_GROUP
from driftline.evaluate.regression.figures import RegressionFigures
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock

NO_TUBE = -1.0


@dataclass
class LossLedger(Ledger):
    """The counts of one regressor over one run. It makes no mistakes, and has no margin.

    Parameters
    ----------
    absolute, squared
        The sums of the absolute and of the squared errors.
    last_target
        The last target.
    sums
        The sums behind ``figures``.
    """

    columns: ClassVar[tuple[str, ...]] = ("examples", "absolute_error", "squared_error", "updates")
    absolute: float = 0.0
    squared: float = 0.0
    last_target: float = 0.0
    sums: Floats = field(default_factory=lambda: np.zeros(SUMS))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.baselines = None

    @property
    def figures(self) -> RegressionFigures:
        """The errors of the run and of the baselines."""
        return RegressionFigures(self.sums, None)

    @property
    def rank(self) -> float:
        """What runs are ranked by, the smallest first: the mean absolute error."""
        mae = self.figures.mae
        return math.inf if math.isnan(mae) else mae

    @property
    def overflowed(self) -> bool:
        """Whether a prediction was not finite, so that the errors are undefined."""
        return bool(self.sums[OVERFLOWED])

    def last(self) -> Floats:
        """The totals, as a row of the curve."""
        return np.array([self.examples, self.absolute, self.squared, self.updates])

    def add(self, learned: LearnedBlock, seconds: float, *, count_labels: bool = True) -> None:
        """Count the rounds of a learned block.

        Parameters
        ----------
        learned
            The record of the block.
        seconds
            The time that it took.
        count_labels
            Not used: a regressor has no labels.
        """
        y, predicted = np.ascontiguousarray(learned.y), np.ascontiguousarray(learned.scores)
        totals, curve = self.last(), self.curve
        points = curve.room(self.examples, len(learned))
        self.infeasible += add_losses(
            totals, y, predicted, learned.events, curve.first(self.examples), curve.stride, points
        )
        curve.extend(points)
        self.examples, self.updates = int(totals[0]), int(totals[3])
        self.absolute, self.squared = float(totals[1]), float(totals[2])
        self.asked, self.seconds = self.examples, self.seconds + seconds
        if len(y):
            means, lasts = np.empty(len(y)), np.empty(len(y))
            baseline_predictions(y, self.sums, self.last_target, means, lasts)
            sums = self.sums.reshape(1, SUMS)
            add_residuals(EVERY_ROW_OF_ONE_GROUP, y, predicted, means, lasts, NO_TUBE, sums)
            self.last_target = float(y[-1])

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The ledger as plain values for JSON, and arrays."""
        meta, arrays = super().state()
        return meta, {**arrays, "sums": self.sums}

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> LossLedger:
        """Rebuild a ledger from its ``state``."""
        ledger = super().from_state(meta, arrays)
        assert isinstance(ledger, LossLedger)
        ledger.sums = arrays["sums"].copy()
        return ledger
