"""Several runs of regressors over the same stream, as a table and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from driftline.evaluate.comparison import Comparison
from driftline.evaluate.regression.shown import error, share
from driftline.internals.text_table import aligned
from driftline.internals.visible_text import visible

if TYPE_CHECKING:
    from driftline.evaluate.regression.result import RegressionRun

HEADER = ("learner", "MAE", "RMSE", "R2", "bias", "updates", "examples/s")
MEANING = "MAE: mean absolute error; RMSE: root mean squared error; bias: mean of prediction - target"


class RegressionComparison(Comparison):
    """Several runs of regressors over the same stream; printing it shows a table.

    ``comparison[name]`` is the run with that name.

    Parameters
    ----------
    runs
        The runs.
    """

    runs: list[RegressionRun]  # type: ignore[assignment]

    def __init__(self, runs: Sequence[RegressionRun]) -> None:
        super().__init__(list(runs))

    def table(self) -> list[dict[str, Any]]:
        """The results as rows of a table.

        Returns
        -------
        list of dict
            One dict per run: column to value.
        """
        return [
            {
                "learner": run.name,
                "MAE": run.mae,
                "RMSE": run.rmse,
                "R2": run.r2,
                "bias": run.bias,
                "updates": run.updates,
                "examples/s": run.examples / run.seconds if run.seconds else float("nan"),
            }
            for run in self.runs
        ]

    def __str__(self) -> str:
        cells: list[Sequence[str]] = [HEADER]
        for row in self.table():
            errors = (error(row[name]) for name in ("MAE", "RMSE"))
            counts = (f"{row['updates']:,}", f"{row['examples/s']:,.0f}")
            cells.append((row["learner"], *errors, share(row["R2"]), error(row["bias"]), *counts))
        early = [visible(f"{run.name} stopped after {run.examples:,} examples. {run.stopped}") for run in self.stopped]
        counted = self.with_baselines
        return "\n".join([aligned(cells), MEANING, *early, *([] if counted is None else [counted.baselines])])

    __repr__ = __str__

    def plot(self, window: int = 1000) -> Any:
        """Plot the cumulative and the windowed absolute error of every run.

        Parameters
        ----------
        window
            The number of examples over which the error is averaged.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError('plotting needs matplotlib: pip install "driftline[plot]"') from None
        figure = Figure(figsize=(10, 4), layout="constrained")
        total, windowed = figure.subplots(1, 2)
        for run in self.runs:
            total.plot(run.curve["examples"], run.curve["absolute_error"], label=run.name)
            windowed.plot(*run.windowed(window), label=run.name)
        total.set(title="cumulative absolute error", xlabel="examples", ylabel="absolute error")
        windowed.set(
            title=f"mean absolute error over the last {window:,} examples", xlabel="examples", ylabel="absolute error"
        )
        windowed.set_ylim(bottom=0.0)
        total.legend(fontsize="small")
        return figure
