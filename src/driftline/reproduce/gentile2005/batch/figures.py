"""Figures of risks and certificates of the choices, one per stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.batch.choices import ALL, LAST
from driftline.reproduce.gentile2005.batch.stream import NAMES
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.intervals import interval
from driftline.reproduce.plotting import axes, colour, legend, marker


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Yield one figure per stream."""
    records = Records.of(answers.values())
    for key, where in NAMES.items():
        if where in records.wheres():
            yield _figure(records, key, where)


def _figure(records: Records, key: str, where: str) -> Drawing:
    figure, ax = axes("error on fresh examples, and certificate (%)", "", where)
    choices = [choice for choice in ALL if records.values("risk", where, choice)]
    for k, measure in enumerate(("risk", "certificate")):
        rows = [row for row, choice in enumerate(choices) if measure == "risk" or choice != LAST]
        found = [
            [100.0 * value for value in records.values(measure, where, choice)]
            for choice in (choices[row] for row in rows)
        ]
        ax.plot([np.mean(some) for some in found], rows, marker(k), color=colour(k), markersize=7.0, label=measure)
        for row, some in zip(rows, found, strict=True):
            ax.plot(interval(some), [row, row], color=colour(k), linewidth=2.2)
    ax.set_yticks(range(len(choices)), choices)
    ax.set_ylim(len(choices) - 0.5, -0.5)
    ax.set_xlim(0.0, 102.0)
    legend(ax)
    return Drawing(
        f"batch-{key}",
        f"Which hypothesis to keep: {where}",
        f"The error on fresh examples of the choices {', '.join(choices)}, and the certificate of each one except the "
        "last hypothesis. Marks are means over seeds, with 95 % intervals if these are wider than the marks. A "
        "certificate of 100 % is vacuous.",
        figure,
    )
