"""The largest weights of each learner along a run, one chart per learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftline.evaluate.history import History, Record
from driftline.report.charts import curves
from driftline.report.charts.chart import Chart
from driftline.report.charts.curves import EXAMPLES
from driftline.report.charts.figure import figure
from driftline.report.charts.line import Axis, Line
from driftline.report.html_table import Row, table
from driftline.report.safe_text import brief, escaped, named

SHOWN = 6
WEIGHT = Axis("weight", decimals=None)
TEXT = (
    f"Each chart shows up to {SHOWN} features, those with the largest absolute weights on average over the stream. A "
    "feature has the same number and colour in every chart; each chart has its own scale. A line is dotted where its "
    "weight was not recorded, because it was not among the largest."
)

Name = str | int


def weight_figures(histories: Mapping[str, History], identity: str) -> tuple[list[str], int]:
    """Return the figure of each learner, and the number of different features in all of them."""
    chosen = {learner: _chosen(history) for learner, history in histories.items()}
    numbers = _numbers(list(chosen.values()))
    figures = []
    for k, (learner, history) in enumerate(histories.items()):
        lines = [Line(feature(n), *curves.weight(history, n), numbers[n]) for n in chosen[learner]]
        chart = Chart(f"Largest weights: {brief(learner)}", EXAMPLES, WEIGHT, lines, what="feature")
        figures.append(figure(chart, f"{identity}-{k}", _last(learner, history), "group"))
    return figures, len(numbers)


def feature(name: Name) -> str:
    """Return the name of a feature. Columns of arrays and hashed features have only numbers."""
    return name if isinstance(name, str) else f"feature {name}"


def _chosen(history: History) -> list[Name]:
    """Return the features with the largest absolute weights, on average over all records."""
    sums: dict[Name, float] = {}
    for record in history.records:
        for name, value in record.largest:
            sums[name] = sums.get(name, 0.0) + abs(value)
    return sorted(sums, key=lambda name: -sums[name])[:SHOWN]


def _numbers(chosen: Sequence[Sequence[Name]]) -> dict[Name, int]:
    """Number the features that are shown, those with the highest ranks first."""
    ranks = (names[rank] for rank in range(SHOWN) for names in chosen if rank < len(names))
    return {name: k for k, name in enumerate(dict.fromkeys(ranks))}


def _last(learner: str, history: History) -> str:
    """Return a table of the largest weights at the end, which can be opened."""
    record = history.records[-1] if history.records else Record(0, 0.0, 0, ())
    rows = [Row([named(feature(name)), escaped(WEIGHT.text(value))]) for name, value in record.largest]
    caption = f"{brief(learner)}: {len(rows):,} of {record.nonzero:,} non-zero weights, largest absolute values first"
    listed = table(caption, ["feature", "weight"], rows)
    return f"<details><summary>Largest weights at the end</summary>{listed}</details>\n"
