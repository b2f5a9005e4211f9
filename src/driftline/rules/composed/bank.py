"""A bank: many rules that learn the same examples side by side, each as it would by itself.

    parts   rules k = 1, ..., K, each with its own weights w_k
    input   an example x; then its label y = -1 or +1 and its sample weight c

    s_k = w_k.x                                  every rule scores every example
    l   = argmin_k M_k                           the leader; of equal ones the first
    score = s_l                                  the score of the bank
    M_k <- M_k + [y s_k <= 0]                    mistakes, counted before anything is learned
    w_k <- shrink_k w_k + tau_k c y x            every rule learns every example

With real targets, M_k <- M_k + |y - s_k|: the leader has the smallest sum of errors.
(shrink_k, tau_k) is the answer of rule k to its own margin y s_k; no rule depends on another one.
A rule whose score is not finite does not lead while another rule has a finite score. An example
that one rule refuses is refused by all of them, and nothing is learned from it.

All two-number rules with p = 2 share one table of weights, with a column for each rule, so that
each row is read once for all of them. Second-order rules learn the same rows separately, with the
updates in their own files.

The score of the bank follows the best expert so far: Cesa-Bianchi, Lugosi. Prediction, Learning,
and Games (2006), section 3.2, with the rules for experts.
Differs from the paper: the experts learn. Each rule is that of its own paper, without any change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from driftline.internals.require import require
from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.pa1 import PA1
from driftline.rules.rule import Rule
from driftline.rules.second_order.second_order_rule import SecondOrder

RULES = PA1(C=0.01), PA1(C=0.1), PA1(C=1.0)


def is_column(rule: Any) -> bool:
    """Whether it is a rule of two numbers whose weights may be a column of a table."""
    plain = isinstance(rule, Rule) and not rule.engine and not isinstance(rule, L1PA)
    return plain and rule.norm == 2.0 and rule.removal == 0.0 and not rule.projects


def fits(rule: Any) -> bool:
    """Whether a bank accepts this rule."""
    return is_column(rule) or isinstance(rule, SecondOrder)


@dataclass(frozen=True)
class Bank(Rule):
    """Rules ``learners``: two-number rules with p = 2 and sigma = 0, and second-order rules.

    Use it to choose parameters: a grid of 32 costs a few times as much as one learner.
    """

    learners: tuple[Rule, ...] = RULES
    engine: ClassVar[str] = "composed.bank:BankEngine"
    no_bound: ClassVar[str] = (
        "no theorem of the catalogue bounds the mistakes of a bank's leader; each rule of the bank has its own bounds"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "single", all(one.single for one in self.learners))
        object.__setattr__(self, "regresses", self.learners[0].regresses)

    def check(self) -> None:
        """At least one rule, and only rules that a bank accepts."""
        some = isinstance(self.learners, tuple) and len(self.learners) > 0
        require(some, "Bank", "learners must be one or more", self.learners)
        for one in self.learners:
            if not fits(one):
                raise ValueError(
                    "Bank: learners must be of two numbers with p = 2 and sigma = 0, or of second order, "
                    f"got {one!r}. Sweep or compare it with the others instead"
                )
        if len({one.regresses for one in self.learners}) > 1:
            raise ValueError(
                f"Bank: learners must be all classifiers or all regressors, got {self.learners!r}. Make a bank of each"
            )

    @property
    def refuses(self) -> bool:
        """Whether one of the rules may refuse an example."""
        return any(one.refuses for one in self.learners)
