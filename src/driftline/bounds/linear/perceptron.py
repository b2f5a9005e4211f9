"""The Perceptron: four forms of one theorem, from the loosest to the tightest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given, largest_root

NOVIKOFF = "Novikoff (1962); Gentile, tutorial (2005), first-order Perceptron"
HINGE = "Freund, Schapire (1999); Gentile, tutorial (2005), first-order Perceptron"
START = ("w = 0 at the start", "updates exactly where y w.x <= 0")
UNIT = "|u|_2 = 1"


@dataclass(frozen=True, kw_only=True)
class PerceptronSeparable(Bound):
    """Updates, and therefore mistakes, are at most R^2 / gamma^2 if some u of length 1 has margin
    gamma on every round.
    """

    name: ClassVar[str] = "perceptron-separable"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, UNIT, "y_t u.x_t >= gamma on every round")
    citation: ClassVar[str] = NOVIKOFF
    erratum: ClassVar[str] = "Updates are made where y w.x <= 0, not < 0: at w = 0 there is a tie."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    gamma: float = given("the margin of u, in units of |x|", above=0.0)

    def check(self) -> None:
        """gamma is at most R."""
        self.holds(self.gamma <= self.R, "gamma <= R", self.gamma)

    @property
    def value(self) -> float:
        """R^2 / gamma^2."""
        return (self.R / self.gamma) ** 2


@dataclass(frozen=True, kw_only=True)
class PerceptronHinge(Bound):
    """Updates are at most R^2 / gamma^2 + 2 D for every u of length 1 and every gamma > 0."""

    name: ClassVar[str] = "perceptron-hinge"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, UNIT)
    citation: ClassVar[str] = "Lecture on the Perceptron and Winnow, total hinge loss; " + HINGE
    erratum: ClassVar[str] = "The largest hinge loss is 1 + 1/gamma; 1 + gamma is the largest term of gamma D."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", least=0.0)

    def check(self) -> None:
        """D is at least the loss of one update."""
        self.reaches(self.R / self.gamma, 1.0, self.D, "D >= 1 - R / gamma")

    @property
    def value(self) -> float:
        """R^2 / gamma^2 + 2 D."""
        return (self.R / self.gamma) ** 2 + 2.0 * self.D


@dataclass(frozen=True, kw_only=True)
class PerceptronQuadratic(Bound):
    """Updates are at most the largest x with x <= (R / gamma) sqrt(x) + D, for every u of length 1
    and every gamma > 0.
    """

    name: ClassVar[str] = "perceptron-quadratic"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, UNIT)
    citation: ClassVar[str] = HINGE
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", least=0.0)

    def check(self) -> None:
        """D is at least the loss of one update."""
        self.reaches(self.R / self.gamma, 1.0, self.D, "D >= 1 - R / gamma")

    @property
    def value(self) -> float:
        """((R / gamma + sqrt(R^2 / gamma^2 + 4 D)) / 2)^2."""
        return largest_root(self.R / self.gamma, self.D)


@dataclass(frozen=True, kw_only=True)
class PerceptronTightest(Bound):
    """Updates are at most D + sqrt(S) / gamma; S is summed over the updates that were made."""

    name: ClassVar[str] = "perceptron-tightest"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*START, UNIT)
    citation: ClassVar[str] = HINGE
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    S: float = given("sum over updates of |x|_2^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", least=0.0)

    @property
    def value(self) -> float:
        """D + sqrt(S) / gamma."""
        return self.D + math.sqrt(self.S) / self.gamma
