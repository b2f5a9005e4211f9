"""Halving: the majority vote of the experts that have never been wrong.

    p = mean of z_i over i in C,      C <- {i in C: z_i = y} on every round,      C = all experts at first

If k experts are right in every round, there are at most floor(lg(n / k)) mistakes.

Barzdin, Freivald. On the prediction of general recursive functions. Soviet Mathematics Doklady 13
(1972); Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988),
section 3.
Differs from the paper: the paper assumes a perfect expert. If no expert is left, C is reset to
all experts and the round counts as infeasible (``empty="reset"``), or the round is refused
(``empty="raise"``). With resets there are at most (floor(lg n) + 1) L + floor(lg n) mistakes,
where L counts the errors of the best expert, because every expert errs between two resets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from driftline.internals.compiled import Floats, leaf
from driftline.internals.require import one_of
from driftline.rules.experts.expert_rule import ExpertRule

KIND = 0


@leaf
def survivors(v: Floats, loss: Floats) -> int:
    """The number of experts in the set that were right."""
    count = 0
    for i in range(v.size):
        count += (v[i] > 0.0) & (loss[i] == 0.0)
    return count


@leaf
def update(v: Floats, loss: Floats, count: int) -> None:
    """Keep the ``count`` experts that were right; reset to all experts if ``count`` is 0."""
    for i in range(v.size):
        kept = count == 0 or (v[i] > 0.0 and loss[i] == 0.0)
        v[i] = 1.0 if kept else 0.0


@dataclass(frozen=True)
class Halving(ExpertRule):
    """All advice must be -1 or +1. Use it only if one of the experts is perfect."""

    empty: Literal["reset", "raise"] = "reset"
    kind: ClassVar[int] = KIND
    paper: ClassVar[str] = "Littlestone 1988"
    votes: ClassVar[bool] = True
    bounds: ClassVar[tuple[str, ...]] = ("halving", "halving-reset")

    def check(self) -> None:
        """``empty`` is "reset" or "raise"."""
        one_of("Halving", "empty", self.empty, ("reset", "raise"))

    def params(self) -> tuple[float, ...]:
        """1 if a round that leaves no expert is refused, else 0."""
        return (float(self.empty == "raise"),)
