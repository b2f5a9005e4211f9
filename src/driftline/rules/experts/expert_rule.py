"""What the rules of experts share: features are advice, weights are shares, and every round is learned from.

A round has one number z_i in [-1, 1] from every expert; 0 abstains. The learner answers with p = v.z / sum v, where
v >= 0, then meets the label y = -1 or +1, and expert i loses 1/2 |z_i - y| = (1 - y z_i) / 2. A sample weight
multiplies all losses of its round. How v follows from the losses is what the rules differ in: each has a compiled
``update``. v need not sum to 1, so that experts which are alike have equal weights of 1, and ties are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.rules.rule import Rule

# what a rule keeps beside shares and losses: its own loss, the rounds learned, and the two numbers that one rule each
# has need of
LOSS, ROUNDS, GAP, EPOCH = 0, 1, 2, 3


@dataclass(frozen=True)
class ExpertRule(Rule):
    """A rule whose examples are the advice of experts."""

    kind: ClassVar[int]
    """Its number among the rules of experts."""
    votes: ClassVar[bool] = False
    """Whether an expert has one vote, by the sign of its advice, and loses 1 where that is not y, else 0."""
    engine: ClassVar[str] = "experts.expert_engine:ExpertsEngine"
    single: ClassVar[bool] = False
    voting: ClassVar[bool] = True
    biased: ClassVar[bool] = False

    @property
    def refuses(self) -> bool:
        """Advice outside [-1, 1], and an expert that was not there at first, are refused."""
        return True
