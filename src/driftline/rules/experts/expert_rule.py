"""Base class of the rules over experts: features are advice, weights are shares of the experts.

In a round every expert i gives one number z_i in [-1, 1]; 0 means that it abstains. The learner
predicts p = v.z / sum v, where v >= 0. Then it receives the label y = -1 or +1, and expert i loses
1/2 |z_i - y| = (1 - y z_i) / 2. A sample weight multiplies all losses of its round. Every round is
learned from. The rules differ in how v follows from the losses: each has a compiled ``update``. v
need not sum to 1, so experts with equal losses have equal weights of 1, and ties are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.rules.rule import Rule

# positions in the array ``own``: the loss of the learner, the number of rounds learned, the
# mixability gap (AdaHedge) and the length of the epoch (ExponentialWeights)
LOSS, ROUNDS, GAP, EPOCH = 0, 1, 2, 3


@dataclass(frozen=True)
class ExpertRule(Rule):
    """A rule that takes the advice of experts as examples."""

    kind: ClassVar[int]
    """The code of the rule among the rules over experts."""
    votes: ClassVar[bool] = False
    """Whether an expert votes with the sign of its advice and loses 1 unless its vote is y."""
    engine: ClassVar[str] = "experts.expert_engine:ExpertsEngine"
    single: ClassVar[bool] = False
    voting: ClassVar[bool] = True
    biased: ClassVar[bool] = False

    @property
    def refuses(self) -> bool:
        """True: advice outside [-1, 1] and experts missing from the first example are refused."""
        return True
