"""Ellipsoid learner: keep an ellipsoid around all weights that are consistent, predict by its centre, cut it in two.

    E = {c + J u : |u| <= 1},    c = 0, J = I at first;    on y c.x <= 0, with d dimensions:
    v = -y J'x,  e = v / |v|,  g = J e,  a = -y c.x / |v|                      (the depth of the cut)
    c <- c - (1 + d a) / (d + 1) g
    J <- sqrt(d^2 / (d^2 - 1) (1 - a^2)) (J - (1 - sqrt(1 - s)) g e'),    s = 2 (1 + d a) / ((d + 1) (1 + a))

The least ellipsoid around what the example leaves over; d = 1: c <- c - (1 + a) / 2 g, J <- (1 - a) / 2 J. If
y u.x >= gamma with |u| = 1 and |x| <= R there are at most 2 d (d + 1) ln(1 + R / gamma) updates: the margin counts by
its logarithm only. O(d^2) an update, d^2 floats. It neither needs nor uses gamma and R.

Yudin, Nemirovskii (1976); Shor (1977). As a learner: Maass, Turan. How fast can a threshold gate learn? In:
Computational Learning Theory and Natural Learning Systems (1994).
Differs from the papers: deep cuts, and J with J J' = P instead of P, so that P stays positive definite. d is the number
of the last feature that was not zero in an update, and the constant one. Where new ones come after a cut, the
ellipsoid becomes the least one around the product of itself and their unit ball: the bound then pays ln(volume) for
that, too. No bound holds with wrong labels: an example that leaves nothing (a >= 1), or no margin of 1e-12 |x|, is
counted as infeasible, and ignored, or everything starts anew with the next one. With "ignore" nothing is learned any
more once the ellipsoid is that flat. Sample weights have no effect, but 0 only tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.require import one_of, whole
from driftline.rules.rule import Rule, above

Inconsistent = Literal["ignore", "restart"]
INCONSISTENT = ("ignore", "restart")


@dataclass(frozen=True)
class EllipsoidLearner(Rule):
    """For up to ``most`` dimensions and clean labels; ``inconsistent`` says what to do about an impossible example."""

    inconsistent: Inconsistent = "ignore"
    most: int = 2000
    engine: ClassVar[str] = "consistent.ellipsoid:EllipsoidEngine"
    paper: ClassVar[str] = "Maass, Turan 1994"
    single: ClassVar[bool] = False

    def check(self) -> None:
        """A known policy, most >= 1."""
        one_of("EllipsoidLearner", "inconsistent", self.inconsistent, INCONSISTENT)
        whole("EllipsoidLearner", "most", self.most, 1)

    @property
    def passive(self) -> float:
        """Just above 0."""
        return above(0.0)

    @property
    def refuses(self) -> bool:
        """More dimensions than it has room for."""
        return True
