"""How counts grow: like a logarithm or like a power, and where one overtakes another; errors by leaving seeds out.

A statistic of the means over seeds has the jackknife's standard error: what it varies by as each seed is left out in
turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from driftline.reproduce.intervals import factor, less
from driftline.reproduce.winnow.runs import Table

HELD_OUT = 2
"""Of the largest sizes, laws are not shown so many; they are judged by the last."""
NEAR = 0.2
"""A law foretells what it misses by at most this share."""


@dataclass(frozen=True)
class Found:
    """A number, its standard error and the 95 % interval around it."""

    value: float
    error: float
    low: float
    high: float

    @property
    def sign(self) -> bool | None:
        """Whether it is above 0; None where the interval holds 0 or there is none."""
        if math.isnan(self.low) or self.low <= 0.0 <= self.high:
            return None
        return self.low > 0.0

    def within(self, low: float, high: float) -> bool | None:
        """Whether it lies between two numbers: by the whole interval; None where that reaches across one of them."""
        if low <= self.low and self.high <= high:
            return True
        return False if self.high < low or self.low > high else None


def jackknife(statistic: Callable[..., float], *counts: np.ndarray) -> Found:
    """The statistic of the columns' means, of one or more tables whose rows are the same seeds."""
    seeds = len(counts[0])
    value = statistic(*(table.mean(axis=0) for table in counts))
    if seeds < 2:
        return Found(value, math.nan, math.nan, math.nan)
    left = np.array([statistic(*(np.delete(t, k, axis=0).mean(axis=0) for t in counts)) for k in range(seeds)])
    error = math.sqrt((seeds - 1.0) / seeds * float(np.sum((left - left.mean()) ** 2)))
    reach = factor(seeds) * error
    return Found(value, error, value - reach, value + reach)


def misses(x: np.ndarray, mean: np.ndarray) -> tuple[float, float]:
    """What a + b ln x and a x^p, fitted to all but the largest x, predict at the largest, relative to what is there."""
    line = np.polyfit(np.log(x[:-HELD_OUT]), mean[:-HELD_OUT], 1)
    power = np.polyfit(np.log(x[:-HELD_OUT]), logarithms(mean[:-HELD_OUT]), 1)
    last, last_mean = math.log(x[-1]), max(float(mean[-1]), 0.01)
    by_line, by_power = float(np.polyval(line, last)), math.exp(float(np.polyval(power, last)))
    return by_line / last_mean - 1.0, by_power / last_mean - 1.0


@dataclass(frozen=True)
class Growth:
    """Which law foretells the count at the largest size."""

    logarithm: Found
    """What the logarithm predicts, less what is there, as a share of that."""
    power: Found
    advantage: Found
    """How much less the logarithm misses than the power does."""

    @property
    def logarithmic(self) -> bool | None:
        """Whether the logarithm foretells better; None where that is open, or where the better one is not near."""
        ahead = self.advantage.sign
        if ahead is None:
            return None
        return ahead if (self.logarithm if ahead else self.power).within(-NEAR, NEAR) else None


def growth(table: Table) -> Growth:
    """Both laws."""

    def advantage(mean: np.ndarray) -> float:
        by_logarithm, by_power = misses(table.x, mean)
        return abs(by_power) - abs(by_logarithm)

    return Growth(
        jackknife(lambda mean: misses(table.x, mean)[0], table.counts),
        jackknife(lambda mean: misses(table.x, mean)[1], table.counts),
        jackknife(advantage, table.counts),
    )


def exponent(table: Table) -> Found:
    """The p of a x^p."""
    return jackknife(lambda mean: slope(table.x, mean), table.counts)


def slope(x: np.ndarray, mean: np.ndarray) -> float:
    """Of ln mean against ln x."""
    return float(np.polyfit(np.log(x), logarithms(mean), 1)[0])


def logarithms(mean: np.ndarray) -> np.ndarray:
    """Of means; one that is 0 is taken for what one mistake in a hundred runs would be."""
    return np.asarray(np.log(np.maximum(mean, 0.01)))


def overtaken(x: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The x from which on the second mean stays above the first, between sizes by a straight line in logarithms.

    -inf where it is above throughout, inf where it is not at the end.

    >>> round(overtaken(np.array([1.0, 100.0]), np.array([2.0, 2.0]), np.array([1.0, 4.0])), 6)
    10.0
    """
    lead = logarithms(second) - logarithms(first)
    behind = np.flatnonzero(lead <= 0.0)
    if not len(behind):
        return -math.inf
    k = int(behind[-1])
    if k == len(x) - 1:
        return math.inf
    share = lead[k] / (lead[k] - lead[k + 1])
    return float(math.exp(math.log(x[k]) + share * (math.log(x[k + 1]) - math.log(x[k]))))


def bracket(first: Table, second: Table) -> tuple[float, float]:
    """The last x at which the second is decidedly ahead, or 0; and that from which on the first is, or infinity."""
    ahead = [less(first.at(x), second.at(x)) for x in first.x]
    behind = [x for x, lead in zip(first.x, ahead, strict=True) if lead is False]
    open_ = [k for k, lead in enumerate(ahead) if lead is not True]
    after = open_[-1] + 1 if open_ else 0
    return float(behind[-1]) if behind else 0.0, float(first.x[after]) if after < len(first.x) else math.inf


def crossing(first: Table, second: Table) -> Found | None:
    """Where the second's count overtakes the first's; None unless it is decidedly below before and above in the end.

    The interval is the jackknife's, in logarithms, and reaches at least over all sizes between at which it is
    undecided who is ahead: where both make the same mistakes, to leave out a seed says nothing.
    """
    x, (before, after) = first.x, bracket(first, second)
    if before == 0.0 or math.isinf(after):
        return None

    def place(a: np.ndarray, b: np.ndarray) -> float:
        return math.log(min(max(overtaken(x, a, b), float(x[0])), float(x[-1])))

    found = jackknife(place, first.counts, second.counts)
    value, low, high = math.exp(found.value), math.exp(found.low), math.exp(found.high)
    between = [float(one) for one in x if before < one < after]
    return Found(value, found.error * value, min([low, *between]), max([high, *between]))
