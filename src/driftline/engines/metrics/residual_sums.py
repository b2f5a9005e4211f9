"""Sums over the residuals of a regression, which do not lose digits on long streams.

Every sum is a pair of floats: the rounded sum, and what rounding has lost (Neumaier). Targets are
summed after the first target of their group is subtracted. The sum of the squares of n targets is
then at most n + 1 times the sum of squares around their mean, so the variance keeps its digits.

Neumaier. Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen. ZAMM 54 (1974).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.engines.state import INFEASIBLE, UPDATED
from driftline.internals.compiled import Floats, inlined, jit

Counts = npt.NDArray[np.int64]

# columns of the sums of a group; a pair is a sum and what rounding has lost
ROWS, SHIFT, LOWEST, HIGHEST, INSIDE, OVERFLOWED = 0, 1, 2, 3, 4, 5
ABSOLUTE, SQUARED, RESIDUAL, TARGET, TARGET_SQUARED = 6, 8, 10, 12, 14
MEAN_ABSOLUTE, MEAN_SQUARED, LAST_ABSOLUTE, LAST_SQUARED = 16, 18, 20, 22
SUMS = 24

# columns of a point of the series of the last rows
AT, MAE, RMSE, R2, BIAS, MEAN_MAE, LAST_MAE = 0, 1, 2, 3, 4, 5, 6
POINT = 7

_UPDATED, _INFEASIBLE = int(UPDATED), int(INFEASIBLE)
LARGEST_SQUARE = 1e200
"""A prediction with a larger squared error has overflowed. No sum of smaller ones overflows."""
_SPLIT = 134217729.0
"""2^27 + 1: the product with it splits a float into two halves of its digits."""


@inlined
def plus(high: float, low: float, term: float) -> tuple[float, float]:
    """Add a term to a pair."""
    total = high + term
    virtual = total - high
    return total, low + ((high - (total - virtual)) + (term - virtual))


@inlined
def square(value: float) -> tuple[float, float]:
    """The square of a float and its rounding error (Dekel), if nothing overflows."""
    product = value * value
    scaled = _SPLIT * value
    high = scaled - (scaled - value)
    low = value - high
    return product, ((high * high - product) + 2.0 * high * low) + low * low


@jit
def baseline_predictions(y: Floats, sums: Floats, last: float, means: Floats, lasts: Floats) -> None:
    """Fill in what both baselines predict: the mean of the targets so far, and the previous target.

    Parameters
    ----------
    y
        The targets of a block.
    sums
        The sums over all rows before the block. They do not change.
    last
        The target before the block.
    means, lasts
        The predictions, which are filled in. Before the first target of all they are 0.
    """
    rows, shift = sums[ROWS], sums[SHIFT]
    high, low = sums[TARGET], sums[TARGET + 1]
    for i in range(y.size):
        if rows == 0.0:
            shift = y[i]
            means[i], lasts[i] = 0.0, 0.0
        else:
            means[i], lasts[i] = shift + (high + low) / rows, last
        high, low = plus(high, low, y[i] - shift)
        rows += 1.0
        last = y[i]


@jit
def add_residuals(
    groups: Counts, y: Floats, predicted: Floats, means: Floats, lasts: Floats, epsilon: float, sums: Floats
) -> None:
    """Add rows to the sums of their groups.

    Parameters
    ----------
    groups
        The group of each row; empty if all are of group 0.
    y, predicted
        Targets and predictions.
    means, lasts
        The predictions of the baselines.
    epsilon
        Rows with a residual of at most ``epsilon`` are counted as inside.
    sums
        Of shape (groups, SUMS).
    """
    for i in range(y.size):
        k = groups[i] if groups.size > 0 else 0
        if sums[k, ROWS] == 0.0:
            sums[k, SHIFT] = sums[k, LOWEST] = sums[k, HIGHEST] = y[i]
        sums[k, ROWS] += 1.0
        sums[k, LOWEST] = min(sums[k, LOWEST], y[i])
        sums[k, HIGHEST] = max(sums[k, HIGHEST], y[i])
        target = y[i] - sums[k, SHIFT]
        sums[k, TARGET], sums[k, TARGET + 1] = plus(sums[k, TARGET], sums[k, TARGET + 1], target)
        product, rest = square(target)
        sums[k, TARGET_SQUARED], low = plus(sums[k, TARGET_SQUARED], sums[k, TARGET_SQUARED + 1], product)
        sums[k, TARGET_SQUARED + 1] = low + rest
        for which, guess in ((MEAN_ABSOLUTE, means[i]), (LAST_ABSOLUTE, lasts[i])):
            gap = abs(guess - y[i])
            sums[k, which], sums[k, which + 1] = plus(sums[k, which], sums[k, which + 1], gap)
            sums[k, which + 2], sums[k, which + 3] = plus(sums[k, which + 2], sums[k, which + 3], gap * gap)
        residual = predicted[i] - y[i]
        squared = residual * residual
        if not squared <= LARGEST_SQUARE:
            sums[k, OVERFLOWED] += 1.0
            continue
        size = abs(residual)
        sums[k, INSIDE] += size <= epsilon
        sums[k, ABSOLUTE], sums[k, ABSOLUTE + 1] = plus(sums[k, ABSOLUTE], sums[k, ABSOLUTE + 1], size)
        sums[k, SQUARED], sums[k, SQUARED + 1] = plus(sums[k, SQUARED], sums[k, SQUARED + 1], squared)
        sums[k, RESIDUAL], sums[k, RESIDUAL + 1] = plus(sums[k, RESIDUAL], sums[k, RESIDUAL + 1], residual)


@jit
def advance(
    start: int,
    y: Floats,
    predicted: Floats,
    means: Floats,
    lasts: Floats,
    ring: Floats,
    first: int,
    stride: int,
    points: Floats,
) -> None:
    """Move the ring of the last rows over a block that follows ``start`` rows; write its points.

    Row n of the run is at position n mod window of the ring, so the content does not depend on the
    split of the stream into blocks.

    Parameters
    ----------
    start
        The number of rows before the block.
    y, predicted, means, lasts
        The rows of the block.
    ring
        Of shape (4, window): targets, predictions, and predictions of the baselines.
    first, stride
        A point is due after row ``first`` of the block, and after every ``stride``-th row from there.
    points
        Of shape (points of the block, POINT), which is filled in.
    """
    window, done = ring.shape[1], 0
    for point in range(points.shape[0] + 1):
        stop = min(first + point * stride + 1, y.size) if point < points.shape[0] else y.size
        begin = max(done, stop - window)
        at = (start + begin) % window
        for i in range(begin, stop):
            ring[0, at], ring[1, at], ring[2, at], ring[3, at] = y[i], predicted[i], means[i], lasts[i]
            at = at + 1 if at + 1 < window else 0
        done = stop
        if point < points.shape[0]:
            points[point, AT] = start + stop
            _measure(min(start + stop, window), ring, points[point])


@jit
def _measure(rows: int, ring: Floats, point: Floats) -> None:
    """Write the metrics of the rows of the ring; NaN where a prediction has overflowed."""
    absolute, squared, residuals, mean_gap, last_gap = 0.0, 0.0, 0.0, 0.0, 0.0
    shift, targets = ring[0, 0], 0.0
    for i in range(rows):
        residual = ring[1, i] - ring[0, i]
        absolute += abs(residual)
        squared += residual * residual
        residuals += residual
        mean_gap += abs(ring[2, i] - ring[0, i])
        last_gap += abs(ring[3, i] - ring[0, i])
        targets += ring[0, i] - shift
    mean, spread = targets / rows, 0.0
    for i in range(rows):
        gap = (ring[0, i] - shift) - mean
        spread += gap * gap
    known = squared <= LARGEST_SQUARE * rows
    point[MAE] = absolute / rows if known else np.nan
    point[RMSE] = np.sqrt(squared / rows) if known else np.nan
    point[R2] = 1.0 - squared / spread if known and spread > 0.0 else np.nan
    point[BIAS] = residuals / rows if known else np.nan
    point[MEAN_MAE] = mean_gap / rows
    point[LAST_MAE] = last_gap / rows


@jit
def add_losses(
    totals: Floats, y: Floats, predicted: Floats, events: np.ndarray, first: int, stride: int, points: Floats
) -> int:
    """Add the rounds of a block to the totals: examples, absolute and squared errors, updates.

    The totals after round ``first`` of the block, and after every ``stride``-th round from there
    on, go to the rows of ``points``. A prediction that is not a number has an infinite error.

    Returns
    -------
    int
        The infeasible rounds of the block.
    """
    infeasible, due, row = 0, first, 0
    for i in range(y.size):
        size = abs(predicted[i] - y[i])
        size = size if size == size else np.inf
        happened = int(events[i])
        totals[0] += 1.0
        totals[1] += size
        totals[2] += size * size
        totals[3] += happened & _UPDATED != 0
        infeasible += happened & _INFEASIBLE != 0
        if i == due:
            points[row] = totals
            row += 1
            due += stride
    return infeasible
