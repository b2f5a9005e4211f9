"""Estimate the error at a given number of features by adding thresholds close to it.

A threshold controls how much weight energy may be removed, not how many features remain. The
thresholds on both sides of a target number may therefore keep far more and far fewer features. If
refinement still leaves a gap, the error is only known to lie between the errors at its ends.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import log, nan
from typing import NamedTuple

import numpy as np

from driftline.reproduce.shen2009.feature_removal import Point

CLOSE, NARROW = 1.05, 1.25
"""Ratios of the numbers of features kept by two neighbouring thresholds.

Thresholds are added until the ratio is at most CLOSE. Up to NARROW, the interpolated error is used
as exact.
"""


def neighbours(points: Sequence[Point], features: float) -> tuple[Point, Point] | None:
    """Return the points with the next smaller and the next larger number of features.

    Both are the same point if it has exactly this number. Return None if one side has no point.
    Points are ordered by increasing threshold. Points after the one with the fewest features are
    ignored, because features return from there on. Points without features are ignored too. Among
    points with equal numbers of features the nearest one is used.
    """
    fewest = min(range(len(points)), key=lambda k: points[k].features, default=-1)
    some = [one for one in points[: fewest + 1] if one.features > 0.0]
    ranked = sorted(some, key=lambda one: (one.features, -one.threshold))
    at = bisect_left([one.features for one in ranked], features)
    if at == len(ranked) or (at == 0 and ranked[0].features > features):
        return None
    return ranked[at if ranked[at].features == features else at - 1], ranked[at]


class ErrorRange(NamedTuple):
    """An estimated error rate with lower and upper bounds, which are equal if it is well known."""

    likely: float
    least: float
    most: float


def interpolate(points: Sequence[Point], features: float) -> ErrorRange:
    """Return the error at a number of features, interpolated linearly in its logarithm.

    It is NaN if all thresholds keep more features, or all keep fewer.
    """
    pair = neighbours(points, features)
    if pair is None:
        return ErrorRange(nan, nan, nan)
    fewer, more = pair
    if fewer.features == more.features:
        return ErrorRange(fewer.error, fewer.error, fewer.error)
    share = log(features / fewer.features) / log(more.features / fewer.features)
    likely = (1.0 - share) * fewer.error + share * more.error
    if more.features <= NARROW * fewer.features:
        return ErrorRange(likely, likely, likely)
    return ErrorRange(likely, min(fewer.error, more.error), max(fewer.error, more.error))


def refine(
    points: Sequence[Point],
    sizes: Sequence[float],
    measure: Callable[[list[float]], list[Point]],
    rounds: int,
    inner: int,
) -> list[Point]:
    """Return points at additional thresholds.

    Each round adds ``inner`` thresholds between the two neighbours of each size.
    """
    found: list[Point] = []
    for _ in range(rounds):
        known = sorted([*points, *found], key=lambda one: one.threshold)
        pairs = [pair for pair in (neighbours(known, size) for size in sizes) if pair is not None]
        wide = {(more.threshold, fewer.threshold) for fewer, more in pairs if more.features > CLOSE * fewer.features}
        finer = {float(one) for ends in wide for one in np.linspace(*ends, inner + 2)[1:-1]}
        if not finer:
            break
        found += measure(sorted(finer))
    return found
