"""The calibration curve and the precision-recall curve of each run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.evaluate import Run
from driftline.evaluate.metrics import Calibration, Figures, Metrics
from driftline.evaluate.metrics.ranking import ranked_counts
from driftline.report.charts.chart import Chart
from driftline.report.charts.figure import figure
from driftline.report.charts.line import Axis, Line
from driftline.report.html_table import Row, table
from driftline.report.measured.numbers import text
from driftline.report.measured.shares import rarer
from driftline.report.safe_text import brief, named

UNIT = (0.0, 1.0)
LABELS = 6  # labels of several that have a precision-recall curve
Numbered = tuple[int, Run, Metrics]


def probability_figures(runs: Sequence[Numbered], identity: str) -> list[str]:
    """Return the figures that the runs have numbers for: calibration, and precision against recall."""
    found = []
    measured = [(k, run, bins) for k, run, metrics in runs if (bins := metrics.calibration) is not None]
    if measured:
        found.append(figure(_calibration(measured), f"{identity}-calibration", _bins(measured), "group"))
    ranked = _ranked(runs)
    if ranked is not None:
        found.append(figure(ranked, f"{identity}-recall", style="group"))
    return found


def _calibration(measured: Sequence[tuple[int, Run, Calibration]]) -> Chart:
    """Return the chart of the share of a label at each predicted probability."""
    lines = []
    for k, run, bins in measured:
        there = bins.examples > 0
        lines.append(Line(run.name, bins.probability[there], bins.share[there], k))
    labels = measured[0][1].learner.labels
    about = f"of the probability of {brief(labels[1])}" if len(labels) == 2 else "of the most likely label"
    return Chart(
        f"Calibration {about}",
        Axis("predicted probability", decimals=2, span=UNIT),
        Axis("share of examples", decimals=3, span=UNIT),
        lines,
        reference=Line("perfect", np.array(UNIT), np.array(UNIT)),
    )


def _bins(measured: Sequence[tuple[int, Run, Calibration]]) -> str:
    """Return the bins as a table that can be opened."""
    rows = [
        Row([named(run.name), f"{low:.2f} to {high:.2f}", f"{count:,}", text(probability), text(share)])
        for _, run, bins in measured
        for low, high, count, probability, share in zip(
            bins.low, bins.high, bins.examples.tolist(), bins.probability, bins.share, strict=True
        )
        if count
    ]
    header = ["learner", "probability", "examples", "mean probability", "share"]
    bins_table = table("Bins of the predicted probability; empty ones are left out", header, rows)
    return f"<details><summary>Examples in each bin</summary>{bins_table}</details>\n"


def _ranked(runs: Sequence[Numbered]) -> Chart | None:
    """Return the chart of precision against recall: of each run, or of each label of the first run."""
    if len(runs[0][2].labels) == 2:
        label = rarer(runs[0][2])
        about = f"Precision and recall of {brief(runs[0][2].labels[label])}"
        candidates = [(run.name, k, metrics, label) for k, run, metrics in runs if len(metrics.labels) == 2]
        what = "learner"
    else:
        _, run, metrics = runs[0]
        about = f"Precision and recall of each label: {brief(run.name)}"
        order = sorted(range(len(metrics.per_class)), key=lambda k: -metrics.per_class[k].examples)[:LABELS]
        candidates = [(str(metrics.labels[k]), n, metrics, k) for n, k in enumerate(sorted(order))]
        what = "label"
    lines = [
        Line(name, *curve, number)
        for name, number, metrics, k in candidates
        if (curve := _curve(metrics, k)) is not None
    ]
    if not lines:
        return None
    x, y = Axis("recall", decimals=2, span=UNIT), Axis("precision", decimals=3, span=UNIT)
    return Chart(about, x, y, lines, what=what)


def _curve(figures: Figures, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return recall and precision at all thresholds, in order of increasing recall; None if undefined."""
    counts = ranked_counts(figures, k)
    if counts is None or not counts[1].sum():
        return None
    wrong, right = counts[:, ::-1].cumsum(axis=1)
    there = np.flatnonzero(np.diff(wrong + right, prepend=0))
    recall, precision = right[there] / right[-1], right[there] / (right[there] + wrong[there])
    return np.concatenate([[0.0], recall]), np.concatenate([precision[:1], precision])
