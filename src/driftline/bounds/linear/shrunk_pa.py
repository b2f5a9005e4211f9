"""ShrunkPA, PA with a regularised objective: Theorems 3.1 and 3.3 of Shen and Dietterich, and
their path-length form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import ROUNDING, Bound, Tight, given
from driftline.bounds.linear.constrained import CITATION, STILL

CONDITIONS = (
    "w = 0 at the start",
    "updates on mistakes only",
    "y_t u_t.x_t >= 1 on every round that updates",
    "|u_t|_2 <= D",
)


@dataclass(frozen=True, kw_only=True)
class ShrunkPATarget(Bound):
    """The inputs of the theorems on ShrunkPA."""

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the largest length of a comparator, max |u_t|_2", above=0.0)
    alpha: float = given("the regularisation that was used", least=0.0, below=1.0)
    beta: float = given("the largest length of w, max |w_t|_2, before weights are removed", least=0.0)

    def check(self) -> None:
        """The comparators are long enough for margin 1."""
        self.holds(self.R * self.D >= 1.0 - ROUNDING, "R D >= 1", self.R * self.D)

    @property
    def still(self) -> float:
        """The gain of an update for a fixed target: (1 - alpha^2) / R^2 - alpha D^2 / (2 + alpha)."""
        return (1.0 - self.alpha**2) / self.R**2 - self.alpha * self.D**2 / (2.0 + self.alpha)


@dataclass(frozen=True, kw_only=True)
class ShrunkPAMistakes(ShrunkPATarget):
    """Theorems 3.1 and 3.3: mistakes are at most D^2 / g, where g is the gain of an update."""

    name: ClassVar[str] = "shrunkpa"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, "|u_(t+1) - u_t|_2 <= mu", "u moves only on updates")
    citation: ClassVar[str] = CITATION + ", Theorems 3.1 and 3.3"
    erratum: ClassVar[str] = STILL + " In Theorem 3.3 beta must cover w before weights are removed."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at alpha = 0")

    mu: float = given("how far u moves between two updates", 0.0, least=0.0)
    sigma: float = given("the energy of weights that an update removes", 0.0, least=0.0)

    @property
    def gain(self) -> float:
        """g = (1 - alpha^2)/R^2 - alpha D^2/(2 + alpha) - 2 (1 + alpha) mu beta - 2 sqrt(sigma) D."""
        return self.still - 2.0 * (1.0 + self.alpha) * self.mu * self.beta - 2.0 * math.sqrt(self.sigma) * self.D

    def check(self) -> None:
        """The gain of an update is positive."""
        super().check()
        self.holds(self.gain > 0.0, "g > 0", self.gain)

    @property
    def value(self) -> float:
        """D^2 / g."""
        return self.D**2 / self.gain


@dataclass(frozen=True, kw_only=True)
class ShrunkPAPath(ShrunkPATarget):
    """Mistakes are at most (D^2 + 2 (1 + alpha) beta V) / g: the target may move on every round."""

    name: ClassVar[str] = "shrunkpa-path"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = CITATION + ", proof of Theorem 3.1"
    erratum: ClassVar[str] = "Not in the paper: a corrected, additive form."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at alpha = 0, with a fixed target")

    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)

    def check(self) -> None:
        """The gain of an update is positive."""
        super().check()
        self.holds(self.still > 0.0, "(1 - alpha^2)/R^2 - alpha D^2/(2 + alpha) > 0", self.still)

    @property
    def value(self) -> float:
        """(D^2 + 2 (1 + alpha) beta V) / g, g = (1 - alpha^2)/R^2 - alpha D^2/(2 + alpha)."""
        return (self.D**2 + 2.0 * (1.0 + self.alpha) * self.beta * self.V) / self.still
