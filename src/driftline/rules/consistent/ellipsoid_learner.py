"""Ellipsoid learner: predict by the centre of an ellipsoid around all consistent weights.

    E = {c + J u : |u| <= 1},    c = 0 and J = I at first

    On a mistake, m = y c.x <= 0, in d dimensions:
    v = -y J'x,  e = v / |v|,  g = J e,  a = -m / |v|               (a is the depth of the cut)
    c <- c - (1 + d a) / (d + 1) g
    J <- sqrt(d^2 / (d^2 - 1) (1 - a^2)) (J - (1 - sqrt(1 - s)) g e')
    with s = 2 (1 + d a) / ((d + 1) (1 + a))

The new E is the smallest ellipsoid around {w in E : y w.x >= 0}. For d = 1 it is an interval:
c <- c - (1 + a) / 2 g, J <- (1 - a) / 2 J. If y u.x >= gamma with |u| = 1 and |x| <= R, there
are at most 2 d (d + 1) ln(1 + R / gamma) updates: only the logarithm of the margin counts. An
update takes O(d^2) time; J takes d^2 floats. The learner neither needs nor uses gamma and R.

Yudin, Nemirovskii (1976); Shor (1977). As a learner: Maass, Turan. How fast can a threshold gate
learn? In: Computational Learning Theory and Natural Learning Systems (1994).
Differs from the paper: the cuts are deep, and J with J J' = P is stored instead of P, so that P
stays positive definite. d counts the constant feature, and the features up to the last one that
was not zero in an update. When features are added after a cut, E becomes the smallest ellipsoid
around the product of E and their unit ball; the bound then grows by the logarithm of the added
volume. No bound holds with wrong labels. An example is infeasible if it leaves no weights
(a >= 1) or no margin of 1e-12 |x|. With "ignore" it is skipped, and nothing more is learned once
E is that flat; with "restart" the next mistake starts again from the unit ball. A sample weight
has no effect, except that an example of weight 0 is only scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar, Literal

import numpy as np

from driftline.internals.compiled import Floats, Indices, jit
from driftline.internals.require import one_of, whole
from driftline.rules.rule import Rule, above

Inconsistent = Literal["ignore", "restart"]
INCONSISTENT = ("ignore", "restart")
FLAT = 1e-12
"""A margin of gamma |x| leaves a ball of radius about gamma in E: a flatter E has no margin."""


@jit
def length(x: Floats) -> float:
    """|x|."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j]
    return sqrt(total)


@jit
def update(c: Floats, J: Floats, places: Indices, x: Floats, m: float, y: float) -> bool:
    """Replace E by the smallest ellipsoid around {w in E : y w.x >= 0}; False if infeasible.

    The example has the values ``x`` at the coordinates ``places`` and is 0 elsewhere; m = y c.x.
    An infeasible example changes nothing.
    """
    d = J.shape[0]
    e = np.zeros(d)
    for k in range(places.size):
        for j in range(d):
            e[j] -= y * x[k] * J[places[k], j]
    v_length = length(e)
    if not FLAT * length(x) < v_length < inf:
        return False
    a = max(0.0, -m / v_length)
    if not a < 1.0 - 1e-12:
        return False
    shift = (1.0 + d * a) / (d + 1.0)
    if d == 1:
        squeeze, stretch = 0.0, 0.5 * (1.0 - a)
    else:
        s = 2.0 * shift / (1.0 + a)
        squeeze = 1.0 - sqrt(max(0.0, 1.0 - s))
        stretch = sqrt(d * d / (d * d - 1.0) * (1.0 - a * a))
    for j in range(d):
        e[j] /= v_length
    for i in range(d):
        g = 0.0
        for j in range(d):
            g += J[i, j] * e[j]
        for j in range(d):
            J[i, j] = stretch * (J[i, j] - squeeze * g * e[j])
        c[i] -= shift * g
    return True


def extended(J: Floats, d: int) -> Floats:
    """Return J in at least d dimensions.

    The unit ball becomes the larger unit ball. Any other E becomes the smallest ellipsoid around
    the product of E and the unit ball of the new dimensions.
    """
    old = J.shape[0]
    new = d - old
    if new <= 0:
        return J
    wide = np.eye(d)
    if not np.array_equal(J, np.eye(old)):
        wide[:old, :old] = sqrt(d / old) * J
        wide[old:, old:] *= sqrt(d / new)
    return wide


@dataclass(frozen=True)
class EllipsoidLearner(Rule):
    """For clean labels, few dimensions and small margins.

    Parameters
    ----------
    inconsistent
        What to do on an infeasible example: ``"ignore"`` it, or ``"restart"`` from the unit ball.
    most
        The largest number of dimensions, >= 1. An update of more dimensions is refused.
    """

    inconsistent: Inconsistent = "ignore"
    most: int = 2000
    engine: ClassVar[str] = "consistent.ellipsoid:EllipsoidEngine"
    paper: ClassVar[str] = "Maass, Turan 1994"
    single: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("ellipsoid",)

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
        """Examples of more than ``most`` dimensions."""
        return True
