"""What the theorems on ALMA and NORMA share: Lemma 2 of Kivinen, Smola and Williamson, and the inputs.

Comparators u_1, u_2, ... with |u_t|_q <= B may move; K is what they lose at margin mu.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from driftline.bounds.bound import Bound, given

CITATION = "Kivinen, Smola, Williamson. Large margin classification for moving targets. ALT 2002"

CONDITIONS = ("w = 0 at the start", "|x_t|_p <= X and |u_t|_q <= B, 1/p + 1/q = 1")


@dataclass(frozen=True, kw_only=True)
class MovingTarget(Bound):
    """The inputs of all of them."""

    X: float = given("the longest example, max |x_t|_p", above=0.0)
    B: float = given("the longest comparator, max |u_t|_q", above=0.0)
    mu: float = given("the margin at which the comparators lose K", above=0.0)
    K: float = given("sum of max(0, mu - y_t u_t.x_t)", 0.0, least=0.0)
    p: float = given("the norm", 2.0, least=2.0)


def part(x: float, K: float, C: float) -> float:
    """The z in (0, x) at which K / (x - z) + C / (z (x - z)) is smallest, in a form that is stable for small K."""
    return x / (1.0 + math.sqrt(1.0 + x * K / C))


def smallest(x: float, K: float, C: float) -> float:
    """That smallest value."""
    s = C / (x * x)
    return K / x + 2.0 * s + 2.0 * math.sqrt(s) * math.sqrt(K / x + s)
