"""Weighted majority: each error of an expert multiplies its vote by beta.

    score = sum_i v_i sgn(z_i),    v_i ~ beta^(errors of i)

For every expert i there are at most (ln(1/beta) L_i + ln n) / ln(2 / (1 + beta)) mistakes, where
L_i counts its errors. This is 2.63 (L_i + ln n) for beta = 1/e, and about 2 L_i for beta near 1;
no deterministic vote has a better factor than 2.

Littlestone, Warmuth. The weighted majority algorithm. Information and Computation 108 (1994).
Differs from the paper: errors of experts count in every round, not only if the vote is wrong.
Advice may be any number in [-1, 1]. An expert votes with the sign of its advice; 0 is no vote. It
errs unless its vote is y, so the bound holds for such advice too. beta = 0 is the vote of the
experts with the fewest errors so far. It equals Halving as long as one expert is perfect. The
limit beta -> 0 differs from beta = 0 if this vote is a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar

from driftline.internals.compiled import Floats, jit
from driftline.internals.require import number, require
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.rules.experts.exponential_weights import gibbs

KIND = 1


@jit
def update(v: Floats, losses: Floats, rate: float) -> None:
    """v_i ~ beta^(errors of i); ``losses`` are the errors so far, ``rate`` is ln(1 / beta)."""
    gibbs(v, losses, rate)


@dataclass(frozen=True)
class WeightedMajority(ExpertRule):
    """``beta`` in [0, 1): near 1 if all experts err often, near 0 if one is almost perfect.

    The default, 1/e, is a compromise: both constants of its bound are 2.63.
    """

    beta: float = exp(-1.0)
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Littlestone, Warmuth 1994"
    votes: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("weightedmajority", "halving")

    def check(self) -> None:
        """0 <= beta < 1."""
        beta = number("WeightedMajority", "beta", self.beta)
        require(0.0 <= beta < 1.0, "WeightedMajority", "beta must be >= 0 and < 1", self.beta)

    def params(self) -> tuple[float, ...]:
        """The learning rate, ln(1 / beta)."""
        return (-log(self.beta) if self.beta > 0.0 else inf,)
