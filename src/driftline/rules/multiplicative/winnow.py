"""Winnow: positive weights, multiplied up on a false negative and down on a false positive.

    predict 1 iff  w.x >= theta;      w_i <- w_i beta^(+x_i)   where y = 1 was taken for 0
                                      w_i <- w_i beta^(-x_i)   where y = 0 was taken for 1

It needs few mistakes where few of many features matter. Let mu >= 0 with mu.x >= 1 on positives and mu.x <= 1 - delta
on negatives, U = sum mu, 1 < beta < 1 / (1 - delta). For n features of 0 and 1, theta >= 1 and beta = 1 + delta / 2:

    mistakes <= 8 n / (delta^2 theta) + (4 / delta + 8 ln(theta) / delta^2) U

so theta should be about n over the number of features that matter. For features between 0 and 1 there is a bound of
the same order; above 1 there is none.

Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988).
Differs from the paper: fractional features; weights are kept as logarithms, so that none overflows. The score is
(w.x - theta) / (w.x + theta) = tanh((ln w.x - ln theta) / 2). A score of 0 is the label 1: it is no false negative, and
nothing is learned. The lecture's theorem, in which the target's threshold is theta itself, is false: a target at
threshold theta with gap delta is one at threshold 1 with gap delta / theta, and needs beta = 1 + delta / (2 theta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.require import number, positive, require
from driftline.rules.rule import Rule


@dataclass(frozen=True)
class Winnow(Rule):
    """Threshold ``theta`` > 0 and factor ``beta`` > 1; features must not be negative."""

    theta: float = 1.0
    beta: float = 1.5
    engine: ClassVar[str] = "multiplicative.winnow:WinnowEngine"
    paper: ClassVar[str] = "Littlestone 1988"
    theorem: ClassVar[str] = "winnow"
    single: ClassVar[bool] = False
    signed: ClassVar[bool] = False

    def check(self) -> None:
        """theta > 0, beta > 1."""
        positive("Winnow", "theta", self.theta)
        beta = number("Winnow", "beta", self.beta)
        require(1.0 < beta < math.inf, "Winnow", "beta must be > 1 and finite", self.beta)

    def params(self) -> tuple[float, ...]:
        """theta and ln(beta)."""
        return float(self.theta), math.log(self.beta)

    @property
    def refuses(self) -> bool:
        """Negative features."""
        return True
