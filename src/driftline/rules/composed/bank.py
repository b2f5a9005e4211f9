"""A bank: many rules that learn the same examples side by side, each as it would by itself.

    w_k <- shrink_k w_k + tau_k y x      for every rule k, in one pass over the data

Rules of two numbers with p = 2 have a column each in one table of weights, so that a row is read once for all of them;
rules of second order run beside them. The bank's own score is that of the rule with the fewest mistakes so far, of
equal ones the first: what it would have been to follow the leader.

Differs from the papers of its rules: nothing.
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
    return plain and rule.norm == 2.0 and rule.removal == 0.0


def fits(rule: Any) -> bool:
    """Whether a bank takes this rule."""
    return is_column(rule) or isinstance(rule, SecondOrder)


@dataclass(frozen=True)
class Bank(Rule):
    """Rules ``learners``: those of two numbers with p = 2 and sigma = 0, and those of second order.

    For the choice of parameters: a grid of 32 costs a few times what one of them does.
    """

    learners: tuple[Rule, ...] = RULES
    engine: ClassVar[str] = "composed.bank:BankEngine"
    no_bound: ClassVar[str] = (
        "no theorem of the catalogue bounds the mistakes of a bank's leader; each rule of the bank has its own bounds"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "single", all(one.single for one in self.learners))

    def check(self) -> None:
        """At least one rule, and none that has weights of another kind."""
        some = isinstance(self.learners, tuple) and len(self.learners) > 0
        require(some, "Bank", "learners must be one or more", self.learners)
        for one in self.learners:
            if not fits(one):
                raise ValueError(
                    "Bank: learners must be of two numbers with p = 2 and sigma = 0, or of second order, "
                    f"got {one!r}. Sweep or compare it with the others instead"
                )

    @property
    def refuses(self) -> bool:
        """Whether one of the rules may refuse an example."""
        return any(one.refuses for one in self.learners)
