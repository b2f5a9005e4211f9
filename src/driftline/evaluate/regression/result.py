"""The result of a run of a regressor: its errors and its curve."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from driftline.certify.evidence import EvidenceRecorder
from driftline.evaluate.history import History
from driftline.evaluate.regression import shown
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.figures import RegressionFigures
from driftline.evaluate.regression.loss_ledger import LossLedger
from driftline.evaluate.regression.metrics import RegressionMetrics
from driftline.evaluate.result import Run
from driftline.internals.compiled import Floats
from driftline.internals.require import whole
from driftline.internals.visible_text import visible
from driftline.learners import Learner


class RegressionRun(Run):
    """A finished run of a regressor. The attributes are those of ``Run``, without labels and mistakes.

    Attributes
    ----------
    metrics
        The errors of the run, of its last examples and of slices (``dl.RegressionMetrics``). None
        for the settings of a sweep.
    """

    metrics: RegressionMetrics | None  # type: ignore[assignment]
    ledger: LossLedger

    def __init__(
        self,
        name: str,
        learner: Learner,
        ledger: LossLedger,
        history: History | None = None,
        recorder: EvidenceRecorder | None = None,
        stopped: str = "",
    ) -> None:
        super().__init__(name, learner, ledger, history, recorder, stopped)

    @property
    def figures(self) -> RegressionFigures:
        """The errors of the whole run and of the baselines."""
        return self.ledger.figures

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return self.figures.mae

    @property
    def mse(self) -> float:
        """The mean squared error."""
        return self.figures.mse

    @property
    def rmse(self) -> float:
        """The square root of the mean squared error."""
        return self.figures.rmse

    @property
    def r2(self) -> float:
        """1 - squared error / squared deviation from the mean of all targets; NaN if these are equal."""
        return self.figures.r2

    @property
    def bias(self) -> float:
        """The mean of prediction - target."""
        return self.figures.bias

    @property
    def baselines(self) -> str:
        """The mean absolute errors of both baselines in one line of text; empty without examples."""
        found = self.figures
        if not self.examples:
            return ""
        return (
            f"baselines (MAE): mean so far {shown.error(found.mean_mae)}, no change {shown.error(found.no_change_mae)}"
        )

    @property
    def warnings(self) -> list[str]:
        """Why the errors of the run may say little. Empty if nothing is wrong."""
        lost = self.figures.overflowed
        overflow = f"{lost:,} predictions have overflowed, so the errors are undefined. Scale the features"
        return [*([overflow] if lost else []), *self.remarks]

    @property
    def curve(self) -> dict[str, Floats]:
        """The totals along the stream: column name to values, from 0 examples to the last one.

        The columns are "examples", "absolute_error", "squared_error" and "updates".
        """
        return super().curve

    def windowed(self, window: int = 1000) -> tuple[Floats, Floats]:
        """The mean absolute error over the last ``window`` examples, along the stream.

        Parameters
        ----------
        window
            The number of examples in the window; near the start it has fewer.

        Returns
        -------
        tuple of arrays
            Positions in the stream, and the mean absolute error in the window that ends there.
        """
        whole("Run.windowed", "window", window, 1)
        curve = self.curve
        at, errors = curve["examples"], curve["absolute_error"]
        since = np.maximum(0.0, at[1:] - window)
        return at[1:], (errors[1:] - np.interp(since, at, errors)) / (at[1:] - since)

    @property
    def _alone(self) -> RegressionComparison:
        return RegressionComparison([self])

    def __repr__(self) -> str:
        return (
            f"<Run {visible(self.name)}: {self.examples:,} examples, MAE {shown.error(self.mae)}, "
            f"RMSE {shown.error(self.rmse)}, R2 {self.r2:.4f}, {self.updates:,} updates, {self.seconds:.3g} s>"
        )

    # what a regression does not have ------------------------------------------------------------
    @property
    def mistakes(self) -> NoReturn:
        """A regressor has no mistakes."""
        raise self._absent("mistakes")

    @property
    def label_errors(self) -> NoReturn:
        """A regressor has no labels."""
        raise self._absent("label_errors")

    @property
    def margin_errors(self) -> NoReturn:
        """A regressor has no margin."""
        raise self._absent("margin_errors")

    @property
    def hinge(self) -> NoReturn:
        """A regressor has no margin."""
        raise self._absent("hinge")

    @property
    def error(self) -> NoReturn:
        """A regressor has no labels."""
        raise self._absent("error")

    @property
    def no_change_error(self) -> NoReturn:
        """A regressor has no labels."""
        raise self._absent("no_change_error")

    @property
    def majority_error(self) -> NoReturn:
        """A regressor has no labels."""
        raise self._absent("majority_error")

    def _seen(self) -> NoReturn:
        raise ValueError(
            f"{self.name}: a certificate needs a run of a classifier, got a run of a regressor. "
            "The theorems on regressors are in driftline.bounds.CATALOGUE"
        )

    def _absent(self, name: str) -> AttributeError:
        return AttributeError(
            f"{self.name}: {name} is an attribute of runs of classifiers, got a run of a regressor. "
            "Use mae, rmse, r2 or metrics"
        )
