"""A sweep of regressors: many settings over one pass of a stream, ranked by their absolute errors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn

from driftline.evaluate.regression.loss_ledger import LossLedger
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.regression.shown import error, share
from driftline.evaluate.sweep_result import Setting, Sweep
from driftline.internals.text_table import aligned

HEADER = ("learner", "MAE", "RMSE", "R2", "updates", "infeasible")
ERROR = "mean absolute error"


class RegressionSetting(Setting):
    """One setting of a sweep of regressors. ``error`` is not defined: use ``run``."""

    ledger: LossLedger

    @cached_property
    def run(self) -> RegressionRun:
        """The run with its learner, which is made on first access."""
        return RegressionRun(self.name, self.learned(), self.ledger)

    @property
    def error(self) -> NoReturn:
        """A regressor has no labels."""
        raise AttributeError(f"{self.name}: a regressor has no wrong labels. Use run.mae or run.rmse")


class RegressionSweep(Sweep):
    """The settings of a sweep of regressors, ranked by mean absolute error; printing it shows a table.

    ``sweep[name]`` is the run of the setting with that name.

    Parameters
    ----------
    settings
        The settings, in any order.

    Attributes
    ----------
    settings
        All settings, the smallest mean absolute error first. Settings with overflowed predictions
        come last.
    """

    what: ClassVar[str] = ERROR

    def table(self) -> list[dict[str, Any]]:
        """The results as rows of a table.

        Returns
        -------
        list of dict
            One dict per setting, the smallest mean absolute error first: column to value.
        """
        rows = []
        for one in self.settings:
            assert isinstance(one.ledger, LossLedger)
            found = one.ledger.figures
            errors = {"MAE": found.mae, "RMSE": found.rmse, "R2": found.r2}
            counts = {"updates": one.ledger.updates, "infeasible": one.ledger.infeasible}
            rows.append({"learner": one.name, **errors, **counts})
        return rows

    def __str__(self) -> str:
        cells: list[Sequence[str]] = [HEADER]
        for row in self.table():
            counts = (f"{row[name]:,}" for name in ("updates", "infeasible"))
            cells.append((row["learner"], error(row["MAE"]), error(row["RMSE"]), share(row["R2"]), *counts))
        return aligned(cells)

    __repr__ = __str__
