"""The aggregating algorithm for square loss: exponential weights with a substitution function.

    v_i ~ exp(-eta L_i),    L_i = sum (z_i - y)^2,    eta = 1 / (2 B^2)
    p = (g(-B) - g(B)) / (4 B),    g(y) = -1/eta ln sum_i v_i exp(-eta (z_i - y)^2)

For every expert the learner loses at most L_i + 2 B^2 ln n: a quarter of the regret of the mean.

Vovk. Aggregating strategies. COLT 1990; Vovk. Competitive on-line statistics. International
Statistical Review 69 (2001).
Differs from the paper: nothing. The smallest loss is subtracted from all losses before
exponentiation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

from driftline.internals.compiled import Floats, leaf
from driftline.rules.experts.outcome_rule import SUBSTITUTION, OutcomeRule


@leaf
def substitution(v: Floats, z: Floats, eta: float, B: float) -> float:
    """(g(-B) - g(B)) / (4 B). The sum of v cancels, and no exponent is below -4 eta B^2 >= -2."""
    low = 0.0
    high = 0.0
    for i in range(v.size):
        low += v[i] * exp(-eta * (z[i] + B) * (z[i] + B))
        high += v[i] * exp(-eta * (z[i] - B) * (z[i] - B))
    return min(B, max(-B, (log(high) - log(low)) / (4.0 * eta * B)))


@dataclass(frozen=True)
class AggregatingExperts(OutcomeRule):
    """``eta``, the rate, > 0 and <= 1 / (2 B^2), the default. ``B`` > 0, the largest |prediction|
    and |outcome|.
    """

    predicts: ClassVar[float] = SUBSTITUTION
    paper: ClassVar[str] = "Vovk 1990"
    bounds: ClassVar[tuple[str, ...]] = ("aggregatingexperts",)
