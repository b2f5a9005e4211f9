"""One against the rest: a learner of two labels for each class, and the highest score wins.

    parts   learners k = 1, ..., K of the rule ``learner``, one for each class seen so far
    input   an example x; then its class y and its sample weight c

    s_k = score of learner k for x               before any part has seen y
    displayed class = argmax_k s_k               of equal ones the class that appeared first
    margin = s_y - max_{r != y} s_r              the round's score; s_y without another class
    learner k learns (x, y_k, c),  y_k = +1 if y = k else -1      for every class k

A class that appears for the first time gets a new learner, which learns this example and all
later ones. It begins as the rule does, without the examples before: they would have to be stored,
or learned twice. The round is a mistake, and its margin is -max(0, max_r s_r). An example that
one learner refuses is refused by all of them.

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
