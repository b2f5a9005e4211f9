"""Gentile's ALMA: updates until it has a given fraction of the largest margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class SelfTuningALMAUpdates(Bound):
    """Updates until the margin is 1 - alpha times the largest one, on examples of length 1."""

    name: ClassVar[str] = "selftuningalma"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 at the start",
        "|x_t|_p = 1: the algorithm normalises examples",
        "some u, |u|_q <= 1, has y_t u.x_t >= gamma on every round",
        "B = sqrt(8)/alpha and C = sqrt(2)",
    )
    citation: ClassVar[str] = "Gentile. A new approximate maximal margin classification algorithm. JMLR 2 (2001)"
    tight: ClassVar[Tight] = Tight(0.8, "orthonormal rows in many passes")

    gamma: float = given("the largest margin, in units of |x|_p", above=0.0, most=1.0)
    alpha: float = given("the tolerance: a margin of 1 - alpha times the largest is reached", above=0.0, most=1.0)
    p: float = given("the norm", 2.0, least=2.0)

    @property
    def value(self) -> float:
        """2 (p - 1) / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4."""
        return 2.0 * (self.p - 1.0) / self.gamma**2 * (2.0 / self.alpha - 1.0) ** 2 + 8.0 / self.alpha - 4.0
