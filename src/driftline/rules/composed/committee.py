"""A committee: several learners that all learn, and experts' weights that say whose word counts.

    advice z_k = sgn(score of learner k),    p = what ``combine`` makes of z

Every learner learns every example as it would by itself. Their advice is from before the example is learned, so the
bounds of the combining rule hold with the mistakes of the learners as losses: with fixed share the committee is nearly
as good as the best sequence of learners with few changes, which may be better than every one of them.

Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), with learners for experts.
Differs from the paper: experts that learn are no different from others to its bounds. A score of 0 is advice of +1,
which is the label shown for it; ``advice="score"`` is the score itself, cut to [-1, 1].
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
from driftline.rules.rule import Rule

ADVICE = ("sign", "score")
MEMBERS = Perceptron(), PA1(), NORMA()
SHARES = FixedShare()


@dataclass(frozen=True)
class Committee(Rule):
    """Rules ``learners``, the rule ``combine`` that weighs them, and whether ``advice`` is a "sign" or a "score".

    Take learners that are good at different times: with short and long memory, of small and large steps. Signs are the
    default, since scores of different rules have different scales, of which those near 0 count for nothing.
    """

    learners: tuple[Rule, ...] = MEMBERS
    combine: ExpertRule = SHARES
    advice: Literal["sign", "score"] = "sign"
    engine: ClassVar[str] = "composed.committee:CommitteeEngine"
    paper: ClassVar[str] = "Herbster, Warmuth 1998"
    voting: ClassVar[bool] = True
    no_bound: ClassVar[str] = (
        "its bound is that of the combining rule on the advice of the learners, and a run does not record the advice"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("single", "signed", "takes_missing"):
            object.__setattr__(self, name, all(getattr(one, name) for one in self.learners))

    def check(self) -> None:
        """At least one learner, none of them of experts; a rule of experts that combines; known advice."""
        where = "Committee"
        some = isinstance(self.learners, tuple) and all(isinstance(one, Rule) for one in self.learners)
        require(some and len(self.learners) > 0, where, "learners must be one or more", self.learners)
        for one in self.learners:
            require(not one.several, where, "learners must be of two labels", one)
            what = "learners must not be of experts, whose features are advice: pass such a rule as combine"
            require(not isinstance(one, ExpertRule), where, what, one)
        what = "combine must be a rule of experts such as FixedShare()"
        require(isinstance(self.combine, ExpertRule), where, what, self.combine)
        one_of(where, "advice", self.advice, ADVICE)
        whole = self.advice == "sign" or not isinstance(self.combine, Halving)
        require(whole, where, "advice must be 'sign' with Halving", self.advice)

    @property
    def refuses(self) -> bool:
        """Whether one of the learners, or the vote, may refuse an example."""
        last = isinstance(self.combine, Halving) and self.combine.empty == "raise"
        return last or any(one.refuses for one in self.learners)
