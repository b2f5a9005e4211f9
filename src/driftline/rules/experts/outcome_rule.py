"""Base class of the rules over experts with real outcomes: square loss on [-B, B].

In a round every expert i predicts z_i in [-B, B], the learner predicts p, and the outcome y in
[-B, B] follows. Expert i loses (z_i - y)^2, and the learner (p - y)^2. Two functions turn shares v
(normalised) and predictions into p:

    mean          p = v.z
    substitution  p = (g(-B) - g(B)) / (4 B),    g(y) = -1/eta ln sum_i v_i exp(-eta (z_i - y)^2)

The square loss on [-B, B] is exp-concave for eta <= 1 / (8 B^2): then (p - y)^2 <= g(y) for the
mean. It is mixable for eta <= 1 / (2 B^2): then (p - y)^2 <= g(y) for the substitution. Sums of g
telescope, so the learner loses at most L + ln n / eta for an expert with loss L.

A sample weight multiplies all losses of its round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.require import positive, require
from driftline.rules.experts.expert_rule import ExpertRule

MEAN, SUBSTITUTION = 0.0, 1.0
NO_SHARE = 0.0
SMALLEST, LARGEST = 1e-100, 1e100
"""The limits of B, so that no square underflows or overflows."""


@dataclass(frozen=True)
class OutcomeRule(ExpertRule):
    """A rule that takes predictions of real outcomes as examples."""

    kind: ClassVar[int] = -1
    predicts: ClassVar[float]
    """MEAN or SUBSTITUTION."""
    engine: ClassVar[str] = "experts.outcome_engine:OutcomesEngine"
    voting: ClassVar[bool] = False
    regresses: ClassVar[bool] = True

    eta: float | None = None
    B: float = 1.0

    def check(self) -> None:
        """eta > 0 or None, B > 0; a substitution needs eta <= 1 / (2 B^2)."""
        where = type(self).__name__
        positive(where, "B", self.B)
        require(SMALLEST <= float(self.B) <= LARGEST, where, f"B must be from {SMALLEST:g} to {LARGEST:g}", self.B)
        if self.eta is not None:
            positive(where, "eta", self.eta)
            what = f"eta must be at most 1 / (2 B^2) = {self.fastest:g}"
            require(self.predicts == MEAN or self.eta <= self.fastest * (1.0 + 1e-12), where, what, self.eta)

    @property
    def fastest(self) -> float:
        """The largest rate of the theorem: 1 / (8 B^2) for the mean, 1 / (2 B^2) for the substitution."""
        return (0.125 if self.predicts == MEAN else 0.5) / float(self.B) ** 2

    @property
    def shared(self) -> float:
        """The fraction of its share that every expert gives to the others."""
        return NO_SHARE

    def params(self) -> tuple[float, ...]:
        """eta, alpha, B, and the function that predicts."""
        eta = self.fastest if self.eta is None else float(self.eta)
        return eta, self.shared, float(self.B), self.predicts
