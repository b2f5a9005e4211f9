"""AdaHedge: exponential weights with a learning rate computed from their regret so far.

    v_i ~ exp(-eta L_i),    eta = ln n / Delta,    h = v.l,    m = -(1/eta) ln sum_i v_i exp(-eta l_i)
    Delta += max(0, h - m)

h is the loss of a round and m its mix loss. Delta is the sum of the mixability gaps h - m. While
Delta = 0 the rate is infinite: the experts with the smallest loss have equal shares, and m is the
increase of the smallest loss. With L the loss of the best expert and B = 1 + 2 ln n:
regret <= 2 Delta <= min(1 + sqrt(1 + T ln n), B + sqrt(B^2 + 4 L ln n)).

Erven, Gruenwald, Koolen, de Rooij. Adaptive Hedge. NIPS 2011; de Rooij et al. Follow the leader
if you can, hedge if you must. JMLR 15 (2014), section 2.
Differs from the paper: the constants of the bound are for losses in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import ClassVar

from driftline.internals.compiled import Floats, jit, leaf
from driftline.rules.experts.expert_rule import GAP, ExpertRule
from driftline.rules.experts.exponential_weights import STEEPEST, gibbs, least

KIND = 3


@leaf
def _suffer(v: Floats, losses: Floats, loss: Floats) -> tuple[float, float]:
    """Add the losses of a round to ``losses``; return v.loss and the sum of v."""
    dot = 0.0
    total = 0.0
    for i in range(v.size):
        dot += v[i] * loss[i]
        total += v[i]
        losses[i] += loss[i]
    return dot, total


@jit
def rate(gap: float, n: int) -> float:
    """The learning rate eta; infinite while the gap is 0."""
    return min(log(n) / gap, STEEPEST) if gap > 0.0 else inf


@jit
def update(v: Floats, losses: Floats, own: Floats, loss: Floats) -> None:
    """Add the losses and the mixability gap of a round, then compute the shares of the next."""
    if v.size == 1:
        losses[0] += loss[0]
        return
    eta = rate(own[GAP], v.size)
    before = least(losses)
    dot, total = _suffer(v, losses, loss)
    mix = least(losses) - before
    if eta < inf:
        gibbs(v, losses, eta)
        mix -= log(v.sum() / total) / eta
    own[GAP] += max(0.0, dot / total - mix)
    gibbs(v, losses, rate(own[GAP], v.size))


@dataclass(frozen=True)
class AdaHedge(ExpertRule):
    """No parameters. Nearly as good as the best fixed rate, on easy and on hard sequences."""

    kind: ClassVar[int] = KIND
    bounds: ClassVar[tuple[str, ...]] = ("adahedge",)
    paper: ClassVar[str] = "de Rooij et al. 2014"

    def check(self) -> None:
        """Do nothing: the rule has no parameters."""
