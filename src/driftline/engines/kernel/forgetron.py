"""The Forgetron's shrinkage: as little as leaves the damage of dropping the oldest support vector within its limit."""

from __future__ import annotations

from math import sqrt

from driftline.engines.kernel.expansion_state import DAMAGE, MISTAKES
from driftline.internals.compiled import Floats, jit

SHARE = 15.0 / 32.0


@jit
def shrinkage(book: Floats, coefficient: float, score: float) -> float:
    """The largest phi <= 1 with Psi(phi) <= 15/32 M - Q, whose Psi is added to Q; score is w.x of the oldest.

    Psi(phi) = (a^2 - 2 a mu) phi^2 + 2 a phi, with a = |coefficient| and mu = y score. It is 0 at phi = 0, so if it is
    too large at 1, the first root is the largest phi: also where Psi is concave, the second one then is above 1.
    """
    a = abs(coefficient)
    bend = a * a - 2.0 * coefficient * score
    left = SHARE * book[MISTAKES] - book[DAMAGE]
    phi = 1.0
    if bend + 2.0 * a > left:
        phi = min(1.0, max(0.0, left) / (a + sqrt(max(0.0, a * a + bend * left))))
    book[DAMAGE] += (bend * phi + 2.0 * a) * phi
    return phi
