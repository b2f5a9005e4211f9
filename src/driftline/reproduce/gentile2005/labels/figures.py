"""Mistakes over the share of labels, for each stream: first order, and second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.labels.data import COMMON, NAMES
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.pictures import axes, band, colour, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDERS = {"first": ("constant", "adaptive"), "second": ("second",)}
FEATURES = {"first": "", "second": f", on the {COMMON} commonest features"}


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Two for each stream."""
    records = Records.of(answers.values())
    for key, where in NAMES.items():
        if where in records.wheres():
            for order, variants in ORDERS.items():
                yield _drawn(records, key, where, order, variants)


def _drawn(records: Records, key: str, where: str, order: str, variants: tuple[str, ...]) -> Drawing:
    figure, ax = axes("labels asked for (% of rounds)", "mistakes (% of rounds)", where)
    for k, variant in enumerate(variants):
        _line(ax, records, where, variant, "mistakes", f"asks, {variant}", k)
    _line(ax, records, where, variants[0], "at random", "as many at random", 2)
    full = _shares(records, where, variants[0], "all labels")
    ax.axhline(float(full.mean()), color=colour(3), linestyle="--", label="all labels")
    ax.set_ylim(bottom=0.0)
    ax.set_xlim(0.0, 100.0)
    legend(ax)
    return Drawing(
        f"labels-{key}-{order}",
        f"What labels are worth: {where}, {order} order",
        f"Mistakes in all rounds over the share of labels asked for by the {order}-order Perceptron{FEATURES[order]}: "
        "asking where the score says little, as many labels at random, and, dashed, all labels; means over seeds with "
        "95 % bands.",
        figure,
    )


def _line(ax: Axes, records: Records, where: str, variant: str, measure: str, label: str, k: int) -> None:
    shares = _shares(records, where, variant, "asked").mean(axis=0)
    band(ax, shares.tolist(), _shares(records, where, variant, measure).tolist(), label, k)


def _shares(records: Records, where: str, variant: str, measure: str) -> np.ndarray:
    """In per cent of the rounds: one row a seed, one column for each b."""
    grid = records.parameters(where, variant)
    found = [[records.values(one, where, variant, b) for b in grid] for one in (measure, "rounds")]
    return 100.0 * np.divide(found[0], found[1]).T
