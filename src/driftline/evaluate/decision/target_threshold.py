"""A threshold that keeps precision or recall at a target while the probabilities drift.

Every ``STEP`` labels the threshold is chosen again. The candidates are the edges of bins. Of those
at which the target holds over the recent past, the best one is taken:

* precision: the lowest threshold with TP / (TP + FP + 1) >= goal, as it has the highest recall.
  Where there is none, the threshold is infinite, and nothing is decided positive.
* recall: the threshold of the highest precision with TP / (P + 1) >= goal. Where there is none, the
  highest threshold that would have found all positives.

The additional 1 is a margin for small counts. The goal follows the decisions that were made. With s
= 1 - target and x = 0 at first, each decision that counts adds

    RATE (s - error),    x kept from -log(5) to log(1.25)

to x, and the goal is 1 - s exp(x). For precision the decisions for the positive label count, and a
false positive is an error; for recall the positives count, and a missed one is an error. So the goal
rises as long as there are more errors than the target allows, whatever the reason.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from driftline.evaluate.decision.probability_bins import BINS, at_or_above

RATE = 0.1
LOWEST, HIGHEST = -math.log(5.0), math.log(1.25)
STEP = 50
"""The number of labels after which the recent past is discounted and a threshold is chosen again."""
LEAST = 20
"""The number of positives, and of negatives, that must be known before a threshold is chosen."""


class TargetThreshold:
    """The target, and how far the goal is from it.

    Parameters
    ----------
    quantity
        What is kept at the target: "precision" or "recall".
    target
        The target, between 0 and 1.
    """

    def __init__(self, quantity: Literal["precision", "recall"], target: float) -> None:
        self.quantity = quantity
        self.target = target
        self.correction = 0.0
        """x in the formula of the module."""

    @property
    def goal(self) -> float:
        """What the estimates must reach."""
        return 1.0 - (1.0 - self.target) * math.exp(self.correction)

    def correct(self, decisions: int, errors: int) -> None:
        """Move the goal after decisions of which some were errors."""
        moved = self.correction + RATE * ((1.0 - self.target) * decisions - errors)
        self.correction = min(max(moved, LOWEST), HIGHEST)

    def chosen(self, counts: np.ndarray) -> int:
        """The lowest bin that is decided positive, given the counts of the recent past."""
        false, true = at_or_above(counts)
        if self.quantity == "precision":
            met = np.flatnonzero(true >= self.goal * (true + false + 1.0))
            return int(met[0]) if met.size else BINS
        reached = np.flatnonzero(true[:BINS] >= min(self.goal * (true[0] + 1.0), true[0]))
        flagged = true[reached] + false[reached]
        precision = np.divide(true[reached], flagged, out=np.zeros(reached.size), where=flagged > 0.0)
        return int(reached[np.flatnonzero(precision == precision.max())[-1]])
