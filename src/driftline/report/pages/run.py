"""The report of a run or a comparison: its results, the weights, the parameters and the data."""

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
from driftline.report.charts.figure import figure, legend, swatch
from driftline.report.charts.leaders import TEXT as LED
from driftline.report.charts.leaders import leader_figures
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.palette import style_of
from driftline.report.charts.weights import TEXT, weight_figures
from driftline.report.data import DataSummary
from driftline.report.headline import headline
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.pages.certificate import certificate_section
from driftline.report.pages.document import write_whole
from driftline.report.pages.page import page
from driftline.report.parameters import parameters
from driftline.report.safe_text import escaped, named

if TYPE_CHECKING:
    from driftline.evaluate.certificate import Certificate

HEADER = ("learner", "wrong labels", "error", "mistakes", "margin errors", "updates", "infeasible", "examples/s")
ASKED = ("labels asked",)  # where some learner did without some
DISPROPORTION, CUT = 10.0, 3.0  # a peak so many times the typical one is cut off at so many times that
HINT = "Point at a learner in the legend or a table, or tap it, to see its lines alone."


@dataclass(frozen=True)
class RunSection:
    """One run, or several over the same stream, and what is known of the data."""

    comparison: Comparison
    data: DataSummary
    stopped: Sequence[Run] = ()
    """Runs that ended before the stream did: they are named, and not compared."""

    def __post_init__(self) -> None:
        if not self.comparison.runs:
            raise ValueError("RunSection: comparison must hold at least one run, got none. Run a learner first")

    @property
    def headline(self) -> str:
        """The result in words."""
        return headline(self.comparison, self.data, self.stopped)

    @property
    def lines(self) -> int:
        """The most styles of lines that it needs."""
        bounds = max((1 + len(known.bounds) for _, known, _ in self._certificates), default=0)
        return max(len(self.comparison.runs), self._weights[1], bounds)

    def charts(self) -> list[Chart]:
        """Mistakes, error and updates; where there are histories, also the length of the weights."""
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
        """The length of the weights; where one learner's is out of all proportion, its peak is cut off."""
        axis = Axis("Euclidean norm of the weights", decimals=None)
        chart = self._chart("Length of the weights", axis, self._recorded(curves.norm))
        peaks = sorted(float(np.max(line.y[np.isfinite(line.y)], initial=0.0)) for line in chart.lines)
        typical = peaks[3 * (len(peaks) - 1) // 4]
        if not 0.0 < DISPROPORTION * typical < peaks[-1]:
            return chart
        return replace(chart, title=f"{chart.title}, peaks cut off", ceiling=CUT * typical)

    def html(self, identity: str) -> str:
        """Return the sections; ``identity`` is the start of their ids on the page."""
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
                *([_section(f"{identity}-leaders", "Who led", self._leaders(identity))] if self._votes else []),
                *([_section(f"{identity}-weights", "Weights", self._weights[0])] if self._histories else []),
                _section(f"{identity}-parameters", "Parameters", parameters(self.comparison.runs), "group"),
                _section(f"{identity}-data", "Data", self.data.html()),
            ]
        )

    @cached_property
    def _histories(self) -> dict[str, History]:
        """The histories of weights by the names of their runs; none unless every run has one. Votes have none."""
        due = [run for run in self.comparison.runs if not run.learner.rule.elects]
        known = {run.name: run.history for run in due if run.history is not None}
        return known if len(known) == len(due) else {}

    @property
    def _votes(self) -> list[Run]:
        """The runs of which somebody leads."""
        return [run for run in self.comparison.runs if run.leaders]

    def _leaders(self, identity: str) -> str:
        return f"<p>{LED}</p>\n{_grid(leader_figures(self._votes, f'{identity}-led'))}"

    @property
    def _certificates(self) -> list[tuple[Run, Certificate, str]]:
        """The runs that were certified, and how they are called where there are several runs."""
        several = len(self.comparison.runs) > 1
        return [
            (run, run.certified, f" about {escaped(run.name)}" if several else "")
            for run in self.comparison.runs
            if run.certified is not None
        ]

    def _results(self, identity: str) -> str:
        figures = [figure(chart, f"{identity}-{k}") for k, chart in enumerate(self.charts())]
        several = [f'<p class="note">{HINT}</p>', self._legend("legend")] if len(self.comparison.runs) > 1 else []
        return "\n".join([_grid(figures), *several, self._table()])

    @cached_property
    def _weights(self) -> tuple[str, int]:
        """How many weights are not 0, and the largest by name; and how many styles that takes."""
        if not self._histories:
            return "", 0
        count = self._chart("Weights that are not 0", Axis("weights", whole=True), self._recorded(curves.nonzero))
        figures, styles = weight_figures(self._histories, "largest")
        names = self._legend("legend own") if len(self.comparison.runs) > 1 else ""
        first = figure(count, "nonzero", names, style="group")
        return f"<p>{TEXT}</p>\n{_grid([first, *figures])}", styles

    def _chart(self, title: str, axis: Axis, curve: Callable[[Run], curves.Curve | None]) -> Chart:
        """A line for each run that has such a curve, of its number among all."""
        found = [(run.name, curve(run), k) for k, run in enumerate(self.comparison.runs)]
        return Chart(title, curves.EXAMPLES, axis, [Line(name, *of, k) for name, of, k in found if of is not None])

    def _recorded(self, curve: Callable[[History], curves.Curve]) -> Callable[[Run], curves.Curve | None]:
        """A curve of weights, for the runs that have their history."""
        return lambda run: curve(self._histories[run.name]) if run.name in self._histories else None

    def _legend(self, style: str) -> str:
        return legend([(k, run.name) for k, run in enumerate(self.comparison.runs)], style)

    def _table(self) -> str:
        """The figures of every learner, fewest wrong labels first."""
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
        told = f"{counted}{order}. A score of exactly 0 is a mistake, whichever label it gives."
        return table(told, [*HEADER, *(ASKED if self.comparison.sparing else ())], rows)


def run_report(title: str, comparison: Comparison, data: DataSummary) -> str:
    """Return the report of a run or a comparison as an HTML document."""
    going = Comparison([run for run in comparison.runs if not run.stopped])
    section = RunSection(going, data, comparison.stopped)
    return page(title, section.headline, section.html("run"), section.lines)


def write_run_report(path: str | os.PathLike[str], title: str, comparison: Comparison, data: DataSummary) -> Path:
    """Write the report of a run or a comparison to a file, whole or not at all, and return its path."""
    return write_whole(Path(path), run_report(title, comparison, data))


def _section(identity: str, title: str, body: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<section id="{identity}"{kind}>\n<h2>{title}</h2>\n{body}\n</section>'


def _grid(figures: list[str]) -> str:
    return '<div class="charts">\n' + "\n".join(figures) + "\n</div>"
