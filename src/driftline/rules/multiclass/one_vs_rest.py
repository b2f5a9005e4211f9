"""One-vs-rest: a binary learner for each class; the class with the highest score is predicted.

    parts   learners k = 1, ..., K of the rule ``learner``, one for each class seen so far
    input   an example x; then its class y and its sample weight c

    s_k = score of learner k for x               before any part has seen y
    displayed class = argmax_k s_k               ties: the class that appeared first
    margin = s_y - max_{r != y} s_r              the score of the round; s_y if y is the only class
    learner k learns (x, y_k, c),  y_k = +1 if y = k else -1      for every class k

A class that appears for the first time gets a new learner, which learns this example and all
later ones. It does not learn the earlier examples, which would have to be stored. The round is a
mistake, and its margin is -max(0, max_r s_r). If one learner refuses an example, all of them
refuse it.

Rifkin, Klautau. In defense of one-vs-all classification. JMLR 5 (2004).
Differs from the paper: it learns online, and classes may appear at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.internals.require import require
from driftline.rules.composed.committee import Committee
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.rules.linear.pa1 import PA1
from driftline.rules.rule import Rule, classifies


@dataclass(frozen=True)
class OneVsRest(Rule):
    """The binary rule ``learner``, once for each class.

    If you know the classes, pass them as ``labels``: then every learner learns every example.
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
        """``learner`` is a binary rule, and not a rule over experts."""
        where, inner = "OneVsRest", self.learner
        two = isinstance(inner, Rule) and not inner.several
        require(two, where, "learner must be a rule of two labels", inner)
        classifies(where, inner)
        what = "learner must not be of experts, whose number the first example fixes: pass the learners that advise"
        require(not isinstance(inner, ExpertRule), where, what, inner)

    @property
    def refuses(self) -> bool:
        """Whether ``learner`` may refuse an example; a committee may if its weights overflow."""
        return self.learner.refuses or isinstance(self.learner, Committee)
