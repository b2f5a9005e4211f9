"""One against the rest: a learner of two labels for each class, which is its positive label; the highest score wins.

    learner k:  y_k = +1 if y = k else -1,    shown: argmax_k score_k(x)

Every learner learns every example from the one on in which its class appears. A class that appears late begins as the
rule does, knowing nothing of the examples before: they would have to be kept for it, or learned twice.

Rifkin, Klautau. In defense of one-vs-all classification. JMLR 5 (2004).
Differs from the paper: online, and classes may appear at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.internals.require import require
from driftline.rules.composed.committee import Committee
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.rules.linear.pa1 import PA1
from driftline.rules.rule import Rule


@dataclass(frozen=True)
class OneVsRest(Rule):
    """The rule ``learner`` of two labels, once for each class. Declare the classes, if you know them, with ``labels``:
    then all learners know of all examples.
    """

    learner: Rule = field(default_factory=PA1)
    engine: ClassVar[str] = "multiclass.one_vs_rest:engine_of"
    paper: ClassVar[str] = "Rifkin, Klautau 2004"
    several: ClassVar[bool] = True
    no_bound: ClassVar[str] = (
        "no theorem of the catalogue covers several classes; each learner inside has the bounds of its rule"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("single", "biased", "signed", "voting", "takes_missing"):
            object.__setattr__(self, name, getattr(self.learner, name))

    def check(self) -> None:
        """A rule of two labels, and not of experts."""
        where, inner = "OneVsRest", self.learner
        two = isinstance(inner, Rule) and not inner.several
        require(two, where, "learner must be a rule of two labels", inner)
        what = "learner must not be of experts, whose number the first example fixes: pass the learners that advise"
        require(not isinstance(inner, ExpertRule), where, what, inner)

    @property
    def refuses(self) -> bool:
        """Whether the rule does; a committee may, where weights have overflowed."""
        return self.learner.refuses or isinstance(self.learner, Committee)
