"""Parameters of L1PA and L2PA: the ball of radius beta, infeasible steps and feature removal."""

from __future__ import annotations

from dataclasses import dataclass

from driftline.internals.require import INFEASIBLE, WHEN, at_least, number, one_of, positive, require
from driftline.rules.linear.margin_one import MarginOne
from driftline.rules.rule import Infeasible, When, limit


@dataclass(frozen=True)
class Constrained(MarginOne):
    """Parameters of a passive-aggressive rule that stays in a ball."""

    beta: float = 10.0
    when: When = "mistake"
    infeasible: Infeasible = "skip"
    kappa: float = 0.5
    sigma: float = 0.0

    def check(self) -> None:
        """beta > 0, 0 < kappa < 1, sigma >= 0, ``when`` and ``infeasible`` have known values."""
        where = type(self).__name__
        positive(where, "beta", self.beta, finite=False)
        one_of(where, "when", self.when, WHEN)
        one_of(where, "infeasible", self.infeasible, INFEASIBLE)
        kappa = number(where, "kappa", self.kappa)
        require(0 < kappa < 1, where, "kappa must be in (0, 1)", self.kappa)
        at_least(where, "sigma", self.sigma, 0.0)

    def params(self) -> tuple[float, ...]:
        """The smallest margin without an update, beta, and kappa.

        kappa = 0 skips an infeasible step, kappa = 1 goes to the best point of the ball.
        """
        kappa = {"skip": 0.0, "raise": 0.0, "relax": float(self.kappa), "best": 1.0}[self.infeasible]
        return limit(self.when), float(self.beta), kappa

    @property
    def removal(self) -> float:
        """sigma."""
        return float(self.sigma)

    @property
    def refuses(self) -> bool:
        """Whether an infeasible step raises an error."""
        return self.infeasible == "raise"
