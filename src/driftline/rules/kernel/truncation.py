"""The error of dropping support vectors of a given age, for rules whose coefficients decay.

    NORMA       X^2 (1 - alpha lam)^age / lam
    ShrunkPA    X (beta + (1 + alpha) / r) (1 + alpha)^-age / alpha,    age in updates,
                |w| <= beta = (1 + alpha) / (r sqrt(alpha (2 + alpha)))

Each line is a bound on the difference between the full score and the score without the support
vectors of this age or older, if r <= |x| <= X. Both scores are sums over the same updates.

Kivinen, Smola, Williamson. Online learning with kernels. IEEE Trans. Signal Processing 52 (2004),
for NORMA.
Differs from the paper: the bound for ShrunkPA is not in it.
"""

from __future__ import annotations

import math

from driftline.rules.linear.norma import NORMA
from driftline.rules.linear.shrunk_pa import ShrunkPA


def truncation_error(rule: NORMA | ShrunkPA, age: int, longest: float = 1.0, shortest: float = 1.0) -> float:
    """A bound on the difference of scores with and without the support vectors of this age.

    Parameters
    ----------
    rule : NORMA or ShrunkPA
        The rule that makes the updates.
    age : int
        The age from which support vectors are dropped: in rounds, or in updates for ShrunkPA.
    longest, shortest : float
        The largest and the smallest |x|.

    Returns
    -------
    float
        The bound; infinite if the rule does not forget.

    Examples
    --------
    >>> truncation_error(NORMA(alpha=1.0, lam=0.5), 10)
    0.001953125
    """
    if isinstance(rule, NORMA):
        return longest**2 * (1.0 - rule.alpha * rule.lam) ** age / rule.lam if rule.lam > 0.0 else math.inf
    grown = 1.0 + rule.alpha
    if rule.alpha == 0.0:
        return math.inf
    size = grown / shortest * (1.0 + 1.0 / math.sqrt(rule.alpha * (2.0 + rule.alpha)))
    return float(longest * size * grown**-age / rule.alpha)


def age_of_error(rule: NORMA | ShrunkPA, epsilon: float) -> float:
    """The age, not rounded, at which the truncation error is ``epsilon`` for |x| = 1."""
    rate = -math.log1p(-rule.alpha * rule.lam) if isinstance(rule, NORMA) else math.log1p(rule.alpha)
    excess = math.log(truncation_error(rule, 0)) - math.log(epsilon)
    return excess / rate if rate > 0.0 else math.inf
