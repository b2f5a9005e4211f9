"""When numbers carry a claim: by the 95 % interval of a difference over trials that share their streams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.intervals import interval, mean_and_error

DIGITS = 12
"""A difference below the last of them is rounding."""


@dataclass(frozen=True)
class Judged:
    """A difference over trials, and what it says."""

    holds: bool | None
    difference: float
    error: float
    low: float
    high: float
    trials: int
    given: int
    """Trials, those among them that have no such difference."""

    @property
    def numbers(self) -> dict[str, float]:
        """For a verdict: those that are known."""
        found = {"difference": self.difference, "standard error": self.error, "low": self.low, "high": self.high}
        return {**{name: value for name, value in found.items() if math.isfinite(value)}, "trials": float(self.trials)}

    @property
    def said(self) -> str:
        """The difference in percentage points."""
        if not _enough(self.trials, self.given):
            return f"{self.trials} of {self.given} trials can be compared, too few to judge by"
        return f"{100 * self.difference:+.2f} points, standard error {100 * self.error:.2f}, {self.trials} trials"


def larger(differences: Sequence[float], than: float = 0.0) -> Judged:
    """Whether the mean difference is larger; None where its interval holds the bound.

    NaN are trials without it: where these are more than half, the others may be of a kind, and nothing is said.
    """
    known = [round(float(one), DIGITS) for one in differences if not math.isnan(one)]
    if not known:
        return Judged(None, math.nan, math.nan, math.nan, math.nan, 0, len(differences))
    mean, error = mean_and_error(known)
    low, high = interval(known)
    holds = True if low > than else False if high <= than else None
    if not _enough(len(known), len(differences)):
        holds = None
    return Judged(holds, mean, error, low, high, len(known), len(differences))


def surely_larger(differences: Floats, than: float = 0.0) -> Judged:
    """The same where each is known between bounds (the likely one, the least and the most, a row each)."""
    likely, least, most = (larger(row.tolist(), than) for row in differences)
    return replace(likely, holds=True if least.holds else False if most.holds is False else None)


def smaller(differences: Sequence[float], than: float) -> Judged:
    """Whether the mean difference is smaller."""
    return _turned(larger((-np.asarray(differences, float)).tolist(), -than))


def surely_smaller(differences: Floats, than: float) -> Judged:
    """Whether it is smaller, where each is known between bounds."""
    likely, least, most = -differences
    return _turned(surely_larger(np.stack([likely, most, least]), -than))


def within(differences: Sequence[float], reach: float) -> Judged:
    """Whether the mean difference lies within so much of zero."""
    above, below = larger(differences, -reach), smaller(differences, reach)
    return replace(above, holds=every([above.holds, below.holds]))


def every(holds: Sequence[bool | None]) -> bool | None:
    """Whether all hold; False if one does not, None if one is undecided."""
    if any(one is False for one in holds):
        return False
    return None if any(one is None for one in holds) else True


def _turned(one: Judged) -> Judged:
    return replace(one, difference=-one.difference, low=-one.high, high=-one.low)


def _enough(known: int, given: int) -> bool:
    return known >= 2 and 2 * known >= given
