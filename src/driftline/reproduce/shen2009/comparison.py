"""Judge claims by the 95 % interval of a paired difference over trials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.conclusions import every
from driftline.reproduce.intervals import interval, mean_and_error

DIGITS = 12
"""Differences are rounded to this many decimals."""


@dataclass(frozen=True)
class Comparison:
    """A mean difference over trials with its interval, and whether the claim holds."""

    holds: bool | None
    difference: float
    error: float
    low: float
    high: float
    trials: int
    given: int
    """Number of all trials, including those without a difference."""

    @property
    def numbers(self) -> dict[str, float]:
        """The finite statistics, for a verdict."""
        found = {"difference": self.difference, "standard error": self.error, "low": self.low, "high": self.high}
        return {**{name: value for name, value in found.items() if math.isfinite(value)}, "trials": float(self.trials)}

    @property
    def said(self) -> str:
        """The difference in percentage points, as text."""
        if not _enough(self.trials, self.given):
            return f"only {self.trials} of {self.given} trials can be compared, too few for a verdict"
        return f"{100 * self.difference:+.2f} points, standard error {100 * self.error:.2f}, {self.trials} trials"


def larger(differences: Sequence[float], than: float = 0.0) -> Comparison:
    """Judge whether the mean difference is larger than a limit.

    It is undecided if the interval contains the limit. NaN marks trials without a difference. If
    they are more than half, the rest may not be representative, and it is undecided as well.
    """
    known = [round(float(one), DIGITS) for one in differences if not math.isnan(one)]
    if not known:
        return Comparison(None, math.nan, math.nan, math.nan, math.nan, 0, len(differences))
    mean, error = mean_and_error(known)
    low, high = interval(known)
    holds = True if low > than else False if high <= than else None
    if not _enough(len(known), len(differences)):
        holds = None
    return Comparison(holds, mean, error, low, high, len(known), len(differences))


def surely_larger(differences: Floats, than: float = 0.0) -> Comparison:
    """Judge whether the mean difference is larger if each one is only known between bounds.

    The rows are the estimates, the lower bounds and the upper bounds.
    """
    likely, least, most = (larger(row.tolist(), than) for row in differences)
    return replace(likely, holds=True if least.holds else False if most.holds is False else None)


def smaller(differences: Sequence[float], than: float) -> Comparison:
    """Judge whether the mean difference is smaller than a limit."""
    return _negated(larger((-np.asarray(differences, float)).tolist(), -than))


def surely_smaller(differences: Floats, than: float) -> Comparison:
    """Judge whether the mean difference is smaller if each one is only known between bounds."""
    likely, least, most = -differences
    return _negated(surely_larger(np.stack([likely, most, least]), -than))


def within(differences: Sequence[float], reach: float) -> Comparison:
    """Judge whether the absolute mean difference is at most ``reach``."""
    above, below = larger(differences, -reach), smaller(differences, reach)
    return replace(above, holds=every([above.holds, below.holds]))


def _negated(one: Comparison) -> Comparison:
    return replace(one, difference=-one.difference, low=-one.high, high=-one.low)


def _enough(known: int, given: int) -> bool:
    return known >= 2 and 2 * known >= given
