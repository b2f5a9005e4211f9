"""Verdicts on shrinking margins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.winnow import alternating
from driftline.reproduce.winnow.runs import Runs, Table
from driftline.reproduce.winnow.shrinking import CENTRE, ELLIPSOID, GRID, PART, PERCEPTRON
from driftline.reproduce.winnow.verdict_forms import (
    bounds_predict_crossing,
    growth_exponent,
    growth_law,
    overtaking,
    within_bounds,
)

SLACK = 0.2
ENOUGH = 5
"""Number of margins at which a learner must have run to be compared."""
RANDOM, CHOSEN = "random order", "adversarial order"


def verdicts(runs: Runs) -> Iterator[Verdict]:
    """Yield the verdicts on growth with 1 / gamma, on crossings and on bounds."""
    places = [(PART, place, f"{place}, {RANDOM}") for place in runs.places(PART)]
    places += [(alternating.PART, place, f"{place}, {CHOSEN}") for place in runs.places(alternating.PART)]
    for part, place, where in places:
        claim = "The Perceptron's mistakes grow like 1 / gamma^2"
        yield growth_exponent(claim, where, runs.table(part, place, PERCEPTRON), 2.0, SLACK, "1 / gamma")
    for name in (ELLIPSOID, CENTRE):
        claim = f"The mistakes of the {name} grow like the logarithm of 1 / gamma, not like a power of 1 / gamma"
        yield growth_law(
            claim, f"all dimensions together, {RANDOM}", summed_over_dimensions(runs, name), True, "1 / gamma"
        )
    for name in (ELLIPSOID, CENTRE, GRID):
        shown = name if name == GRID else f"the {name}"
        for part, place, where in places:
            table = runs.table(part, place, name) if name in runs.learners(part, place) else None
            if table is not None and len(table.x) >= ENOUGH:
                claim = f"For small enough margins {shown} makes fewer mistakes than the Perceptron"
                perceptron = runs.table(part, place, PERCEPTRON).among(table.x)
                yield overtaking(claim, where, table, perceptron, (shown, "the Perceptron"), "1 / gamma")
    pairs = {p: (runs.table(PART, p, ELLIPSOID), runs.table(PART, p, PERCEPTRON)) for p in runs.places(PART)}
    claim = "The Perceptron falls behind the ellipsoid at the margin at which its bound becomes larger"
    yield bounds_predict_crossing(claim, f"all dimensions, {RANDOM}", pairs, "The 1 / gamma")
    for part, where in ((PART, RANDOM), (alternating.PART, CHOSEN)):
        learners = {name: name for name in (PERCEPTRON, ELLIPSOID, CENTRE, GRID)}
        yield within_bounds("No run makes more mistakes than its bound", f"all margins, {where}", runs, part, learners)


def summed_over_dimensions(runs: Runs, learner: str) -> Table:
    """Return the mistakes of a learner, summed over all dimensions."""
    tables = [runs.table(PART, place, learner) for place in runs.places(PART)]
    return Table(
        tables[0].x,
        sum((t.counts for t in tables[1:]), tables[0].counts),
        tables[0].bounds,
        np.all([t.settled for t in tables], axis=0),
    )
