"""p-norm Perceptron: the Perceptron in a geometry that favours sparse targets.

    theta' = theta + y x   where m = y w.x <= 0,    w_i = sign(theta_i) |theta_i|^(p-1) / |theta|_p^(p-2)

Grove, Littlestone, Schuurmans. General convergence results for linear discriminant updates.
Machine Learning 43 (2001); Gentile. The robustness of the p-norm algorithms. Machine Learning 53
(2003). With |x|_p <= R and y u.x >= gamma, |u|_q = 1, 1/p + 1/q = 1: at most (p - 1) (R / gamma)^2
updates.
Differs from the paper: nothing. ``perceptron.step`` is the step on theta, ``linked`` the link
from theta to w. NORMA, ALMA and SelfTuningALMA with p > 2 have the same link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import jit
from driftline.internals.require import at_least
from driftline.rules.linear import perceptron
from driftline.rules.rule import Rule, above


@jit
def linked(theta: float, size: float, p: float) -> float:
    """Return w_i of one coordinate of theta; size = |theta|_p > 0. The ratio is at most 1."""
    ratio = (abs(theta) / size) ** (p - 1.0)
    return size * ratio if theta > 0.0 else -size * ratio


@dataclass(frozen=True)
class PNormPerceptron(Rule):
    """A Perceptron in the p-norm geometry, which favours sparse targets.

    Use it where few of many features decide the label.

    Parameters
    ----------
    p : float, default=4.0
        Norm of the geometry, >= 2. ``p=2`` is the Perceptron; about 2 ln(number of features)
        suits a target that depends on few of many features.
    """

    p: float = 4.0
    code: ClassVar[int] = perceptron.CODE
    bounds: ClassVar[tuple[str, ...]] = ("pnorm", "pnorm-separable", "pnorm-moving")
    paper: ClassVar[str] = "Grove, Littlestone, Schuurmans 2001"

    def check(self) -> None:
        """p >= 2."""
        at_least("PNormPerceptron", "p", self.p, 2.0)

    @property
    def norm(self) -> float:
        """p."""
        return float(self.p)

    @property
    def passive(self) -> float:
        """The smallest normal float above 0."""
        return above(0.0)
