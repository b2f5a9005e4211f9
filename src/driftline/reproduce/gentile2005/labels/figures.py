"""Figures of mistakes over the fraction of labels, for first- and second-order learners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.labels.data import COMMON, NAMES
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.plotting import axes, band, colour, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDERS = {"first": ("constant", "adaptive"), "second": ("second",)}
FEATURES = {"first": "", "second": f", on the {COMMON} most frequent features"}


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Yield two figures per stream."""
    records = Records.of(answers.values())
    for key, where in NAMES.items():
        if where in records.wheres():
            for order, variants in ORDERS.items():
                yield _figure(records, key, where, order, variants)


def _figure(records: Records, key: str, where: str, order: str, variants: tuple[str, ...]) -> Drawing:
    figure, ax = axes("labels requested (% of rounds)", "mistakes (% of rounds)", where)
    for k, variant in enumerate(variants):
        _line(ax, records, where, variant, "mistakes", f"requested, {variant}", k)
    _line(ax, records, where, variants[0], "at random", "same number at random", 2)
    full = _shares(records, where, variants[0], "all labels")
    ax.axhline(float(full.mean()), color=colour(3), linestyle="--", label="all labels")
    ax.set_ylim(bottom=0.0)
    ax.set_xlim(0.0, 100.0)
    legend(ax)
    return Drawing(
        f"labels-{key}-{order}",
        f"Mistakes over labels: {where}, {order} order",
        f"Mistakes in all rounds over the fraction of labels used by the {order}-order Perceptron{FEATURES[order]}. "
        "Labels are requested when the score is small, or the same number is drawn at random. The dashed line has all "
        "labels. Means over seeds with 95 % bands.",
        figure,
    )


def _line(ax: Axes, records: Records, where: str, variant: str, measure: str, label: str, k: int) -> None:
    shares = _shares(records, where, variant, "asked").mean(axis=0)
    band(ax, shares.tolist(), _shares(records, where, variant, measure).tolist(), label, k)


def _shares(records: Records, where: str, variant: str, measure: str) -> np.ndarray:
    """Return a measure in per cent of the rounds, with one row per seed and one column per b."""
    grid = records.parameters(where, variant)
    found = [[records.values(one, where, variant, b) for b in grid] for one in (measure, "rounds")]
    return 100.0 * np.divide(found[0], found[1]).T
