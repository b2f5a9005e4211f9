"""Variable share: an expert gives away more of its share the more it loses, and nothing at loss 0.

    v'_i ~ v_i exp(-eta l_i),    kappa_i = (1 - alpha)^l_i,    S = sum_j (1 - kappa_j) v'_j
    v_i <- kappa_i v'_i + (S - (1 - kappa_i) v'_i) / (n - 1)

For losses of 0 and 1, and every sequence of experts that changes k times and loses L, the learner
loses at most the following, for any number of rounds:

    (ln n + k (eta + ln((n - 1) / alpha)) + L (eta + ln(1 / (1 - alpha)))) / (1 - exp(-eta))

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), section 5.
Differs from the paper: nothing. alpha is limited to (n - 1) / n. With one expert nothing is
shared. While the best expert is right, the other shares may underflow, so the logarithms of the
shares are stored too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p
from typing import ClassVar

from driftline.internals.compiled import Floats, jit
from driftline.internals.numeric.scalar_exp import exp_of
from driftline.rules.experts.exponential_weights import least
from driftline.rules.experts.fixed_share import FixedShare

KIND = 5
LOWEST = -1e305
"""Lower limit of a logarithm, so that the sum of two is finite."""
TINY = 1e-290
"""The logarithm of a share above this limit is computed from the share."""


@jit
def _weigh(v: Floats, g: Floats, loss: Floats, eta: float) -> None:
    """g -= eta loss; normalise so that sum exp(g) = 1; v = exp(g)."""
    low = least(loss)
    for i in range(g.size):
        g[i] = max(g[i] - eta * (loss[i] - low), LOWEST)
    top = g.max()
    for i in range(g.size):
        v[i] = exp_of(g[i] - top)
    total = v.sum()
    for i in range(g.size):
        g[i] -= top + log(total)
        v[i] /= total


@jit
def _largest(g: Floats, loss: Floats) -> float:
    """The largest g of the experts with a loss."""
    top = -inf
    for i in range(g.size):
        if loss[i] > 0.0 and g[i] > top:
            top = g[i]
    return top


@jit
def _give(v: Floats, g: Floats, loss: Floats, top: float, alpha: float) -> float:
    """Reduce v and g to the kept shares; return the sum of the shares given away.

    ``loss`` is overwritten with the share that each expert gives away. Both are in units of e^top.
    """
    slope = log1p(-alpha)
    last, kept, gone = 0.0, 1.0, 0.0
    given = 0.0
    for i in range(v.size):
        if loss[i] != last:
            last = loss[i]
            kept, gone = exp(slope * last), -expm1(slope * last)
        loss[i] = gone * exp_of(min(g[i] - top, 0.0))
        given += loss[i]
        g[i] += slope * last
        v[i] *= kept
    return given


@jit
def _take(v: Floats, g: Floats, loss: Floats, top: float, given: float) -> None:
    """Add to v and g the shares received from the other experts."""
    unit = exp(top)
    for i in range(v.size):
        others = max(given - loss[i], 0.0) / (v.size - 1.0)
        v[i] += others * unit
        if v[i] > TINY:
            g[i] = log(v[i])
        elif others > 0.0:
            high, low = max(g[i], top + log(others)), min(g[i], top + log(others))
            g[i] = high + log1p(exp(low - high))


@jit
def update(v: Floats, g: Floats, loss: Floats, eta: float, alpha: float) -> None:
    """Multiply by the exponential of the losses, then share; g = ln v. Overwrites ``loss``."""
    n = v.size
    if n == 1:
        return
    _weigh(v, g, loss, eta)
    top = _largest(g, loss)
    if top > -inf:
        _take(v, g, loss, top, _give(v, g, loss, top, min(alpha, (n - 1.0) / n)))


@dataclass(frozen=True)
class VariableShare(FixedShare):
    """Rate ``eta`` > 0 and ``alpha`` in (0, 1). For a nearly perfect best expert that changes.

    The best alpha is k / (k + L) for k changes and L errors of the best sequence. The default,
    0.03, expects about thirty errors between two changes.
    """

    alpha: float = 0.03
    kind: ClassVar[int] = KIND
    theorem: ClassVar[str] = "variableshare"
    bounds: ClassVar[tuple[str, ...]] = ("variableshare",)
