"""Variable share: an expert gives away more the more it loses, and nothing while it is right.

    v'_i ~ v_i exp(-eta l_i),    kappa_i = (1 - alpha)^l_i,    S = sum_j (1 - kappa_j) v'_j
    v_i <- kappa_i v'_i + (S - (1 - kappa_i) v'_i) / (n - 1)

For losses of 0 and 1 and every sequence of experts that changes k times and loses L the learner loses at most, however
many rounds there are,

    (ln n + k (eta + ln((n - 1) / alpha)) + L (eta + ln(1 / (1 - alpha)))) / (1 - exp(-eta))

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), section 5.
Differs from the paper: nothing. alpha is at most (n - 1) / n; with one expert there is nothing to share. Shares may
become smaller than any float while the best expert is right, so their logarithms are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p
from typing import ClassVar

from driftline.compiled import Floats, jit
from driftline.rules.exponential_weights import least
from driftline.rules.fixed_share import FixedShare

KIND = 5
LOWEST = -1e305
"""Of a logarithm: sums of two are finite."""


@jit
def _normalise(v: Floats, g: Floats) -> None:
    """Make sum exp(g) = 1, and v = exp(g)."""
    top = g.max()
    total = 0.0
    for i in range(g.size):
        v[i] = exp(g[i] - top)
        total += v[i]
    norm = top + log(total)
    for i in range(g.size):
        g[i] -= norm
        v[i] /= total


@jit
def log_of_sum(a: float, b: float) -> float:
    """ln(e^a + e^b)."""
    high, low = max(a, b), min(a, b)
    return high if low == -inf else high + log1p(exp(low - high))


@jit
def update(v: Floats, g: Floats, loss: Floats, eta: float, alpha: float) -> None:
    """Weigh, then share; g are the logarithms of v. Uses up ``loss``."""
    n = v.size
    if n == 1:
        return
    keep = log1p(-min(alpha, (n - 1.0) / n))
    low = least(loss)
    for i in range(n):
        g[i] = max(g[i] - eta * (loss[i] - low), LOWEST)
    _normalise(v, g)
    top = -inf
    for i in range(n):  # g and v become what is kept, loss the logarithm of what is given away
        kept = keep * loss[i]
        loss[i] = g[i] + log(-expm1(kept)) if kept < 0.0 else -inf
        g[i] += kept
        v[i] *= exp(kept)
        top = max(top, loss[i])
    if top == -inf:
        return
    given = 0.0
    for i in range(n):
        loss[i] = exp(loss[i] - top)
        given += loss[i]
    for i in range(n):
        others = (given - loss[i]) / (n - 1.0)
        if others > 0.0:
            g[i] = log_of_sum(g[i], top + log(others))
            v[i] += others * exp(top)


@dataclass(frozen=True)
class VariableShare(FixedShare):
    """Rate ``eta`` > 0, and ``alpha`` in (0, 1): for a best expert that changes, and is all but perfect between.

    The best alpha is k / (k + L) for k changes and L errors of the best sequence. The default, 0.03, is thirty errors
    from one change to the next.
    """

    alpha: float = 0.03
    kind: ClassVar[int] = KIND
