"""A report section about runs over one stream: two charts, a legend and a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from driftline.evaluate import Comparison, Run
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.curves import EXAMPLES, Curve
from driftline.report.charts.figure import figure, legend, swatch
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.palette import style_of
from driftline.report.html_table import MISSING, Row, bar, table
from driftline.report.meaning import MEANING
from driftline.report.safe_text import escaped, named
from driftline.report.summary import Summary, summaries

HEADER = ("learner", "mistakes", "error", "updates", "examples/s")
ASKED = ("labels asked",)  # a column if some learner asked for only part of the labels


@dataclass(frozen=True)
class Section:
    """A report section about one comparison, or several of the same learners.

    Parameters
    ----------
    title : str
        Heading.
    text : str
        First paragraph.
    comparisons : sequence of Comparison
        One comparison, or several on other draws of the stream. Means of several are shown.
    window : int, default=1000
        Number of examples over which the windowed error is averaged.
    marks : sequence of float
        Positions in the stream, in examples, at which the charts have a vertical line.
    marked : str
        What happens at the marks, in a few words.
    floor : float or None
        Share of noisy labels, drawn as a reference line.
    drawn : sequence of str or None
        Names of the learners that have a line in the charts; the table has all. None draws all.
    """

    title: str
    text: str
    comparisons: Sequence[Comparison]
    window: int = 1000
    marks: Sequence[float] = ()
    marked: str = ""
    floor: float | None = None
    drawn: Sequence[str] | None = None

    def __post_init__(self) -> None:
        names = [[run.name for run in comparison.runs] for comparison in self.comparisons]
        if not names or not names[0]:
            raise ValueError("Section: comparisons must hold at least one run, got none")
        if any(isinstance(one, RegressionComparison) for one in self.comparisons):
            raise ValueError("Section: comparisons must be of classifiers, got regressors. Use write_run_report")
        if any(other != names[0] for other in names):
            raise ValueError(f"Section: comparisons must repeat the same learners, got {names!r}")
        if self.window < 1:
            raise ValueError(f"Section: window must be >= 1, got {self.window!r}")
        unknown = [name for name in self.drawn or () if name not in names[0]]
        if unknown:
            raise ValueError(f"Section: drawn must name learners of the comparison, got {unknown[0]!r}")

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each learner that is drawn, from 0, which gives the style of its lines."""
        names = [run.name for run in self.comparisons[0].runs] if self.drawn is None else self.drawn
        return {name: k for k, name in enumerate(names)}

    @cached_property
    def summaries(self) -> list[Summary]:
        """The figures of each learner, in the order of the comparison."""
        return summaries(self.comparisons)

    @property
    def examples(self) -> int:
        """Number of examples of the longest run."""
        return max(run.examples for comparison in self.comparisons for run in comparison.runs)

    def charts(self) -> tuple[Chart, Chart]:
        """Return the charts of cumulative mistakes and of the windowed error."""
        repeats = len(self.comparisons)
        mean = f", mean of {repeats} runs" if repeats > 1 else ""
        n = float(self.examples)
        floors: tuple[Line | None, Line | None] = (None, None)
        if self.floor is not None:
            name, ends = f"label noise, {100.0 * self.floor:g}%", np.array([0.0, n])
            floors = Line(name, ends, self.floor * ends), Line(name, ends, np.full(2, 100.0 * self.floor))
        counted = Axis("mistakes", whole=repeats == 1, decimals=0 if repeats == 1 else 1)
        shared = Axis(f"wrong labels among the last {self.window:,}", "%", decimals=1)
        return (
            Chart(f"Cumulative mistakes{mean}", EXAMPLES, counted, self._lines(curves.mistakes), self.marks, floors[0]),
            Chart(
                f"Error over the last {self.window:,} examples{mean}",
                EXAMPLES,
                shared,
                self._lines(lambda run: curves.windowed(run, self.window)),
                self.marks,
                floors[1],
            ),
        )

    def html(self, identity: str) -> str:
        """Return the section as HTML. ``identity`` is its element id."""
        figures = "\n".join(figure(chart, f"{identity}-{k}", shared=True) for k, chart in enumerate(self.charts()))
        marks = f" Dotted vertical lines: {self.marked}." if self.marks and self.marked else ""
        hint = f"Point at a learner in the legend or a table, or tap it, to highlight its lines.{marks}"
        return "\n".join(
            [
                f'<section id="{identity}" class="group">',
                f"<h2>{escaped(self.title)}</h2>",
                f"<p>{escaped(self.text)}</p>",
                f'<div class="charts">\n{figures}\n</div>',
                f'<p class="note">{escaped(hint)}</p>',
                legend([(k, name) for name, k in self.numbers.items()]),
                self._table(),
                "</section>",
            ]
        )

    def _table(self) -> str:
        """Return the table of all learners, fewest mistakes first."""
        ranked = sorted(self.summaries, key=lambda s: (s.mistakes, s.index))
        most = max(s.mistakes for s in ranked) or 1.0
        repeats = len(self.comparisons)
        exact = repeats == 1
        sparing = any(comparison.sparing for comparison in self.comparisons)
        rows = [
            Row(
                [
                    f"{self._swatch(s.name)}{named(s.name)}",
                    bar(_count(s.mistakes, s.mistakes_se, exact), s.mistakes / most),
                    escaped(_share(s.error, s.error_se, exact)),
                    f"{s.updates:,.0f}",
                    MISSING if math.isnan(s.speed) else f"{s.speed:,.0f}",
                    *([f"{s.asked:,.0f}"] if sparing else []),
                    f"<code>{escaped(s.parameters)}</code>",
                ],
                style_of(self.numbers[s.name]) if s.name in self.numbers else "",
            )
            for s in ranked
        ]
        means = "" if exact else f"; means of {repeats} runs ± their standard errors"
        caption = f"{self.examples:,} examples, fewest mistakes first{means}. {MEANING}"
        return table(caption, [*HEADER, *(ASKED if sparing else ()), "parameters"], rows, texts=1)

    def _swatch(self, name: str) -> str:
        """Return the sample of the line of a learner; space if it has none."""
        return swatch(self.numbers[name]) if name in self.numbers else '<span class="tag unnumbered"></span>'

    def _lines(self, curve: Callable[[Run], Curve]) -> list[Line]:
        """Return a line for each learner that is drawn: its curve, or the mean of its curves at the first one's
        x.
        """
        lines = []
        for index, run in enumerate(self.comparisons[0].runs):
            if run.name not in self.numbers:
                continue
            x, y = curve(run)
            others = [curve(comparison.runs[index]) for comparison in self.comparisons[1:]]
            if len(x) and others:
                y = np.mean([y, *(np.interp(x, *other) for other in others)], axis=0)
            lines.append(Line(run.name, x, y, self.numbers[run.name]))
        return sorted(lines, key=lambda line: line.number or 0)


def _count(value: float, error: float, exact: bool) -> str:
    return f"{value:,.0f}" if exact else f"{value:,.1f} ± {error:,.1f}"


def _share(value: float, error: float, exact: bool) -> str:
    if math.isnan(value):
        return MISSING
    return f"{value:.2%}" if exact else f"{100.0 * value:.2f} ± {100.0 * error:.2f}%"
