"""The error at a number of features that was named: more thresholds about it, so that little is left to interpolate.

A threshold says how much energy may go, not how many features stay, and the two next to a number may leave far more and
far fewer than it. Where even a finer look finds a jump, there is no learner with about so many features to judge.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import log, nan

import numpy as np

from driftline.reproduce.shen2009.removing import Point

CLOSE, NARROW = 1.05, 1.25
"""Thresholds are added until those next to a number leave features in this ratio; beyond the second none is judged."""


def beside(points: Sequence[Point], features: float) -> tuple[Point, Point] | None:
    """Those with the next fewer and the next more features, or as many; None where there are none on one side.

    Points come by rising threshold; those after the one with the fewest features, from where on they come back, do not
    count.
    """
    fewest = min(range(len(points)), key=lambda k: points[k].features, default=-1)
    ranked = sorted(points[: fewest + 1], key=lambda one: one.features)
    at = bisect_left([one.features for one in ranked], features)
    if at == len(ranked) or (at == 0 and ranked[0].features > features):
        return None
    return ranked[at if ranked[at].features == features else at - 1], ranked[at]


def between(points: Sequence[Point], features: float) -> float:
    """The error at a number of features, linear in its logarithm; NaN where no thresholds leave about so many."""
    pair = beside(points, features)
    if pair is None or pair[1].features > NARROW * pair[0].features:
        return nan
    fewer, more = pair
    if fewer.features == more.features:
        return fewer.error
    share = log(features / fewer.features) / log(more.features / fewer.features)
    return (1.0 - share) * fewer.error + share * more.error


def added(
    points: Sequence[Point],
    sizes: Sequence[float],
    measure: Callable[[list[float]], list[Point]],
    rounds: int,
    inner: int,
) -> list[Point]:
    """Points at further thresholds: in each round so many between the two that are next to each of these sizes."""
    found: list[Point] = []
    for _ in range(rounds):
        known = sorted([*points, *found], key=lambda one: one.threshold)
        pairs = [pair for pair in (beside(known, size) for size in sizes) if pair is not None]
        wide = {(more.threshold, fewer.threshold) for fewer, more in pairs if more.features > CLOSE * fewer.features}
        finer = {float(one) for ends in wide for one in np.linspace(*ends, inner + 2)[1:-1]}
        if not finer:
            break
        found += measure(sorted(finer))
    return found
