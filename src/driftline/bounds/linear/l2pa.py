"""L2PA: Theorems 3.2 and 3.4 of Shen and Dietterich, and their path-length form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.linear.constrained import CITATION, START, STILL, ConstrainedTarget


@dataclass(frozen=True, kw_only=True)
class L2PAMistakes(ConstrainedTarget):
    """Theorems 3.2 and 3.4: mistakes are at most D^2 / (1/R^2 - 2 mu beta - 2 sqrt(sigma) D)."""

    name: ClassVar[str] = "l2pa"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (
        *START,
        "|u_t|_2 <= D <= beta, |u_(t+1) - u_t|_2 <= mu",
        "updates on mistakes only",
        "u moves only on updates",
    )
    citation: ClassVar[str] = CITATION + ", Theorems 3.2 and 3.4"
    erratum: ClassVar[str] = STILL + " D <= beta is missing from Theorem 3.4."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    mu: float = given("how far u moves between two updates", 0.0, least=0.0)
    sigma: float = given("the energy of weights that an update removes", 0.0, least=0.0)

    @property
    def gain(self) -> float:
        """The gain of an update: 1/R^2 - 2 mu beta - 2 sqrt(sigma) D."""
        return 1.0 / self.R**2 - 2.0 * self.mu * self.beta - 2.0 * math.sqrt(self.sigma) * self.D

    def check(self) -> None:
        """The gain of an update is positive."""
        super().check()
        self.holds(self.gain > 0.0, "1/R^2 - 2 mu beta - 2 sqrt(sigma) D > 0", self.gain)

    @property
    def value(self) -> float:
        """D^2 / gain."""
        return self.D**2 / self.gain


@dataclass(frozen=True, kw_only=True)
class L2PAPath(ConstrainedTarget):
    """Mistakes are at most R^2 (D^2 + 2 beta V), for updates at any margin; the target may move on
    every round.
    """

    name: ClassVar[str] = "l2pa-path"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*START, "|u_t|_2 <= D <= beta")
    citation: ClassVar[str] = CITATION + ", proof of Theorem 3.2"
    erratum: ClassVar[str] = "Not in the paper: a corrected, additive form."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows, with a fixed target")

    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """R^2 (D^2 + 2 beta V)."""
        return self.R**2 * (self.D**2 + 2.0 * self.beta * self.V)
