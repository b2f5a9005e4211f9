"""The share of each label along the stream."""

from __future__ import annotations

from dataclasses import replace

from driftline.evaluate import Run
from driftline.evaluate.metrics import Metrics
from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.stream_axis import StreamAxis
from driftline.report.safe_text import brief

LABELS = 6  # lines


def share_chart(run: Run, along: StreamAxis) -> Chart | None:
    """Return the chart of the shares in a window; None if the run has no such numbers.

    With two labels only the rarer one is drawn, else the most frequent ones.

    Parameters
    ----------
    run : Run
        The run.
    along : StreamAxis
        The x axis.
    """
    if run.metrics is None:
        return None
    series, labels = run.metrics.series, run.metrics.labels
    at, shares = series["examples"], series["shares"]
    if len(at) < 2:
        return None
    numbers = [rarer(run.metrics)] if len(labels) == 2 else _most_frequent(run)
    lines = [
        Line(str(labels[k]), *along.place((at, 100.0 * shares[:, k])), n)
        for n, k in enumerate(k for k in numbers if k < shares.shape[1])
    ]
    window = run.metrics.window.examples
    title = f"Share of {brief(labels[numbers[0]])}" if len(labels) == 2 else "Share of each label"
    if len(labels) > len(lines) > 1:
        title = f"Share of the {len(lines)} most frequent labels"
    axis = Axis(f"share of the last {window:,} examples", "%", decimals=1)
    # the first window ends after the start of the stream, the last one before its end
    level = along.axis if along.axis.time else replace(along.axis, span=(0.0, float(run.examples)))
    return Chart(title, level, axis, lines, what="label", alarms=along.marks(run))


def rarer(metrics: Metrics) -> int:
    """Return the class number of the rarer of two labels; of equally frequent ones the positive one."""
    negative, positive = metrics.per_class
    if None in (negative.label, positive.label):  # one of them has not appeared
        return 0 if positive.label is None else 1
    return 0 if negative.examples < positive.examples else 1


def _most_frequent(run: Run) -> list[int]:
    """Return the class numbers of the most frequent labels, in increasing order."""
    assert run.metrics is not None
    counts = [one.examples for one in run.metrics.per_class]
    return sorted(sorted(range(len(counts)), key=lambda k: -counts[k])[:LABELS])
