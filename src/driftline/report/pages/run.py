"""The report of a run or a comparison: results, weights, parameters and data."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driftline.evaluate import Comparison, History, Run
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.class_lanes import TEXT as LED_EACH
from driftline.report.charts.class_lanes import ClassLanes
from driftline.report.charts.figure import figure, legend, swatch
from driftline.report.charts.leaders import TEXT as LED
from driftline.report.charts.leaders import leader_figures
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.palette import style_of
from driftline.report.charts.weights import TEXT, weight_figures
from driftline.report.data import DataSummary
from driftline.report.headline import headline
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.meaning import MEANING
from driftline.report.pages.certificate import certificate_section
from driftline.report.pages.document import write_whole
from driftline.report.pages.page import page
from driftline.report.parameters import parameters
from driftline.report.safe_text import escaped, named

if TYPE_CHECKING:
    from driftline.evaluate.certificate import Certificate

HEADER = ("learner", "wrong labels", "error", "mistakes", "margin errors", "updates", "infeasible", "examples/s")
ASKED = ("labels asked",)  # a column if some learner asked for only part of the labels
DISPROPORTION = 10.0  # a peak above 10 times the typical peak makes the scale logarithmic
HINT = "Point at a learner in the legend or a table, or tap it, to highlight its lines."


@dataclass(frozen=True)
class RunSection:
    """The report sections of one run, or of several over the same stream.

    Parameters
    ----------
    comparison : Comparison
        The runs.
    data : DataSummary
        Description of the data.
    stopped : sequence of Run
        Runs that stopped before the end of the stream. They are named, but not compared.
    """

    comparison: Comparison
    data: DataSummary
    stopped: Sequence[Run] = ()

    def __post_init__(self) -> None:
        if not self.comparison.runs:
            raise ValueError("RunSection: comparison must hold at least one run, got none. Run a learner first")

    @property
    def headline(self) -> str:
        """The result in a few sentences."""
        return headline(self.comparison, self.data, self.stopped)

    @property
    def lines(self) -> int:
        """The number of line styles that the sections need."""
        bounds = max((1 + len(known.bounds) for _, known, _ in self._certificates), default=0)
        voters = max((ClassLanes.of(run).styles for run in self._votes if run.learner.rule.several), default=0)
        return max(len(self.comparison.runs), self._weights[1], bounds, voters)

    def charts(self) -> list[Chart]:
        """Return the charts of mistakes, error and updates, and the norm if weights were
        recorded.
        """
        window = curves.window_of(max(run.examples for run in self.comparison.runs))
        last = f"the last {window:,} examples" if window > 1 else "the last example"
        found = [
            self._chart("Cumulative mistakes", Axis("mistakes", whole=True), curves.mistakes),
            self._chart(
                f"Error over {last}",
                Axis(f"wrong labels among the last {window:,}", "%", decimals=1),
                lambda run: curves.windowed(run, window),
            ),
            self._chart("Cumulative updates", Axis("updates", whole=True), curves.updates),
        ]
        if self._histories:
            found.append(self._norms())
        return found

    def _norms(self) -> Chart:
        """Return the chart of the norm of the weights.

        A disproportionately high peak makes its scale logarithmic.
        """
        axis = Axis("Euclidean norm of the weights", decimals=None)
        chart = self._chart("Length of the weights", axis, self._recorded(curves.norm))
        peaks = sorted(float(np.max(line.y[np.isfinite(line.y)], initial=0.0)) for line in chart.lines)
        typical = peaks[3 * (len(peaks) - 1) // 4]
        return replace(chart, y=replace(axis, log=0.0 < DISPROPORTION * typical < peaks[-1]))

    def html(self, identity: str) -> str:
        """Return the sections as HTML. Their element ids start with ``identity``."""
        return "\n".join(
            [
                _section(f"{identity}-results", "Results", self._results(f"{identity}-chart"), "group"),
                *(
                    _section(
                        f"{identity}-certificate-{k}",
                        f"What is guaranteed{of}",
                        certificate_section(run, known, f"{identity}-{k}"),
                    )
                    for k, (run, known, of) in enumerate(self._certificates)
                ),
                *([_section(f"{identity}-leaders", "Leading voters", self._leaders(identity))] if self._votes else []),
                *([_section(f"{identity}-weights", "Weights", self._weights[0])] if self._histories else []),
                _section(f"{identity}-parameters", "Parameters", parameters(self.comparison.runs), "group"),
                _section(f"{identity}-data", "Data", self.data.html()),
            ]
        )

    @cached_property
    def _histories(self) -> dict[str, History]:
        """The recorded weights by run name; empty unless every run except votes recorded them."""
        expected = [run for run in self.comparison.runs if not run.learner.rule.elects]
        known = {run.name: run.history for run in expected if run.history is not None}
        return known if len(known) == len(expected) else {}

    @property
    def _votes(self) -> list[Run]:
        """The runs of learners that are votes of experts."""
        return [run for run in self.comparison.runs if run.leaders]

    def _leaders(self, identity: str) -> str:
        several = any(run.learner.rule.several for run in self._votes)
        text = f"{LED} {LED_EACH}" if several else LED
        return f"<p>{text}</p>\n{_grid(leader_figures(self._votes, f'{identity}-led'))}"

    @property
    def _certificates(self) -> list[tuple[Run, Certificate, str]]:
        """The certified runs, their certificates, and the end of each heading."""
        several = len(self.comparison.runs) > 1
        return [
            (run, run.certified, f" about {escaped(run.name)}" if several else "")
            for run in self.comparison.runs
            if run.certified is not None
        ]

    def _results(self, identity: str) -> str:
        figures = [figure(chart, f"{identity}-{k}", shared=True) for k, chart in enumerate(self.charts())]
        several = [f'<p class="note">{HINT}</p>', self._legend()] if len(self.comparison.runs) > 1 else []
        return "\n".join([_grid(figures), *several, self._table()])

    @cached_property
    def _weights(self) -> tuple[str, int]:
        """The HTML about the weights, and the number of line styles that it needs."""
        if not self._histories:
            return "", 0
        count = self._chart("Non-zero weights", Axis("weights", whole=True), self._recorded(curves.nonzero))
        figures, styles = weight_figures(self._histories, "largest")
        first = figure(count, "nonzero", style="group")
        return f"<p>{TEXT}</p>\n{_grid([first, *figures])}", styles

    def _chart(self, title: str, axis: Axis, curve: Callable[[Run], curves.Curve | None]) -> Chart:
        """Return a chart with a line for each run that has this curve, numbered as in the runs."""
        found = [(run.name, curve(run), k) for k, run in enumerate(self.comparison.runs)]
        return Chart(title, curves.EXAMPLES, axis, [Line(name, *of, k) for name, of, k in found if of is not None])

    def _recorded(self, curve: Callable[[History], curves.Curve]) -> Callable[[Run], curves.Curve | None]:
        """Return the curve of a run's recorded weights, or None if they were not recorded."""
        return lambda run: curve(self._histories[run.name]) if run.name in self._histories else None

    def _legend(self) -> str:
        return legend([(k, run.name) for k, run in enumerate(self.comparison.runs)])

    def _table(self) -> str:
        """Return the table of all learners, fewest wrong labels first."""
        ranked = sorted(enumerate(self.comparison.runs), key=lambda item: item[1].label_errors)
        most = max(run.label_errors for run in self.comparison.runs) or 1
        rows = [
            Row(
                [
                    f"{swatch(k)}{named(run.name)}",
                    bar(f"{run.label_errors:,}", run.label_errors / most),
                    f"{run.error:.2%}" if run.examples else MISSING,
                    *(f"{count:,}" for count in (run.mistakes, run.margin_errors, run.updates, run.infeasible)),
                    f"{run.examples / run.seconds:,.0f}" if run.seconds > 0.0 else MISSING,
                    *([f"{run.asked:,}"] if self.comparison.sparing else []),
                ],
                style_of(k),
            )
            for k, run in ranked
        ]
        examples = max(run.examples for run in self.comparison.runs)
        order = ", fewest wrong labels first" if len(rows) > 1 else ""
        counted = f"{examples:,} examples" if examples != 1 else "1 example"
        caption = f"{counted}{order}. {MEANING}"
        return table(caption, [*HEADER, *(ASKED if self.comparison.sparing else ())], rows)


