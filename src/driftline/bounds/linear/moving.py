"""Lemma 2 of Kivinen, Smola and Williamson, and the inputs that the theorems on ALMA and NORMA
share.

The comparators u_1, u_2, ... with |u_t|_q <= B may move. K is their total loss at margin mu.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftline.bounds.bound import Bound, given

CITATION = "Kivinen, Smola, Williamson. Large margin classification for moving targets. ALT 2002"

CONDITIONS = ("w = 0 at the start", "|x_t|_p <= X and |u_t|_q <= B, 1/p + 1/q = 1")


@dataclass(frozen=True, kw_only=True)
class MovingTarget(Bound):
    """The inputs that the theorems on ALMA and NORMA share."""

    X: float = given("the largest length of an example, max |x_t|_p", above=0.0)
    B: float = given("the largest length of a comparator, max |u_t|_q", above=0.0)
    mu: float = given("the margin at which the loss K of the comparators is measured", above=0.0)
    K: float = given("sum of max(0, mu - y_t u_t.x_t)", 0.0, least=0.0)
    p: float = given("the norm", 2.0, least=2.0)

    def check(self) -> None:
        """K is at least the loss of one round."""
        self.reaches(self.B * self.X, self.mu, self.K, "K >= mu - B X")


def part(x: float, K: float, C: float) -> float:
    """The z in (0, x) that minimises K / (x - z) + C / (z (x - z)), in a form that is stable for
    small K.
    """
    return x / (1.0 + math.sqrt(1.0 + x * K / C))


def smallest(x: float, K: float, C: float) -> float:
    """The minimum of K / (x - z) + C / (z (x - z)) over z in (0, x)."""
    s = C / (x * x)
    return K / x + 2.0 * s + 2.0 * math.sqrt(s) * math.sqrt(K / x + s)
