"""Fixed share: exponential weights; every expert gives a fraction to the others each round.

    v'_i ~ v_i exp(-eta l_i),      v_i <- (1 - alpha) v'_i + alpha / (n - 1) (1 - v'_i)

So no share falls below alpha / (n - 1), and no expert is ever lost. For every sequence of experts
that changes k times and loses L in T rounds, the learner loses at most

    (eta L + ln n + k ln((n - 1) / alpha) + (T - 1 - k) ln(1 / (1 - alpha))) / (1 - exp(-eta))

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998).
Differs from the paper: nothing in the update. Gentile's tutorial (2005) omits the shares in the
update, and ln n in the bound. alpha is limited to (n - 1) / n, at which all shares are equal. With
one expert nothing is shared. Shares are never below alpha / (n - 1), so the shares themselves are
stored and not their logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, jit, leaf
from driftline.internals.numeric.scalar_exp import exp_of
from driftline.internals.require import number, positive, require
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.rules.experts.exponential_weights import STEEPEST, least

KIND = 4
SMALLEST = 1e-100
"""Lower limit of alpha, so that no share underflows."""


@jit
def _weigh(v: Floats, loss: Floats, eta: float) -> None:
    """v_i *= exp(-eta (loss_i - min loss))."""
    low = least(loss)
    for i in range(v.size):
        v[i] *= exp_of(-eta * (loss[i] - low))


@leaf
def _share(v: Floats, alpha: float, gift: float) -> None:
    """Normalise v; every expert keeps 1 - alpha of its share and gets ``gift`` of the others'."""
    total = 0.0
    for i in range(v.size):
        total += v[i]
    kept = (1.0 - alpha - gift) / total
    for i in range(v.size):
        v[i] = kept * v[i] + gift


@jit
def update(v: Floats, loss: Floats, eta: float, alpha: float) -> None:
    """Multiply the shares by the exponential of the losses, then share."""
    n = v.size
    if n > 1:
        alpha = min(alpha, (n - 1.0) / n)
        _weigh(v, loss, eta)
        _share(v, alpha, alpha / (n - 1.0))


@dataclass(frozen=True)
class FixedShare(ExpertRule):
    """Rate ``eta`` > 0 and shared fraction ``alpha`` > 0. For a best expert that changes.

    The best alpha is the frequency of changes, k / (T - 1) for k changes in T rounds. The default,
    0.003, expects a change every 300 rounds. An alpha ten times too small costs at most
    ln 10 / (1 - exp(-eta)) of loss per change. Small rates suit experts that all err often. Both
    defaults were the best of a grid for committees of learners on streams that alternate between
    noise and abrupt changes.
    """

    eta: float = 0.5
    alpha: float = 0.003
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Herbster, Warmuth 1998"
    theorem: ClassVar[str] = "fixedshare"
    bounds: ClassVar[tuple[str, ...]] = ("fixedshare", "fixedshare-vote")

    def check(self) -> None:
        """eta > 0, 0 < alpha <= 1."""
        where = type(self).__name__
        positive(where, "eta", self.eta)
        alpha = number(where, "alpha", self.alpha)
        require(SMALLEST <= alpha <= 1.0, where, f"alpha must be >= {SMALLEST:g} and <= 1", self.alpha)

    def params(self) -> tuple[float, ...]:
        """eta, alpha."""
        return min(float(self.eta), STEEPEST), float(self.alpha)