def run_report(title: str, comparison: Comparison, data: DataSummary) -> str:
    """Return the report of a run or a comparison as an HTML document.

    Parameters
    ----------
    title : str
        Title of the report.
    comparison : Comparison
        The runs. Runs that stopped early are named, but not compared.
    data : DataSummary
        Description of the data.

    Returns
    -------
    str
    """
    finished = Comparison([run for run in comparison.runs if not run.stopped])
    section = RunSection(finished, data, comparison.stopped)
    return page(title, section.headline, section.html("run"), section.lines)


def write_run_report(path: str | os.PathLike[str], title: str, comparison: Comparison, data: DataSummary) -> Path:
    """Write the report of a run or a comparison to a file atomically.

    Parameters
    ----------
    path : str or path-like
        File to write.
    title : str
        Title of the report.
    comparison : Comparison
        The runs. Runs that stopped early are named, but not compared.
    data : DataSummary
        Description of the data.

    Returns
    -------
    Path
        The file.
    """
    return write_whole(Path(path), run_report(title, comparison, data))


def _section(identity: str, title: str, body: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<section id="{identity}"{kind}>\n<h2>{title}</h2>\n{body}\n</section>'


def _grid(figures: list[str]) -> str:
    return '<div class="charts">\n' + "\n".join(figures) + "\n</div>"
