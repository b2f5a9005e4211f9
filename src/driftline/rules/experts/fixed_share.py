"""Fixed share: exponential weights of which every expert gives away a part on every round, so that none is ever lost.

    v'_i ~ v_i exp(-eta l_i),      v_i <- (1 - alpha) v'_i + alpha / (n - 1) (1 - v'_i)

For every sequence of experts that changes k times and loses L in T rounds the learner loses at most

    (eta L + ln n + k ln((n - 1) / alpha) + (T - 1 - k) ln(1 / (1 - alpha))) / (1 - exp(-eta))

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998).
Differs from the paper: the update is that of the paper; Gentile's tutorial (2005) forgets the shares in it, and ln n in
the bound. alpha is at most (n - 1) / n, where all shares are alike; with one expert there is nothing to share.
Shares are never below alpha / (n - 1), so they are kept as they are and not as logarithms.
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
"""Of alpha: no share underflows then."""


@jit
def _weigh(v: Floats, loss: Floats, eta: float) -> None:
    """v *= exp(-eta (loss - the smallest))."""
    low = least(loss)
    for i in range(v.size):
        v[i] *= exp_of(-eta * (loss[i] - low))


@leaf
def _share(v: Floats, alpha: float, gift: float) -> None:
    """Of the whole every expert keeps what it does not give away, and gets what the others give."""
    total = 0.0
    for i in range(v.size):
        total += v[i]
    kept = (1.0 - alpha - gift) / total
    for i in range(v.size):
        v[i] = kept * v[i] + gift


@jit
def update(v: Floats, loss: Floats, eta: float, alpha: float) -> None:
    """Weigh, then share."""
    n = v.size
    if n > 1:
        alpha = min(alpha, (n - 1.0) / n)
        _weigh(v, loss, eta)
        _share(v, alpha, alpha / (n - 1.0))


@dataclass(frozen=True)
class FixedShare(ExpertRule):
    """Rate ``eta`` > 0, and the part ``alpha`` > 0 that is given away: for a best expert that changes.

    alpha is how often it changes: k / (T - 1) for k changes in T rounds is the best. The default, 0.003, is a change in
    300 rounds; ten times too small costs at most ln 10 / (1 - exp(-eta)) of loss a change. Small rates suit experts
    that all err often: eta = 0.5 halves a share in three errors more than others make. Both were the best of a grid for
    committees of learners on streams that are noisy and jumpy in turns.
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
