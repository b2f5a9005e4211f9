"""Several runs over the same stream, as a table and as a plot."""

from __future__ import annotations

import math
import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftline.evaluate.metrics.shown import number
from driftline.internals.text_table import aligned
from driftline.internals.visible_text import visible

if TYPE_CHECKING:
    from driftline.evaluate.result import Run

HEADER = ("learner", "mistakes", "errors", "error", "balanced", "AUC", "updates", "examples/s")
ASKED, INFEASIBLE = "asked", "infeasible"
DIVIDES = "error = errors / examples"


class Comparison:
    """Several runs over the same stream; printing it shows a table.

    ``comparison[name]`` is the run with that name.

    Parameters
    ----------
    runs
        The runs.
    """

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs

    def __getitem__(self, name: str) -> Run:
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(f"no run named {name!r}; there are {', '.join(run.name for run in self.runs)}")

    @property
    def sparing(self) -> bool:
        """Whether at least one learner did not ask for all labels."""
        return any(run.asked < run.examples for run in self.runs)

    @property
    def stopped(self) -> list[Run]:
        """The runs that stopped before the end of the stream."""
        return [run for run in self.runs if run.stopped]

    @property
    def with_baselines(self) -> Run | None:
        """The first run over the whole stream that has baselines; None if there is none."""
        return next((run for run in self.runs if run.baselines and not run.stopped), None)

    def table(self) -> list[dict[str, Any]]:
        """The results as rows of a table.

        Returns
        -------
        list of dict
            One dict per run: column to value. "errors" are wrong predicted labels, and "error" is
            their share of the examples. "balanced" is the balanced accuracy. The column "asked",
            the number of labels asked for, is present only if a learner did not ask for all labels.
        """
        return [
            {
                "learner": run.name,
                "mistakes": run.mistakes,
                "errors": run.label_errors,
                "error": run.error,
                "balanced": math.nan if run.metrics is None else run.metrics.balanced_accuracy,
                "AUC": math.nan if run.metrics is None else run.metrics.auc,
                "updates": run.updates,
                "hinge": run.hinge,
                "infeasible": run.infeasible,
                "examples/s": run.examples / run.seconds if run.seconds else float("nan"),
            }
            | ({ASKED: run.asked} if self.sparing else {})
            for run in self.runs
        ]

    def __str__(self) -> str:
        rows = self.table()
        some = any(row[INFEASIBLE] for row in rows)
        cells = [(*HEADER, *[INFEASIBLE] * some, *[ASKED] * self.sparing)] + [
            (
                row["learner"],
                f"{row['mistakes']:,}",
                f"{row['errors']:,}",
                f"{row['error']:.4f}",
                number(row["balanced"]),
                number(row["AUC"]),
                f"{row['updates']:,}",
                f"{row['examples/s']:,.0f}",
                *([f"{row[INFEASIBLE]:,}"] if some else []),
                *([f"{row[ASKED]:,}"] if self.sparing else []),
            )
            for row in rows
        ]
        early = [visible(f"{run.name} stopped after {run.examples:,} examples. {run.stopped}") for run in self.stopped]
        counted = self.with_baselines
        same = all(run.mistakes == run.label_errors for run in self.runs)
        meaning = DIVIDES if same else f"{DIVIDES}; mistakes: y * score <= 0, so a score of 0 counts"
        return "\n".join([aligned(cells), meaning, *early, *([] if counted is None else [counted.baselines])])

    __repr__ = __str__

    def plot(self, window: int = 1000) -> Any:
        """Plot cumulative mistakes and windowed error of every run.

        For each vote, a further plot shows the heaviest voter along the stream, and thereby the
        drift.

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
        votes = [run for run in self.runs if run.leaders]
        figure = Figure(figsize=(10, 4 + 2.5 * len(votes)), layout="constrained")
        grid = figure.add_gridspec(1 + len(votes), 2, height_ratios=[4, *(2.5 for _ in votes)])
        mistakes, error = (figure.add_subplot(grid[0, k]) for k in range(2))
        for run in self.runs:
            mistakes.plot(run.curve["examples"], run.curve["mistakes"], label=run.name)
            error.plot(*run.windowed(window), label=run.name)
        mistakes.set(title="cumulative mistakes", xlabel="examples", ylabel="mistakes")
        error.set(
            title=f"error over the last {window:,} examples",
            xlabel="examples",
            ylabel="share of wrong labels",
        )
        error.set_ylim(bottom=0.0)
        mistakes.legend(fontsize="small")
        for k, run in enumerate(votes):
            _leaders(figure.add_subplot(grid[1 + k, :]), run)
        return figure

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str | Path:
        """The report of the runs as one HTML file, without scripts or external resources.

        Parameters
        ----------
        path
            The file to write. It is replaced in one step. None returns the page as text.
        title
            The title of the page; None takes the number of learners.

        Returns
        -------
        str or Path
            The HTML page, or the file that was written.
        """
        from driftline.report import DataSummary, run_report
        from driftline.report.pages.document import write_whole

        if not self.runs:
            raise ValueError("Comparison.report: there must be at least one run, got none. Run a learner first")
        known = self.with_baselines or self.runs[0]
        page = run_report(title or f"{len(self.runs)} learners", self, DataSummary.of_run(known))
        return page if path is None else write_whole(Path(path), page, "Comparison.report")

    def _repr_html_(self) -> str:
        """The view of a notebook."""
        from driftline.report.notebook.views import comparison_view

        return comparison_view(self)


def _leaders(axes: Any, run: Run) -> None:
    """Plot a row for each voter that ever leads: a bar while it leads, darker for more weight."""
    rows = {name: row for row, name in enumerate(dict.fromkeys(name for _, name, _ in run.leaders[1:]))}
    for (start, _, _), (stop, name, weight) in pairwise(run.leaders):
        axes.barh(rows[name], stop - start, left=start, height=0.8, color="C0", alpha=min(1.0, 0.25 + 0.75 * weight))
    axes.set(title=f"heaviest voter: {run.name}", xlabel="examples", ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), labels=list(rows), fontsize="small")
