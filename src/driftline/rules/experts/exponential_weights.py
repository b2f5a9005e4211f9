"""Exponentially weighted average: the weight of an expert falls exponentially with its loss.

    v_i ~ exp(-eta L_i),    p = v.z

For every expert i the learner loses at most (eta L_i + ln n) / (1 - exp(-eta)). Two schedules of
rates need no tuning:

    "anytime"    eta_t = sqrt(8 ln n / t) on all losses so far:
                 regret <= 2 sqrt(T ln n / 2) + sqrt(ln n / 8)
    "doubling"   epochs of 1, 2, 4, ... rounds; each starts over with eta = sqrt(8 ln n / rounds):
                 regret <= sqrt(2) / (sqrt(2) - 1) sqrt(T ln n / 2)

Vovk. Aggregating strategies. COLT 1990; Littlestone, Warmuth (1994); Cesa-Bianchi, Lugosi.
Prediction, Learning, and Games (2006), sections 2.2 and 2.3.
Differs from the paper: nothing. The smallest loss is subtracted from all losses before
exponentiation, so that the largest weight is 1 and cannot underflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import ClassVar, Literal

from driftline.internals.compiled import Floats, jit, leaf
from driftline.internals.numeric.scalar_exp import exp_of
from driftline.internals.require import one_of, positive, require
from driftline.rules.experts.expert_rule import EPOCH, ROUNDS, ExpertRule

KIND = 2
FIXED, ANYTIME, DOUBLING = 0.0, 1.0, 2.0
SCHEDULES = {"fixed": FIXED, "anytime": ANYTIME, "doubling": DOUBLING}
STEEPEST = 1e300
"""Upper limit of a rate: an infinite rate times a loss of 0 would be NaN."""


@leaf
def least(losses: Floats) -> float:
    """The smallest loss."""
    low = losses[0]
    for i in range(losses.size):
        low = losses[i] if losses[i] < low else low
    return low


@jit
def gibbs(v: Floats, losses: Floats, eta: float) -> None:
    """v_i = exp(-eta (losses_i - min losses)); for eta = inf, 1 for the smallest loss, else 0."""
    low = least(losses)
    if eta < inf:
        for i in range(v.size):
            v[i] = exp_of(-eta * (losses[i] - low))
    else:
        for i in range(v.size):
            v[i] = 1.0 if losses[i] == low else 0.0


@jit
def update(v: Floats, losses: Floats, epoch: Floats, own: Floats, loss: Floats, eta: float, schedule: float) -> None:
    """Compute the shares of the next round.

    ``losses`` are the total losses, with the ``loss`` of this round; ``epoch`` are the losses of
    the current epoch.
    """
    spread = 8.0 * log(v.size)
    if schedule == FIXED:
        gibbs(v, losses, eta)
    elif schedule == ANYTIME:
        gibbs(v, losses, sqrt(spread / (own[ROUNDS] + 1.0)))
    else:
        for i in range(v.size):
            epoch[i] += loss[i]
        if own[ROUNDS] + 1.0 >= 2.0 * own[EPOCH]:
            own[EPOCH] *= 2.0
            epoch[:] = 0.0
        gibbs(v, epoch, sqrt(spread / own[EPOCH]))


@dataclass(frozen=True)
class ExponentialWeights(ExpertRule):
    """A fixed rate ``eta`` > 0, or a ``schedule`` of rates: "anytime" (the default) or "doubling".

    Choose a fixed eta if the best expert is known to be good: with eta = 1 the learner loses at
    most 1.58 times the loss of the best expert plus 1.58 ln n. Choose eta = sqrt(8 ln n / T) if
    there will be T rounds. Otherwise set no eta. ``AdaHedge`` computes its rate from the losses.
    """

    eta: float | None = None
    schedule: Literal["fixed", "anytime", "doubling"] | None = None
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Vovk 1990"
    theorem: ClassVar[str] = "exponentialweights-known"
    bounds: ClassVar[tuple[str, ...]] = (
        "exponentialweights",
        "exponentialweights-known",
        "exponentialweights-anytime",
        "exponentialweights-doubling",
    )

    def check(self) -> None:
        """eta > 0 with "fixed", no eta with the others."""
        where = "ExponentialWeights"
        if self.eta is not None:
            positive(where, "eta", self.eta)
        if self.schedule is not None:
            one_of(where, "schedule", self.schedule, tuple(SCHEDULES))
            fixed = self.schedule == "fixed"
            what = f"eta must be {'a number' if fixed else 'None'} with schedule={self.schedule!r}"
            require(fixed == (self.eta is not None), where, what, self.eta)

    @property
    def tunable(self) -> bool:
        """Whether the rate is fixed: only then does the theorem apply."""
        return self.schedule in (None, "fixed")

    def params(self) -> tuple[float, ...]:
        """eta and the code of the schedule."""
        if self.eta is not None:
            return min(float(self.eta), STEEPEST), FIXED
        return 0.0, SCHEDULES[self.schedule or "anytime"]
