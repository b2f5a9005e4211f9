"""The report of a sweep of regressors: heat maps of absolute errors, and a table of all settings."""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftline.evaluate.regression.sweep import RegressionSweep
from driftline.report.headline import warnings_of
from driftline.report.html_table import Row, bar, table
from driftline.report.measured.regression import MEANING, error, share
from driftline.report.pages.sweep import SweepSection, settings_text
from driftline.report.safe_text import brief, named

HEADER = ("setting", "MAE", "RMSE", "R2", "updates", "infeasible")


@dataclass(frozen=True)
class RegressionSweepSection(SweepSection):
    """The report sections of a sweep of regressors.

    Parameters
    ----------
    found : RegressionSweep
        Result of ``driftline.sweep``.
    data : DataSummary
        Description of the data.
    """

    found: RegressionSweep

    @property
    def headline(self) -> str:
        """The errors of the best and the worst setting, and the number that overflowed."""
        finite = [one for one in self.found.settings if not one.ledger.overflowed]
        overflowed = len(self.found) - len(finite)
        if not finite:
            return f"The predictions of all settings ({settings_text(overflowed)}) have overflowed."
        first, last = finite[0], finite[-1]
        worst = f"; the worst of {settings_text(len(finite))} had {error(last.ledger.rank)}" if len(finite) > 1 else ""
        lost = (
            f" The predictions of {settings_text(overflowed)} have overflowed; these are ignored." if overflowed else ""
        )
        return (
            f"{brief(first.name)} had the smallest mean absolute error: {error(first.ledger.rank)} in "
            f"{self.found.examples:,} examples{worst}.{lost}{warnings_of(self.found.best)}"
        )

    def _table(self) -> str:
        rows = self.found.table()
        most = max((row["MAE"] for row in rows if not math.isnan(row["MAE"])), default=0.0) or 1.0
        cells = [
            Row(
                [
                    named(row["learner"]),
                    bar(error(row["MAE"]), 0.0 if math.isnan(row["MAE"]) else row["MAE"] / most),
                    error(row["RMSE"]),
                    share(row["R2"]),
                    f"{row['updates']:,}",
                    f"{row['infeasible']:,}",
                ]
            )
            for row in rows
        ]
        return table(f"{self.found.examples:,} examples, smallest MAE first. {MEANING}", HEADER, cells)
