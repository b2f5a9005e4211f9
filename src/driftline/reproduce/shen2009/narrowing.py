"""The error at a number of features that was named: more thresholds about it, so that little is left to interpolate.

A threshold says how much energy may go, not how many features stay, and the two next to a number may leave far more and
far fewer than it. Where even a finer look finds a gap, all that is known is that the error lies between theirs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import log, nan
from typing import NamedTuple

import numpy as np

from driftline.reproduce.shen2009.removing import Point

CLOSE, NARROW = 1.05, 1.25
"""Thresholds are added until those next to a number leave features in this ratio; up to the second they are near."""


def beside(points: Sequence[Point], features: float) -> tuple[Point, Point] | None:
    """Those with the next fewer and the next more features, or as many; None where there are none on one side.

    Points come by rising threshold; those after the one with the fewest features, from where on they come back, do not
    count, nor do those without any. Of those with equally many the nearest counts.
    """
    fewest = min(range(len(points)), key=lambda k: points[k].features, default=-1)
    some = [one for one in points[: fewest + 1] if one.features > 0.0]
    ranked = sorted(some, key=lambda one: (one.features, -one.threshold))
    at = bisect_left([one.features for one in ranked], features)
    if at == len(ranked) or (at == 0 and ranked[0].features > features):
        return None
    return ranked[at if ranked[at].features == features else at - 1], ranked[at]


class Error(NamedTuple):
    """An error rate, the least and the most that it may be; all the same where it is known well."""

    likely: float
    least: float
    most: float


def between(points: Sequence[Point], features: float) -> Error:
    """The error at a number of features, linear in its logarithm; NaN where all thresholds leave more, or fewer."""
    pair = beside(points, features)
    if pair is None:
        return Error(nan, nan, nan)
    fewer, more = pair
    if fewer.features == more.features:
        return Error(fewer.error, fewer.error, fewer.error)
    share = log(features / fewer.features) / log(more.features / fewer.features)
    likely = (1.0 - share) * fewer.error + share * more.error
    if more.features <= NARROW * fewer.features:
        return Error(likely, likely, likely)
    return Error(likely, min(fewer.error, more.error), max(fewer.error, more.error))


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
