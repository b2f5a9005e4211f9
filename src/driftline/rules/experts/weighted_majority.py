"""Weighted majority: each error of an expert multiplies its vote by beta.

    score = sum_i v_i sgn(z_i),    v_i ~ beta^(errors of i)

For every expert i there are at most (ln(1/beta) L_i + ln n) / ln(2 / (1 + beta)) mistakes, L_i being its errors:
2.63 (L_i + ln n) for beta = 1/e, and about 2 L_i for beta near 1, which no deterministic vote can better.

Littlestone, Warmuth. The weighted majority algorithm. Information and Computation 108 (1994).
Differs from the paper: experts err on every round, not only where the vote is wrong. Advice may be any number of
[-1, 1]: an expert votes by its sign, 0 is no vote, and it errs unless its vote is y, so that the bound holds for
these too. beta = 0 is the vote of the experts with the fewest errors so far, hence Halving as long as one is perfect;
the limit beta -> 0 differs from it where these tie.
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
    """``beta`` in [0, 1): near 1 for experts that all err often, near 0 where one is all but perfect.

    The default, 1/e, is the middle: both constants of its bound are 2.63.
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
        """The rate at which errors count: ln(1 / beta)."""
        return (-log(self.beta) if self.beta > 0.0 else inf,)
