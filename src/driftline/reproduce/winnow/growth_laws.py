"""Growth laws (logarithm or power) and crossings of mistake counts, with jackknife errors.

The jackknife estimates the standard error of a statistic by leaving out one seed at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from driftline.reproduce.intervals import less, student_factor
from driftline.reproduce.winnow.runs import Table

HELD_OUT = 2
"""Number of largest sizes held out from fitting. Laws are judged at the very largest."""
NEAR = 0.2
"""Largest relative error of a prediction that counts as close."""


@dataclass(frozen=True)
class Estimate:
    """An estimate with its standard error and its 95 % interval."""

    value: float
    error: float
    low: float
    high: float

    @property
    def sign(self) -> bool | None:
        """Whether the estimate is positive, or None if the interval contains 0 or is unknown."""
        if math.isnan(self.low) or self.low <= 0.0 <= self.high:
            return None
        return self.low > 0.0

    def within(self, low: float, high: float) -> bool | None:
        """Return whether the whole interval lies inside the range (True) or outside it (False).

        Return None if the interval overlaps an end of the range.
        """
        if low <= self.low and self.high <= high:
            return True
        return False if self.high < low or self.low > high else None


def jackknife(statistic: Callable[..., float], *counts: np.ndarray) -> Estimate:
    """Estimate a statistic of column means. The rows of all tables must be the same seeds."""
    seeds = len(counts[0])
    value = statistic(*(table.mean(axis=0) for table in counts))
    if seeds < 2:
        return Estimate(value, math.nan, math.nan, math.nan)
    left = np.array([statistic(*(np.delete(t, k, axis=0).mean(axis=0) for t in counts)) for k in range(seeds)])
    error = math.sqrt((seeds - 1.0) / seeds * float(np.sum((left - left.mean()) ** 2)))
    reach = student_factor(seeds) * error
    return Estimate(value, error, value - reach, value + reach)


def extrapolation_errors(x: np.ndarray, mean: np.ndarray) -> tuple[float, float]:
    """Return the relative errors of a + b ln x and a x^p at the largest x.

    Both laws are fitted without the HELD_OUT largest x.
    """
    line = np.polyfit(np.log(x[:-HELD_OUT]), mean[:-HELD_OUT], 1)
    power = np.polyfit(np.log(x[:-HELD_OUT]), logarithms(mean[:-HELD_OUT]), 1)
    last, last_mean = math.log(x[-1]), max(float(mean[-1]), 0.01)
    by_line, by_power = float(np.polyval(line, last)), math.exp(float(np.polyval(power, last)))
    return by_line / last_mean - 1.0, by_power / last_mean - 1.0


@dataclass(frozen=True)
class Growth:
    """How well both laws predict the count at the largest size."""

    logarithm: Estimate
    """Relative error of the logarithm: predicted minus actual, divided by actual."""
    power: Estimate
    """Relative error of the power."""
    advantage: Estimate
    """Absolute error of the power minus absolute error of the logarithm."""

    @property
    def logarithmic(self) -> bool | None:
        """Whether the logarithm predicts better than the power.

        It is None if that is undecided, or if the better prediction is not close.
        """
        ahead = self.advantage.sign
        if ahead is None:
            return None
        return ahead if (self.logarithm if ahead else self.power).within(-NEAR, NEAR) else None


def growth(table: Table) -> Growth:
    """Fit both laws and return their prediction errors."""

    def advantage(mean: np.ndarray) -> float:
        by_logarithm, by_power = extrapolation_errors(table.x, mean)
        return abs(by_power) - abs(by_logarithm)

    return Growth(
        jackknife(lambda mean: extrapolation_errors(table.x, mean)[0], table.counts),
        jackknife(lambda mean: extrapolation_errors(table.x, mean)[1], table.counts),
        jackknife(advantage, table.counts),
    )


def exponent(table: Table) -> Estimate:
    """Estimate the exponent p of a x^p."""
    return jackknife(lambda mean: slope(table.x, mean), table.counts)


def slope(x: np.ndarray, mean: np.ndarray) -> float:
    """Return the slope of ln mean over ln x."""
    return float(np.polyfit(np.log(x), logarithms(mean), 1)[0])


def logarithms(mean: np.ndarray) -> np.ndarray:
    """Return the logarithms of means. A mean of 0 is replaced by 0.01, one mistake in 100 runs."""
    return np.asarray(np.log(np.maximum(mean, 0.01)))


def crossing_point(x: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Return the x from which on the second mean stays above the first.

    Between sizes it is interpolated linearly in logarithms. It is -inf if the second mean is above
    everywhere, and inf if it is not above at the end.

    >>> round(crossing_point(np.array([1.0, 100.0]), np.array([2.0, 2.0]), np.array([1.0, 4.0])), 6)
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
    """Return the sizes between which the order changes.

    The first is the last x at which the second learner makes significantly fewer mistakes, or 0.
    The second is the x from which on the first learner does, or infinity.
    """
    ahead = [less(first.at(x), second.at(x)) for x in first.x]
    behind = [x for x, lead in zip(first.x, ahead, strict=True) if lead is False]
    open_ = [k for k, lead in enumerate(ahead) if lead is not True]
    after = open_[-1] + 1 if open_ else 0
    return float(behind[-1]) if behind else 0.0, float(first.x[after]) if after < len(first.x) else math.inf


def crossing(first: Table, second: Table) -> Estimate | None:
    """Estimate the size at which the second count overtakes the first.

    Return None unless the second count is significantly below the first one before and above it at
    the end. The jackknife interval is computed in logarithms. It is extended to cover all sizes at
    which the order is undecided, because the jackknife says nothing where both learners make the
    same mistakes.
    """
    x, (before, after) = first.x, bracket(first, second)
    if before == 0.0 or math.isinf(after):
        return None

    def place(a: np.ndarray, b: np.ndarray) -> float:
        return math.log(min(max(crossing_point(x, a, b), float(x[0])), float(x[-1])))

    found = jackknife(place, first.counts, second.counts)
    value, low, high = math.exp(found.value), math.exp(found.low), math.exp(found.high)
    between = [float(one) for one in x if before < one < after]
    return Estimate(value, found.error * value, min([low, *between]), max([high, *between]))
