"""Balanced Winnow: Winnow for weights of either sign, at threshold 0.

    w_i = 2 sinh(eta z_i),      z <- z + y x   where y w.x <= 0

which is w+ - w-, each multiplied by e^(+-eta y x) on a mistake. For y u.x >= gamma, |u|_1 = 1, |x_i| <= X, n features
(the constant one counts) and H the entropy of |u|:

    mistakes <= 2 X^2 (ln 2n - H) / gamma^2          with eta = gamma / X^2
    mistakes <= (ln 2n - H) / (eta gamma - ln cosh(eta X))    with eta = artanh(gamma / X) / X

so few features may matter among very many.

Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988); Grove, Littlestone,
Schuurmans. General convergence results for linear discriminant updates. Machine Learning 43 (2001).
Differs from the paper: only z is kept, so that no weight overflows. The score is asinh(sum sinh(eta z_i) x_i): of the
same sign, and finite. The first bound allows for a hinge loss: 2 D is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.require import number, require
from driftline.rules.rule import Rule, above

STEEPEST = 1e100


@dataclass(frozen=True)
class BalancedWinnow(Rule):
    """Rate ``eta`` > 0: the margin of the target, where features are between -1 and 1."""

    eta: float = 0.1
    engine: ClassVar[str] = "multiplicative.balanced_winnow:BalancedWinnowEngine"
    paper: ClassVar[str] = "Littlestone 1988"
    theorem: ClassVar[str] = "balancedwinnow"
    single: ClassVar[bool] = False

    def check(self) -> None:
        """0 < eta <= 1e100."""
        good = 0.0 < number("BalancedWinnow", "eta", self.eta) <= STEEPEST
        require(good, "BalancedWinnow", f"eta must be > 0 and at most {STEEPEST:g}", self.eta)

    def params(self) -> tuple[float, ...]:
        """eta."""
        return (float(self.eta),)

    @property
    def passive(self) -> float:
        """Just above 0."""
        return above(0.0)
