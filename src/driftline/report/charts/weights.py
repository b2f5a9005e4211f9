"""The weights along a run: how many are not 0, and the largest by name, one chart a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftline.evaluate.history import History, Record
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.curves import EXAMPLES
from driftline.report.charts.figure import figure, legend
from driftline.report.charts.line import Axis, Line
from driftline.report.html_table import Row, table
from driftline.report.safe_text import brief, escaped, named

SHOWN = 6
WEIGHT = Axis("weight", decimals=None)
TEXT = (
    f"Up to {SHOWN} features a chart: those whose weights were furthest from 0, on average over the stream. A "
    "feature has the same number and colour in every chart; each chart has its own scale. A line is dotted where its "
    "weight was not among the largest, and so was not recorded."
)

Name = str | int


def weight_figures(histories: Mapping[str, History], identity: str) -> tuple[list[str], int]:
    """Return the figure of each learner, and how many features they show together."""
    chosen = {learner: _chosen(history) for learner, history in histories.items()}
    numbers = _numbers(list(chosen.values()))
    figures = []
    for k, (learner, history) in enumerate(histories.items()):
        lines = [Line(feature(n), *curves.weight(history, n), numbers[n]) for n in chosen[learner]]
        chart = Chart(f"Largest weights: {brief(learner)}", EXAMPLES, WEIGHT, lines, what="feature")
        names = legend([(numbers[n], feature(n)) for n in chosen[learner]], "legend own")
        figures.append(figure(chart, f"{identity}-{k}", names, _last(learner, history), "group"))
    return figures, len(numbers)


def feature(name: Name) -> str:
    """Return a feature's name; columns and hashed features have numbers only."""
    return name if isinstance(name, str) else f"feature {name}"


def _chosen(history: History) -> list[Name]:
    """The features with the largest weights, on average over all records."""
    sums: dict[Name, float] = {}
    for record in history.records:
        for name, value in record.largest:
            sums[name] = sums.get(name, 0.0) + abs(value)
    return sorted(sums, key=lambda name: -sums[name])[:SHOWN]


def _numbers(chosen: Sequence[Sequence[Name]]) -> dict[Name, int]:
    """A number for each feature that is shown: the first ones to those that rank first."""
    ranks = (names[rank] for rank in range(SHOWN) for names in chosen if rank < len(names))
    return {name: k for k, name in enumerate(dict.fromkeys(ranks))}


def _last(learner: str, history: History) -> str:
    """The largest weights at the end, behind a button."""
    record = history.records[-1] if history.records else Record(0, 0.0, 0, ())
    rows = [Row([named(feature(name)), escaped(WEIGHT.text(value))]) for name, value in record.largest]
    caption = f"{brief(learner)}: {len(rows):,} of {record.nonzero:,} weights that are not 0, the furthest from 0 first"
    listed = table(caption, ["feature", "weight"], rows)
    return f"<details><summary>Largest weights at the end</summary>{listed}</details>\n"
