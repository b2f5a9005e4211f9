"""Winnow: positive weights, multiplied on a false negative and divided on a false positive.

    predict 1 iff  w.x >= theta,                    w = (1, ..., 1) at first
    w_i <- w_i beta^(y x_i)    on a mistake,        y = +1 for the label 1 and -1 for the label 0

Winnow makes few mistakes when few of many features matter. Let mu >= 0 with mu.x >= 1 on
positives and mu.x <= 1 - delta on negatives, U = sum mu, 1 < beta < 1 / (1 - delta). For n
features of 0 and 1, theta >= 1 and beta = 1 + delta / 2:

    mistakes <= 8 n / (delta^2 theta) + (4 / delta + 8 ln(theta) / delta^2) U

So theta should be about n over the number of features that matter. For features between 0 and 1
there is a bound of the same order. For features above 1 there is none.

Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988).
Differs from the paper: features may be fractions. A sample weight multiplies the exponent y x_i.
The update is written for log_w = ln w, so that no weight overflows:

    log_w_i <- log_w_i + y x_i log_beta

The score is (w.x - theta) / (w.x + theta) = tanh((ln w.x - ln theta) / 2). A score of 0 predicts
the label 1, so it is not a false negative and changes nothing. The lecture's theorem, in which
the target's threshold is theta itself, is false: a target at threshold theta with gap delta is
one at threshold 1 with gap delta / theta, and needs beta = 1 + delta / (2 theta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import exp
from typing import ClassVar

from driftline.internals.compiled import Floats, Indices, inlined, jit
from driftline.internals.require import number, positive, require
from driftline.internals.weight_layout import FIRST
from driftline.rules.rule import Rule


@jit
def score(log_w: Floats, indices: Indices, x: Floats, bias: float, theta: float) -> float:
    """Return (w.x - theta) / (w.x + theta); the constant feature has the value ``bias``.

    Both w.x and theta are divided by e^top, where top is the largest log_w_i of the row or 0, so
    that neither overflows.
    """
    top = max(0.0, log_w[0]) if bias != 0.0 else 0.0
    for j in range(indices.size):
        if x[j] != 0.0:
            top = max(top, log_w[FIRST + indices[j]])
    dot = bias * exp(log_w[0] - top)
    for j in range(indices.size):
        if x[j] != 0.0:
            dot += x[j] * exp(log_w[FIRST + indices[j]] - top)
    if dot == 0.0:
        return -1.0
    threshold = theta * exp(-top)
    return (dot - threshold) / (dot + threshold)


@inlined
def is_mistake(score: float, y: float) -> bool:
    """Whether the predicted label is not y; a score of 0 predicts +1."""
    return (score >= 0.0) != (y > 0.0)


@inlined
def update(log_w: Floats, indices: Indices, x: Floats, bias: float, y: float, weight: float, log_beta: float) -> None:
    """Multiply each w_i by beta^(y x_i): log_w_i <- log_w_i + weight y x_i log_beta."""
    step = weight * y * log_beta
    log_w[0] += step * bias
    for j in range(indices.size):
        log_w[FIRST + indices[j]] += step * x[j]


@dataclass(frozen=True)
class Winnow(Rule):
    """For few relevant features among many; features must not be negative.

    Parameters
    ----------
    theta
        The threshold that w.x is compared with, > 0.
    beta
        The factor of an update, > 1.
    """

    theta: float = 1.0
    beta: float = 1.5
    engine: ClassVar[str] = "multiplicative.winnow:WinnowEngine"
    paper: ClassVar[str] = "Littlestone 1988"
    theorem: ClassVar[str] = "winnow"
    bounds: ClassVar[tuple[str, ...]] = ("winnow", "winnow-binary", "winnow-best")
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
