"""Balanced Winnow: Winnow for weights of either sign, at threshold 0.

    w_i = 2 sinh(eta z_i),      z <- z + y x    where y w.x <= 0,      z = 0 at first

This is w+ - w-, with w+ and w- multiplied by e^(eta y x) and e^(-eta y x) on a mistake. Let
y u.x >= gamma, |u|_1 = 1, |x_i| <= X, n the number of features (the constant one counts) and H
the entropy of |u|:

    mistakes <= 2 X^2 (ln 2n - H) / gamma^2                   with eta = gamma / X^2
    mistakes <= (ln 2n - H) / (eta gamma - ln cosh(eta X))    with eta = artanh(gamma / X) / X

Both bounds grow only with the logarithm of n, so the rule suits targets that depend on few of very
many features.

Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988);
Grove, Littlestone, Schuurmans. General convergence results for linear discriminant updates.
Machine Learning 43 (2001).
Differs from the paper: only z is stored, so that no weight overflows. The score is
asinh(sum_i sinh(eta z_i) x_i), which has the sign of w.x and is finite. A sample weight multiplies
the step y x. The first bound allows for a hinge loss: 2 D is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asinh, copysign, exp, expm1, log
from typing import ClassVar

from driftline.internals.compiled import Floats, Indices, inlined, jit
from driftline.internals.require import number, require
from driftline.internals.weight_layout import FIRST
from driftline.rules.rule import Rule, above

STEEPEST = 1e100
"""The largest eta."""
FAR = 30.0
"""From here on asinh(e^t) equals t + ln 2 in floating point."""
LN_2 = 0.6931471805599453


@jit
def scaled_sinh(t: float, top: float) -> float:
    """Return sinh(t) e^-top, without overflow for |t| <= top or cancellation for small t."""
    size = abs(t)
    return copysign(0.5 * exp(size - top) * expm1(-2.0 * size), t)


@jit
def score(z: Floats, indices: Indices, x: Floats, bias: float, eta: float) -> float:
    """Return asinh(sum_i sinh(eta z_i) x_i); the constant feature has the value ``bias``.

    With top the largest eta |z_i| of the row, the sum is dot e^top, and its asinh follows from
    ln |dot| + top.
    """
    top = eta * abs(z[0]) if bias != 0.0 else 0.0
    for j in range(indices.size):
        if x[j] != 0.0:
            top = max(top, eta * abs(z[FIRST + indices[j]]))
    dot = bias * scaled_sinh(eta * z[0], top)
    for j in range(indices.size):
        if x[j] != 0.0:
            dot += x[j] * scaled_sinh(eta * z[FIRST + indices[j]], top)
    if dot == 0.0:
        return 0.0
    size = log(abs(dot)) + top
    return copysign(asinh(exp(size)) if size < FAR else size + LN_2, dot)


@inlined
def is_mistake(score: float, y: float) -> bool:
    """Whether y w.x <= 0."""
    return y * score <= 0.0


@inlined
def update(z: Floats, indices: Indices, x: Floats, bias: float, y: float, weight: float) -> None:
    """Add y x to z, times the sample weight."""
    step = weight * y
    z[0] += step * bias
    for j in range(indices.size):
        z[FIRST + indices[j]] += step * x[j]


@dataclass(frozen=True)
class BalancedWinnow(Rule):
    """For few relevant features among many, of either sign.

    Parameters
    ----------
    eta
        Learning rate, > 0. The best choice is the margin of the target, for features between -1
        and 1.
    """

    eta: float = 0.1
    engine: ClassVar[str] = "multiplicative.balanced_winnow:BalancedWinnowEngine"
    paper: ClassVar[str] = "Littlestone 1988"
    theorem: ClassVar[str] = "balancedwinnow"
    bounds: ClassVar[tuple[str, ...]] = (
        "balancedwinnow",
        "balancedwinnow-separable",
        "balancedwinnow-untuned",
        "winnow-or-perceptron",
    )
    single: ClassVar[bool] = False

    def check(self) -> None:
        """0 < eta <= 1e100."""
        good = 0.0 < number("BalancedWinnow", "eta", self.eta) <= STEEPEST
        require(good, "BalancedWinnow", f"eta must be > 0 and at most {STEEPEST:g}", self.eta)

    def params(self) -> tuple[float, ...]:
        """eta."""
        return (float(self.eta),)

    @property
    def passive(self) -> float:
        """Just above 0."""
        return above(0.0)
