"""What holds as the margin shrinks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.winnow.judged import kept, law, overtaking, power
from driftline.reproduce.winnow.laws import jackknife, overtaken, slope
from driftline.reproduce.winnow.runs import Runs, Table
from driftline.reproduce.winnow.shrinking import CENTRE, ELLIPSOID, GRID, PART, PERCEPTRON

SLACK = 0.2
ENOUGH = 5
"""Margins that a learner must have run at, for its growth to be judged."""


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Growth with 1 / gamma, who overtakes whom, and bounds."""
    places = runs.places(PART)
    for place in places:
        table = runs.table(PART, place, PERCEPTRON)
        yield power("The Perceptron's mistakes grow like 1 / gamma^2", place, table, 2.0, SLACK)
    for name in (ELLIPSOID, CENTRE):
        claim = f"The mistakes of the {name} grow like the logarithm of 1 / gamma"
        yield law(claim, "all dimensions together", summed(runs, name), True, "1 / gamma")
    for name in (ELLIPSOID, CENTRE, GRID):
        for place in places:
            if name in runs.learners(PART, place):
                table = runs.table(PART, place, name)
                if len(table.x) >= ENOUGH:
                    shown = name if name == GRID else f"the {name}"
                    claim = f"Below some margin {shown} makes fewer mistakes than the Perceptron"
                    perceptron = runs.table(PART, place, PERCEPTRON).among(table.x)
                    yield overtaking(claim, place, table, perceptron, (shown, "the Perceptron"), "1 / gamma")
    yield _later(runs)
    yield kept(
        "No run makes more mistakes than its bound",
        "all dimensions and margins",
        runs,
        PART,
        {name: name for name in (PERCEPTRON, ELLIPSOID, CENTRE, GRID)},
    )


def summed(runs: Runs, learner: str) -> Table:
    """The mistakes of all dimensions together."""
    tables = [runs.table(PART, place, learner) for place in runs.places(PART)]
    return Table(tables[0].x, sum((t.counts for t in tables[1:]), tables[0].counts), tables[0].bounds)


def _later(runs: Runs) -> Verdict:
    """Whether the ellipsoid needs a smaller margin to be ahead where there are more dimensions."""
    places = runs.places(PART)
    d = np.array([float(place.rpartition(" ")[2]) for place in places])
    tables = [(runs.table(PART, place, ELLIPSOID), runs.table(PART, place, PERCEPTRON)) for place in places]
    x = tables[0][0].x
    counts = [table.counts for pair in tables for table in pair]

    turned = [overtaken(x, first.counts.mean(axis=0), second.counts.mean(axis=0)) for first, second in tables]
    claim = "The more dimensions, the smaller the margin at which the ellipsoid overtakes the Perceptron"
    if not np.isfinite(turned).all():
        return Verdict(claim, f"{places[0]} and more", None, {}, "Not in all dimensions does the order turn.")

    def trend(*means: np.ndarray) -> float:
        turns = [overtaken(x, means[2 * k], means[2 * k + 1]) for k in range(len(places))]
        return slope(d, np.clip(turns, x[0], x[-1]))

    found = jackknife(trend, *counts)
    told = ", ".join(f"{turn:.2f} for {place}" for place, turn in zip(places, turned, strict=True))
    return Verdict(
        claim,
        f"{places[0]} to {d[-1]:g}",
        found.sign,
        {"exponent": found.value, "standard error": found.error},
        f"The order turns at 1 / gamma = {told}: like d to the power {found.value:.2f} "
        f"(standard error {found.error:.2f}).",
    )
