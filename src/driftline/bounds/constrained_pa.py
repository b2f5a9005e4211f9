"""L2PA and L1PA: Theorems 3.2 and 3.4 of Shen and Dietterich, and their path-length forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

CITATION = (
    "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments (2009)"
)
START = (
    "w = 0 at the start",
    "y_t u_t.x_t >= 1 on every round that updates",
    "beta |x_t| >= 1: every step is feasible",
)
STILL = "The theorems do not say that u may move only on rounds that update; without that they are false."
NORMS = {
    "2": "|u_t|_2 <= D <= beta, |u_(t+1) - u_t|_2 <= mu",
    "1": "|u_t|_1 <= D <= beta, |u_(t+1) - u_t|_inf <= mu; R is still the 2-norm radius",
}


@dataclass(frozen=True, kw_only=True)
class ConstrainedTarget(Bound):
    """The inputs that they share."""

    R: float = given("the longest example, max |x_t|_2", above=0.0)
    D: float = given("the longest comparator, in the norm of the constraint", above=0.0)
    beta: float = given("the radius of the ball of w", above=0.0)

    def check(self) -> None:
        """The comparators are inside the ball."""
        self.holds(self.beta >= self.D, "D <= beta", self.D)


@dataclass(frozen=True, kw_only=True)
class L2PAMistakes(ConstrainedTarget):
    """Theorems 3.2 and 3.4: mistakes are at most D^2 / (1/R^2 - 2 mu beta - 2 sqrt(sigma) D)."""

    name: ClassVar[str] = "l2pa"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*START, NORMS["2"], "updates on mistakes only", "u moves only on updates")
    citation: ClassVar[str] = CITATION + ", Theorems 3.2 and 3.4"
    erratum: ClassVar[str] = STILL + " D <= beta is missing from Theorem 3.4."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    mu: float = given("how far u moves between two updates", 0.0, least=0.0)
    sigma: float = given("the energy of weights that an update removes", 0.0, least=0.0)

    @property
    def gain(self) -> float:
        """What an update gains: 1/R^2 - 2 mu beta - 2 sqrt(sigma) D."""
        return 1.0 / self.R**2 - 2.0 * self.mu * self.beta - 2.0 * math.sqrt(self.sigma) * self.D

    def check(self) -> None:
        """An update gains more than the target's motion and the removal cost."""
        super().check()
        self.holds(self.gain > 0.0, "1/R^2 - 2 mu beta - 2 sqrt(sigma) D > 0", self.gain)

    @property
    def value(self) -> float:
        """D^2 / gain."""
        return self.D**2 / self.gain


@dataclass(frozen=True, kw_only=True)
class L1PAMistakes(L2PAMistakes):
    """Theorems 3.2 and 3.4 for the 1-norm: as for the 2-norm, with D and beta in the 1-norm and mu in the max-norm."""

    name: ClassVar[str] = "l1pa"
    conditions: ClassVar[tuple[str, ...]] = (*START, NORMS["1"], "updates on mistakes only", "u moves only on updates")
    erratum: ClassVar[str] = (
        STILL + " The proof uses equal norms |u_t| = D; they are not needed, and for the 1-norm they would not suffice."
    )
    tight: ClassVar[Tight] = Tight(0.56, "the rows of margin 1 that hurt most, for a target of one feature")


@dataclass(frozen=True, kw_only=True)
class L2PAPath(ConstrainedTarget):
    """Mistakes, on whatever margin it updates, are at most R^2 (D^2 + 2 beta V): the target may move on every round."""

    name: ClassVar[str] = "l2pa-path"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*START, "|u_t|_2 <= D <= beta")
    citation: ClassVar[str] = CITATION + ", proof of Theorem 3.2"
    erratum: ClassVar[str] = "Not in the paper: the repaired, additive form."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows, with a target that stands still")

    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """R^2 (D^2 + 2 beta V)."""
        return self.R**2 * (self.D**2 + 2.0 * self.beta * self.V)


@dataclass(frozen=True, kw_only=True)
class L1PAPath(L2PAPath):
    """As for the 2-norm, with D and beta in the 1-norm and the path in the max-norm."""

    name: ClassVar[str] = "l1pa-path"
    conditions: ClassVar[tuple[str, ...]] = (*START, "|u_t|_1 <= D <= beta", "V is summed in the max-norm")
    tight: ClassVar[Tight] = Tight(
        0.56, "the rows of margin 1 that hurt most, for a target of one feature that stands still"
    )


@dataclass(frozen=True, kw_only=True)
class PAMistakes(Bound):
    """Mistakes of PA, updating on mistakes or below margin 1, are at most R^2 D^2 for a target that stands still."""

    name: ClassVar[str] = "pa"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 at the start",
        "y_t u.x_t >= 1 on every round that updates",
        "|u|_2 <= D",
    )
    citation: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7 (2006), Theorem 2"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the longest example, max |x_t|_2", above=0.0)
    D: float = given("the comparator's length", above=0.0)

    @property
    def value(self) -> float:
        """R^2 D^2."""
        return (self.R * self.D) ** 2


@dataclass(frozen=True, kw_only=True)
class ROMMAMistakes(PAMistakes):
    """Mistakes of ROMMA, also of the aggressive one, are at most R^2 D^2 for a target that stands still."""

    name: ClassVar[str] = "romma"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "y_t u.x_t >= 1 on every round", "|u|_2 <= D")
    citation: ClassVar[str] = "Li, Long. The relaxed online maximum margin algorithm. Machine Learning 46 (2002)"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")
