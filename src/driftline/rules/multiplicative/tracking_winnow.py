"""Winnow with a floor: no weight falls below it, so that a feature can become relevant again.

    predict 1 iff  w.x >= theta,                              w = (1, ..., 1) at first
    w_i <- max(w_i beta^(y x_i), floor)    on a mistake,      y = +1 for the label 1 and -1 for 0

A weight of Winnow can fall without limit while its feature does not matter. If the target moves
and the feature matters, as many promotions are needed as there were demotions. With the floor,
about ln(theta / floor) / ln(beta) promotions are enough.

Let mu_t >= 0 with mu_t.x >= 1 on positives and mu_t.x <= 1 - delta on negatives, where
sigma = floor max |x|_1 / theta and beta (1 - delta) < 1 - sigma. Then mistakes grow in proportion
to the sum of all rises of mu_t times ln(1 / floor), plus the sum of all falls times
ln(beta theta), for features 0 and 1. The bound ``trackingwinnow`` has the constants and the proof.

Auer, Warmuth. Tracking the best disjunction. Machine Learning 32 (1998), the algorithm Swin.
Differs from the paper: features may be fractions and targets need not be disjunctions. The first
weights are 1, and theta is a parameter. A weight that would fall below the floor is set to it. A
sample weight multiplies the exponent y x_i. As in ``winnow``, the logarithms of the weights are
stored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, Indices, inlined
from driftline.internals.require import number, positive, require
from driftline.internals.weight_layout import FIRST
from driftline.rules.rule import Rule


@inlined
def raise_to_floor(log_w: Floats, indices: Indices, bias: float, log_floor: float) -> None:
    """Set each w_i of the row to max(w_i, floor)."""
    if bias != 0.0:
        log_w[0] = max(log_w[0], log_floor)
    for j in range(indices.size):
        log_w[FIRST + indices[j]] = max(log_w[FIRST + indices[j]], log_floor)


@dataclass(frozen=True)
class TrackingWinnow(Rule):
    """Winnow for few relevant features, if these change; features must not be negative.

    Parameters
    ----------
    theta
        The threshold that w.x is compared with, > 0.
    beta
        The factor of an update, > 1.
    floor
        The smallest weight, in (0, 1).
    """

    theta: float = 1.0
    beta: float = 1.5
    floor: float = 0.01
    engine: ClassVar[str] = "multiplicative.winnow:WinnowEngine"
    paper: ClassVar[str] = "Auer, Warmuth 1998"
    theorem: ClassVar[str] = "trackingwinnow"
    bounds: ClassVar[tuple[str, ...]] = ("trackingwinnow",)
    single: ClassVar[bool] = False
    signed: ClassVar[bool] = False

    def check(self) -> None:
        """theta > 0, beta > 1, 0 < floor < 1."""
        positive("TrackingWinnow", "theta", self.theta)
        beta = number("TrackingWinnow", "beta", self.beta)
        require(1.0 < beta < math.inf, "TrackingWinnow", "beta must be > 1 and finite", self.beta)
        floor = number("TrackingWinnow", "floor", self.floor)
        require(0.0 < floor < 1.0, "TrackingWinnow", "floor must be in (0, 1)", self.floor)

    def params(self) -> tuple[float, ...]:
        """theta, ln(beta) and ln(floor)."""
        return float(self.theta), math.log(self.beta), math.log(self.floor)

    @property
    def refuses(self) -> bool:
        """Negative features."""
        return True
