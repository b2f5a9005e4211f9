"""A committee: several learners that all learn, and experts' weights that combine their votes.

    parts   ``learners`` k = 1, ..., K, and the rule of experts ``combine`` with its shares v_k
    input   an example x; then its label y = -1 or +1 and its sample weight c

    s_k = score of learner k for x               before any part has seen y
    z_k = +1 if s_k >= 0 else -1                 the advice, ``advice="sign"``
    z_k = max(-1, min(1, s_k))                   the advice, ``advice="score"``
    p   = sum_k v_k z_k / sum_k v_k              the score of the committee; Halving and
                                                 WeightedMajority have sgn(z_k) for z_k
    learner k learns (x, y, c)                   as it would by itself
    ``combine`` learns (z, y, c)                 by the losses c (1 - y z_k) / 2

The learners never see the advice, and ``combine`` never sees x. The advice is given before the
example is learned, so the bounds of ``combine`` hold with the mistakes of the learners as losses.
With fixed share the committee is nearly as good as the best sequence of learners with few
changes, which may be better than every single learner. An example that one part refuses is
refused, and nothing is learned from it.

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), with learners as experts.
Differs from the paper: the experts learn, which its bounds allow. A score of 0 is advice of +1,
which is the label shown for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.require import one_of, require
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.rules.experts.fixed_share import FixedShare
from driftline.rules.experts.halving import Halving
from driftline.rules.linear.norma import NORMA
from driftline.rules.linear.pa1 import PA1
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.rule import Rule, classifies

ADVICE = ("sign", "score")
MEMBERS = Perceptron(), PA1(), NORMA()
SHARES = FixedShare()


@dataclass(frozen=True)
class Committee(Rule):
    """Rules ``learners``, the rule ``combine`` over experts, and ``advice``, "sign" or "score".

    Choose learners that are good at different times: with short and long memory, with small and
    large steps. Signs are the default, because the scores of different rules have different
    scales, and advice near 0 has no effect.
    """

    learners: tuple[Rule, ...] = MEMBERS
    combine: ExpertRule = SHARES
    advice: Literal["sign", "score"] = "sign"
    engine: ClassVar[str] = "composed.committee:CommitteeEngine"
    paper: ClassVar[str] = "Herbster, Warmuth 1998"
    voting: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = (
        "halving",
        "halving-reset",
        "weightedmajority",
        "exponentialweights",
        "exponentialweights-known",
        "exponentialweights-anytime",
        "exponentialweights-doubling",
        "adahedge",
        "fixedshare",
        "fixedshare-vote",
        "variableshare",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("single", "signed", "takes_missing"):
            object.__setattr__(self, name, all(getattr(one, name) for one in self.learners))

    def check(self) -> None:
        """Binary learners, at least one, none over experts; ``combine`` is over experts."""
        where = "Committee"
        some = isinstance(self.learners, tuple) and all(isinstance(one, Rule) for one in self.learners)
        require(some and len(self.learners) > 0, where, "learners must be one or more", self.learners)
        for one in self.learners:
            require(not one.several, where, "learners must be of two labels", one)
            classifies(where, one)
            what = "learners must not be of experts, whose features are advice: pass such a rule as combine"
            require(not isinstance(one, ExpertRule), where, what, one)
        what = "combine must be a rule of experts such as FixedShare()"
        require(isinstance(self.combine, ExpertRule), where, what, self.combine)
        what = "combine must be a rule of experts for labels, not for real outcomes"
        require(not self.combine.regresses, where, what, self.combine)
        one_of(where, "advice", self.advice, ADVICE)
        whole = self.advice == "sign" or not isinstance(self.combine, Halving)
        require(whole, where, "advice must be 'sign' with Halving", self.advice)

    @property
    def refuses(self) -> bool:
        """Whether one of the learners, or the vote, may refuse an example."""
        last = isinstance(self.combine, Halving) and self.combine.empty == "raise"
        return last or any(one.refuses for one in self.learners)
