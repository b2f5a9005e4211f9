"""The sections of the report of a regression, or of several over the same stream."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.metrics import RegressionMetrics
from driftline.evaluate.regression.result import RegressionRun
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis
from driftline.report.headline import examples_text, name_text, names_text, skipped_text, stopped_text, warnings_of
from driftline.report.measured.regression import error, metrics_table, ranking, share, slices_table, tiles
from driftline.report.pages.run import RunSection, section


@dataclass(frozen=True)
class RegressionSection(RunSection):
    """The report sections of one run of a regressor, or of several over the same stream.

    Parameters
    ----------
    comparison : RegressionComparison
        The runs.
    data : DataSummary
        Description of the data.
    stopped : sequence of Run
        Runs that stopped before the end of the stream. They are named, but not compared.
    """

    comparison: RegressionComparison

    @property
    def headline(self) -> str:
        """The errors of the learners and of the baselines, and what was left out."""
        runs, best = self.comparison.runs, self._best
        if not best.examples:
            return "There were no examples." + skipped_text(self.data)
        found = best.figures
        text = (
            f"{name_text(best)} predicted {examples_text(best)} with a mean absolute error of {error(found.mae)} "
            f"(root mean squared error {error(found.rmse)}, R2 {share(found.r2)})."
        )
        if len(runs) > 1:
            last = max(run.ledger.rank for run in runs)
            worst = [run for run in runs if run.ledger.rank == last]
            text = f"Of {len(runs)} learners, {text} {names_text(worst)} had the largest: {error(worst[0].mae)}."
        return (
            f"{text} Predicting the mean of the targets so far has {error(found.mean_mae)}, predicting the previous "
            f"target {error(found.no_change_mae)}.{warnings_of(best)}{skipped_text(self.data)}"
            f"{stopped_text(self.stopped)}"
        )

    def charts(self) -> list[Chart]:
        """Return the charts of windowed errors, cumulative errors and updates, and of the norm if
        weights were recorded.
        """
        window = curves.window_of(max(run.examples for run in self.comparison.runs))
        last = f"the last {window:,} examples" if window > 1 else "the last example"
        absolute = self._chart(
            f"Mean absolute error over {last}",
            Axis("mean absolute error", decimals=None),
            lambda run: curves.absolute_error(run, window),
        )
        found = [
            replace(absolute, alarms=self._axis.marks(self._best)),
            self._chart(
                f"Root mean squared error over {last}",
                Axis("root mean squared error", decimals=None),
                lambda run: curves.squared_error(run, window),
            ),
        ]
        r2 = self._chart(f"R2 over the last {self._window:,} examples", Axis("R2", decimals=None), curves.r2)
        if any(len(line.x) for line in r2.lines):
            found.append(r2)
        axis = Axis("absolute error", decimals=None)
        found.append(self._chart("Cumulative absolute error", axis, lambda run: curves.column(run, "absolute_error")))
        found.append(self._chart("Cumulative updates", Axis("updates", whole=True), curves.updates))
        if self._histories:
            found.append(self._norms())
        return found

    @property
    def _window(self) -> int:
        """The number of examples in the window of the metrics."""
        return max((metrics._window.size for _, _, metrics in self._of_regressions), default=0)

    @property
    def _best(self) -> RegressionRun:
        return min(self.comparison.runs, key=lambda run: run.ledger.rank)

    @cached_property
    def _of_regressions(self) -> list[tuple[int, RegressionRun, RegressionMetrics]]:
        """The runs that have metrics, with their numbers; the best run is the first."""
        best = self._best
        found = [(k, run, run.metrics) for k, run in enumerate(self.comparison.runs) if run.metrics is not None]
        return sorted((one for one in found if one[1].examples), key=lambda one: one[1] is not best)

    def _result(self) -> str:
        """Return the key figures and the ranking."""
        best = self._best
        return (tiles(best) if best.examples else "") + f'\n<div class="result">\n{ranking(self.comparison)}\n</div>'

    def _metrics(self) -> str:
        """Return the table of metrics."""
        return metrics_table([(run.name, own) for _, run, own in self._of_regressions])

    @property
    def _has_metrics(self) -> bool:
        return bool(self._of_regressions)

    def _curves(self, identity: str) -> list[str]:
        """Return nothing: a regression has no thresholds."""
        return []

    def _decisions(self, identity: str) -> list[str]:
        """Return nothing: a regression has no decisions."""
        return []

    def _slices(self, identity: str) -> list[str]:
        """Return the section of slices, if the runs are sliced."""
        sliced = [(run, metrics) for _, run, metrics in self._of_regressions if metrics.slices]
        if not sliced:
            return []
        first, *others = (slices_table(run.name, metrics) for run, metrics in sliced)
        more = "\n".join(others)
        rest = f"<details><summary>Slices of the other learners</summary>{more}</details>" if others else ""
        return [section(f"{identity}-slices", "Slices", first + rest)]
