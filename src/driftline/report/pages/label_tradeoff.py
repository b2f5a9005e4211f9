"""The report of mistakes against the share of labels asked for, as two charts and a table."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from driftline.evaluate.label_tradeoff import Curve, Point, Tradeoff
from driftline.report.charts.chart import Chart
from driftline.report.charts.figure import figure, legend, swatch
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.palette import style_of
from driftline.report.data import DataSummary
from driftline.report.html_table import MISSING, Row, table
from driftline.report.pages.document import write_whole
from driftline.report.pages.page import page
from driftline.report.safe_text import brief, escaped, named

SHARE = Axis("labels asked for", "%", decimals=1)
HEADER = ("learner", "b", "labels asked for", "mistakes", "relative to all labels")
GOOD = 1.2  # the ratio that the headline is about
WIDE_RANGE = 3.0  # larger ratios make the scale logarithmic
TEXT = (
    "Each line is a learner that asks for some of the labels, from few (small b) to all. The larger the absolute value "
    "of its score, the less likely it asks. Mistakes count in every round, with or without the label. The horizontal "
    "line at 1 is the same learner with all labels."
)


@dataclass(frozen=True)
class LabelSection:
    """The report section of a label trade-off.

    Parameters
    ----------
    found : Tradeoff
        Result of ``driftline.tradeoff``.
    data : DataSummary
        Description of the data.
    """

    found: Tradeoff
    data: DataSummary

    @property
    def headline(self) -> str:
        """The smallest share of labels with at most ``GOOD`` times the mistakes of all labels."""
        reached = [
            (point.share, curve, point)
            for curve in self.found.curves
            for point in curve.points
            if curve.relative(point.mistakes) <= GOOD
        ]
        if not reached:
            return f"No setting stayed within {GOOD:g} times the mistakes of a learner with all labels."
        share, curve, point = min(reached, key=lambda one: one[0])
        return (
            f"With {share:.1%} of the labels ({brief(curve.name)}, b = {point.b:g}) there were "
            f"{curve.relative(point.mistakes):.2f} times the mistakes of the same learner with all labels "
            f"({point.mistakes:,.1f} against {curve.full:,}); no other setting needed fewer labels to stay within "
            f"{GOOD:g} times."
        )

    def charts(self) -> tuple[Chart, Chart]:
        """Return two charts over the share of labels: relative mistakes, and mistakes."""
        ends = np.array([0.0, 100.0])
        relative = self._lines(lambda curve, mistakes: curve.relative(mistakes))
        highest = max((float(y.max()) for line in relative for _, y in line.pieces()), default=0.0)
        return (
            Chart(
                "Mistakes relative to all labels",
                SHARE,
                Axis("times the mistakes with all labels", decimals=2, log=highest > WIDE_RANGE),
                relative,
                reference=Line("all labels", ends, np.ones(2)),
            ),
            Chart("Mistakes", SHARE, Axis("mistakes", decimals=1), self._lines(lambda _, mistakes: mistakes)),
        )

    def html(self, identity: str) -> str:
        """Return the sections as HTML. Their element ids start with ``identity``."""
        figures = "\n".join(figure(chart, f"{identity}-{k}", shared=True) for k, chart in enumerate(self.charts()))
        return "\n".join(
            [
                f'<section id="{identity}" class="group">',
                "<h2>Mistakes against labels</h2>",
                f"<p>{escaped(TEXT)}</p>",
                f'<div class="charts">\n{figures}\n</div>',
                legend([(k, curve.name) for k, curve in enumerate(self.found.curves)]),
                self._table(),
                "</section>",
                f'<section id="{identity}-data">\n<h2>Data</h2>\n{self.data.html()}\n</section>',
            ]
        )

    def _lines(self, height: Callable[[Curve, float], float]) -> list[Line]:
        """Return a line for each curve, from its fewest labels to all labels."""
        lines = []
        for curve in self.found.curves:
            at = sorted((100.0 * point.share, height(curve, point.mistakes)) for point in curve.points)
            x, y = np.array([*at, (100.0, height(curve, curve.full))]).T
            lines.append(Line(curve.name, x, y))
        return lines

    def _table(self) -> str:
        rows = [
            Row(_cells(k, curve, point), style_of(k))
            for k, curve in enumerate(self.found.curves)
            for point in (*curve.points, Point(math.inf, 1.0, 0.0, curve.full, 0.0))
        ]
        seeds = self.found.seeds
        means = f"; means of {seeds} runs ± their standard errors" if seeds > 1 else ""
        return table(f"{self.found.examples:,} examples{means}", HEADER, rows)


def _cells(number: int, curve: Curve, point: Point) -> list[str]:
    exact = point.mistakes_se == 0.0
    ratio = curve.relative(point.mistakes)
    return [
        f"{swatch(number)}{named(curve.name)}",
        "all labels" if math.isinf(point.b) else f"{point.b:g}",
        f"{point.share:.1%}",
        f"{point.mistakes:,.1f}" if exact else f"{point.mistakes:,.1f} ± {point.mistakes_se:,.1f}",
        MISSING if math.isnan(ratio) else f"{ratio:.3f}",
    ]


def label_report(title: str, found: Tradeoff, data: DataSummary) -> str:
    """Return the report of a label trade-off as an HTML document.

    Parameters
    ----------
    title : str
        Title of the report.
    found : Tradeoff
        Result of ``driftline.tradeoff``.
    data : DataSummary
        Description of the data.

    Returns
    -------
    str
    """
    section = LabelSection(found, data)
    return page(title, section.headline, section.html("labels"), len(found.curves))


def write_label_report(path: str | os.PathLike[str], title: str, found: Tradeoff, data: DataSummary) -> Path:
    """Write the report of a label trade-off to a file atomically.

    Parameters
    ----------
    path : str or path-like
        File to write.
    title : str
        Title of the report.
    found : Tradeoff
        Result of ``driftline.tradeoff``.
    data : DataSummary
        Description of the data.

    Returns
    -------
    Path
        The file.
    """
    return write_whole(Path(path), label_report(title, found, data))
