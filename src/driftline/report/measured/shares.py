"""The share of each label along the stream."""

from __future__ import annotations

from driftline.evaluate import Run
from driftline.report.charts.chart import Chart
from driftline.report.charts.line import Axis, Line
from driftline.report.charts.stream_axis import StreamAxis
from driftline.report.safe_text import brief

LABELS = 6  # lines


def share_chart(run: Run, along: StreamAxis) -> Chart | None:
    """Return the chart of the shares in a window; None if the run has no such numbers.

    With two labels only the positive one is drawn, else the most frequent ones.

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
    numbers = [1] if len(labels) == 2 else _most_frequent(run)
    lines = [
        Line(str(labels[k]), *along.place((at, 100.0 * shares[:, k])), n)
        for n, k in enumerate(k for k in numbers if k < shares.shape[1])
    ]
    window = run.metrics.window.examples
    title = f"Share of {brief(labels[1])}" if len(labels) == 2 else "Share of each label"
    if len(labels) > len(lines) > 1:
        title = f"Share of the {len(lines)} most frequent labels"
    axis = Axis(f"share of the last {window:,} examples", "%", decimals=1)
    return Chart(title, along.axis, axis, lines, what="label", alarms=along.marks(run))


def _most_frequent(run: Run) -> list[int]:
    """Return the class numbers of the most frequent labels, in increasing order."""
    assert run.metrics is not None
    counts = [one.examples for one in run.metrics.per_class]
    return sorted(sorted(range(len(counts)), key=lambda k: -counts[k])[:LABELS])
