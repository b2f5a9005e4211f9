"""Upper confidence limits on the risk of hypotheses, from losses on independent examples of one distribution.

The first four concern one hypothesis that was fixed before it saw s examples with total loss ``loss``, each loss in
[0, 1]. Its risk is at most the limit with probability 1 - delta. For the best of several hypotheses, divide delta by
their number. With p = loss / s and L = ln(1 / delta):

    hoeffding         p + sqrt(L / 2s)
    chernoff          p + L/s + sqrt((L/s)^2 + 2 p L/s)
    kl_inverse        the largest q with s kl(p || q) <= L,   kl(p || q) = p ln(p/q) + (1-p) ln((1-p)/(1-q))
    clopper_pearson   the q at which a binomial(s, q) is <= loss with probability delta; for losses 0 and 1 only

``mean_risk`` and ``reservoir_risk`` concern all hypotheses of a run together. A limit above 1 is vacuous. Losses,
examples and delta may be arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats

STEPS = 60


def hoeffding(loss: Any, s: Any, delta: Any) -> Any:
    """Hoeffding's inequality."""
    return np.divide(loss, s) + np.sqrt(np.log(1.0 / delta) / (2.0 * np.asarray(s)))


def chernoff(loss: Any, s: Any, delta: Any) -> Any:
    """The lower multiplicative Chernoff inequality: of order L/s where there are no errors."""
    p, slack = np.divide(loss, s), np.log(1.0 / delta) / np.asarray(s)
    return p + slack + np.sqrt(slack**2 + 2.0 * p * slack)


def kl_inverse(loss: Any, s: Any, delta: Any) -> Any:
    """Chernoff's inequality in its exact form, tighter than the two above; found by bisection from above."""
    p, slack = np.divide(loss, s), np.log(1.0 / delta) / np.asarray(s)
    low, high = np.broadcast_arrays(p, 1.0 + 0.0 * slack)
    for _ in range(STEPS):
        q = (low + high) / 2.0
        inside = _kl(p, q) <= slack
        low, high = np.where(inside, q, low), np.where(inside, high, q)
    return high[()]


def _kl(p: Floats, q: Floats) -> Floats:
    """kl(p || q), for p <= q < 1 or p = q = 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(p > 0.0, p * np.log(p / q), 0.0)
        return errors + np.where(p < 1.0, (1.0 - p) * (np.log1p(-p) - np.log1p(-q)), 0.0)


def clopper_pearson(loss: Any, s: Any, delta: Any) -> Any:
    """The exact limit for a count of errors."""
    from scipy.special import betainccinv  # slow to import

    right = np.asarray(s) - loss
    return np.where(right > 0, betainccinv(np.add(loss, 1.0), np.where(right > 0, right, 1.0), delta), 1.0)[()]


def mean_risk(loss: float, T: int, delta: float) -> float:
    """Limit on the mean risk of the T hypotheses of a run with total loss ``loss``, each judged on the next example.

        x / T,    x - k - k ln(x/k) = ln((k+1)(k+2) / delta),  x >= k,    k = loss rounded up

    This is at most k/T + L/T + sqrt((L/T)^2 + 2 k/T L/T), where L is that logarithm. Each hypothesis may depend on all
    examples before the one it is judged on.
    """
    from scipy.special import lambertw  # slow to import

    k = math.ceil(loss)
    L = math.log((k + 1) * (k + 2) / delta)
    return (-k * float(lambertw(-math.exp(-1.0 - L / k), -1).real) if k else L) / T


def reservoir_risk(loss: float, T: int, delta: float, rests: Floats) -> float:
    """Limit for the hypothesis with the least error + sqrt(ln(6T/delta) / 2s) among rounds drawn at random.

    ``rests`` holds the number s of examples after each of these rounds. The limit follows from the losses of the run,
    before any hypothesis is evaluated.
    """
    penalties = np.sqrt(math.log(6.0 * T / delta) / (2.0 * rests))
    drawn = math.sqrt(math.log(3.0 / delta) / (2.0 * len(rests)))
    return mean_risk(loss, T, delta / 3.0) + drawn + 2.0 * float(np.mean(penalties))


CERTIFICATES = {
    "kl": kl_inverse,
    "clopper-pearson": clopper_pearson,
    "chernoff": chernoff,
    "hoeffding": hoeffding,
}
"""Limits on the risk of one hypothesis, by name."""
