"""The sections of the report of a run or a comparison: results, weights, parameters and data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from driftline.evaluate import Comparison, History, Run
from driftline.evaluate.metrics import Metrics
from driftline.report.charts import curves
from driftline.report.charts.chart import LEARNER, Chart
from driftline.report.charts.class_lanes import TEXT as LED_EACH
from driftline.report.charts.class_lanes import ClassLanes, votes_by_label
from driftline.report.charts.figure import figure, legend
from driftline.report.charts.leaders import TEXT as LED
from driftline.report.charts.leaders import leader_figures
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.stream_axis import StreamAxis
from driftline.report.charts.weights import TEXT, weight_figures
from driftline.report.data import DataSummary
from driftline.report.headline import headline
from driftline.report.measured.alarms import alarms_table
from driftline.report.measured.decisions import decisions_table
from driftline.report.measured.probabilities import probability_figures
from driftline.report.measured.shares import share_chart
from driftline.report.measured.slices import slices_table
from driftline.report.measured.table import labels_table, metrics_table
from driftline.report.pages.certificate import certificate_section
from driftline.report.pages.result import best_of, result
from driftline.report.parameters import parameters
from driftline.report.safe_text import escaped

if TYPE_CHECKING:
    from driftline.evaluate.certificate import Certificate

DISPROPORTION = 10.0  # a peak above 10 times the typical peak makes the scale logarithmic
CURVES = (
    "Precision is the share of right predictions among those of a label, recall the share of the label that is found. "
    "The curve shows both at every threshold of the probability, or of the score if probabilities were not measured. "
    "Predictions are calibrated if the share of examples equals the predicted probability."
)
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
        bounds = max((1 + len(known.useful) for _, known, _ in self._certificates), default=0)
        voters = max((ClassLanes.of(run).styles for run in self._votes if votes_by_label(run.learner)), default=0)
        return max(len(self.comparison.runs), self._weights[1], bounds, voters)

    def charts(self) -> list[Chart]:
        """Return the charts of error, label shares, mistakes and updates, and of the norm if weights
        were recorded.
        """
        window = curves.window_of(max(run.examples for run in self.comparison.runs))
        last = f"the last {window:,} examples" if window > 1 else "the last example"
        error = self._chart(
            f"Error over {last}",
            Axis(f"wrong labels among the last {window:,}", "%", decimals=1),
            lambda run: curves.windowed(run, window),
        )
        shares = share_chart(self._best, self._axis)
        found = [
            replace(error, alarms=self._axis.marks(self._best)),
            *([] if shares is None else [shares]),
            self._chart("Cumulative mistakes", Axis("mistakes", whole=True), curves.mistakes),
            self._chart("Cumulative updates", Axis("updates", whole=True), curves.updates),
        ]
        if self._histories:
            found.append(self._norms())
        return found

    @cached_property
    def _axis(self) -> StreamAxis:
        return StreamAxis.of(self.comparison.runs)

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
        curved = self._curves(identity)
        return "\n".join(
            [
                section(f"{identity}-result", "Result", self._result(), "group"),
                *([section(f"{identity}-metrics", "Metrics", self._metrics())] if self._has_metrics else []),
                section(f"{identity}-stream", "Along the stream", self._along(f"{identity}-chart"), "group"),
                *([section(f"{identity}-curves", "Thresholds", "\n".join(curved))] if curved else []),
                *self._decisions(identity),
                *self._slices(identity),
                *(
                    section(
                        f"{identity}-certificate-{k}",
                        f"What is guaranteed{of}",
                        certificate_section(run, known, f"{identity}-{k}"),
                    )
                    for k, (run, known, of) in enumerate(self._certificates)
                ),
                *([section(f"{identity}-leaders", "Leading voters", self._leaders(identity))] if self._votes else []),
                *([section(f"{identity}-weights", "Weights", self._weights[0])] if self._histories else []),
                section(f"{identity}-parameters", "Parameters", parameters(self.comparison.runs), "group"),
                section(f"{identity}-data", "Data", self.data.html()),
            ]
        )

    @property
    def _best(self) -> Run:
        """The best run."""
        return best_of(self.comparison)

    def _result(self) -> str:
        """Return the key figures, the ranking and the confusion matrices."""
        return result(self.comparison)

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
        several = any(votes_by_label(run.learner) for run in self._votes)
        text = f"{LED} {LED_EACH}" if several else LED
        return f"<p>{text}</p>\n{grid(leader_figures(self._votes, f'{identity}-led'))}"

    @property
    def _certificates(self) -> list[tuple[Run, Certificate, str]]:
        """The certified runs, their certificates, and the end of each heading."""
        several = len(self.comparison.runs) > 1
        return [
            (run, run.certified, f" about {escaped(run.name)}" if several else "")
            for run in self.comparison.runs
            if run.certified is not None
        ]

    @cached_property
    def _measured(self) -> list[tuple[int, Run, Metrics]]:
        """The runs that have metrics, with their numbers; the best run is the first."""
        best = self._best
        found = [(k, run, run.metrics) for k, run in enumerate(self.comparison.runs) if run.metrics is not None]
        return sorted((one for one in found if one[1].examples), key=lambda one: one[1] is not best)

    @property
    def _has_metrics(self) -> bool:
        """Whether a run has metrics."""
        return bool(self._measured)

    def _metrics(self) -> str:
        """Return the table of metrics, and the table of labels of each run."""
        (_, best, metrics), *others = self._measured
        tables = metrics_table([(run, own) for _, run, own in self._measured]), labels_table(best.name, metrics)
        parts = [f'<div class="result">\n{tables[0]}\n{tables[1]}\n</div>']
        if others:
            more = "\n".join(labels_table(run.name, own) for _, run, own in others)
            parts.append(f"<details><summary>Labels of the other learners</summary>{more}</details>")
        return "\n".join(parts)

    def _along(self, identity: str) -> str:
        """Return the charts along the stream, the legend and the alarms."""
        figures = [
            figure(chart, f"{identity}-{k}", shared=chart.what == LEARNER) for k, chart in enumerate(self.charts())
        ]
        several = [f'<p class="note">{HINT}</p>', self._legend()] if len(self.comparison.runs) > 1 else []
        best = self._best
        return "\n".join([grid(figures), *several, *([alarms_table(best)] if best.alarms else [])])

    def _curves(self, identity: str) -> list[str]:
        """Return the curves of calibration, precision and recall, if the runs have them."""
        figures = probability_figures(self._measured, identity) if self._measured else []
        return [f"<p>{CURVES}</p>", grid(figures)] if figures else []

    def _decisions(self, identity: str) -> list[str]:
        """Return the section of decisions, if a decision saw a run."""
        decided = [run.decision for run in self.comparison.runs if run.decision is not None]
        return [section(f"{identity}-decisions", "Decisions", decisions_table(decided[0]))] if decided else []

    def _slices(self, identity: str) -> list[str]:
        """Return the section of slices, if the runs are sliced."""
        sliced = [(run, metrics) for _, run, metrics in self._measured if metrics.slices]
        if not sliced:
            return []
        first, *others = (slices_table(run.name, metrics) for run, metrics in sliced)
        more = "\n".join(others)
        rest = f"<details><summary>Slices of the other learners</summary>{more}</details>" if others else ""
        return [section(f"{identity}-slices", "Slices", first + rest)]

    @cached_property
    def _weights(self) -> tuple[str, int]:
        """The HTML about the weights, and the number of line styles that it needs."""
        if not self._histories:
            return "", 0
        count = self._chart("Non-zero weights", Axis("weights", whole=True), self._recorded(curves.nonzero))
        figures, styles = weight_figures(self._histories, "largest")
        first = figure(count, "nonzero", style="group")
        return f"<p>{TEXT}</p>\n{grid([first, *figures])}", styles

    def _chart(self, title: str, axis: Axis, curve: Callable[[Run], curves.Curve | None]) -> Chart:
        """Return a chart with a line for each run that has this curve, numbered as in the runs."""
        found = [(run.name, curve(run), k) for k, run in enumerate(self.comparison.runs)]
        along = self._axis
        lines = [Line(name, *along.place(of), k) for name, of, k in found if of is not None]
        return Chart(title, along.axis, axis, lines)

    def _recorded(self, curve: Callable[[History], curves.Curve]) -> Callable[[Run], curves.Curve | None]:
        """Return the curve of a run's recorded weights, or None if they were not recorded."""
        return lambda run: curve(self._histories[run.name]) if run.name in self._histories else None

    def _legend(self) -> str:
        return legend([(k, run.name) for k, run in enumerate(self.comparison.runs)])


def section(identity: str, title: str, body: str, style: str = "") -> str:
    """Return a section of a page under its heading."""
    kind = f' class="{style}"' if style else ""
    return f'<section id="{identity}"{kind}>\n<h2>{title}</h2>\n{body}\n</section>'


def grid(figures: list[str]) -> str:
    """Return figures side by side where the page is wide enough."""
    return '<div class="charts">\n' + "\n".join(figures) + "\n</div>"
