"""The projection Perceptron: updates against a moving target, by the length of its path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class Projection(Bound):
    """Updates of the projection Perceptron in the unit ball with step eta, against any path u_t in
    the ball.

    Without eta, the best step gamma / R^2 is used. The bound is then
    R^2 / gamma^2 (1 + 2 V) + 2 D.
    """

    name: ClassVar[str] = "projection"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 at the start",
        "updates exactly where y w.x <= 0",
        "the ball has radius 1 and |u_t|_2 <= 1",
        "0 < eta < 2 gamma / R^2",
    )
    citation: ClassVar[str] = "Herbster, Warmuth (2001); Gentile, tutorial (2005), tracking"
    erratum: ClassVar[str] = (
        "The margin condition concerns u_t and x_t of the same round, not all pairs. The printed bound "
        "(4 R^2 / gamma^2) (1/2 + V) is valid, but 1.5 times larger than its own step size gives."
    )
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows with a fixed target")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)
    D: float = given("sum over updates of max(0, 1 - y_t u_t.x_t / gamma)", 0.0, least=0.0)
    eta: float | None = given("the step that was used", None, above=0.0)

    @property
    def step(self) -> float:
        """The step that was used, or the best one."""
        return self.gamma / self.R**2 if self.eta is None else self.eta

    def check(self) -> None:
        """D is at least the loss of one update, and the step is small enough for gamma."""
        self.reaches(self.R / self.gamma, 1.0, self.D, "D >= 1 - R / gamma")
        self.holds(self.step < 2.0 * self.gamma / self.R**2, "eta < 2 gamma / R^2", self.step)

    @property
    def value(self) -> float:
        """(1 + 2 V + 2 eta gamma D) / (2 eta gamma - eta^2 R^2)."""
        gain = 2.0 * self.step * self.gamma
        return (1.0 + 2.0 * self.V + gain * self.D) / (gain - (self.step * self.R) ** 2)

    def tuning(self) -> dict[str, float]:
        """The best step."""
        return {"eta": self.gamma / self.R**2, "radius": 1.0}


@dataclass(frozen=True, kw_only=True)
class ProjectionRegion(Bound):
    """Updates of the projection Perceptron in a convex set, against any path u_t in the set.

    The path is measured by the set: a step from u to u' counts the largest w.(u - u') of all w in
    it. In the unit ball this is |u - u'|_2. In an L1 ball of radius r it is r times the largest
    |u_i - u'_i|. ``support`` of a set in ``driftline.regions`` computes it. Without eta, the step
    gamma / R^2 is used.
    """

    name: ClassVar[str] = "projection-region"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 at the start",
        "updates exactly where y w.x <= 0, with sample weights 1",
        "the set is closed and convex and contains every u_t",
        "0 < eta < 2 gamma / R^2",
    )
    citation: ClassVar[str] = "Herbster, Warmuth (2001), for any convex set"
    proof: ClassVar[str] = """\
Let K be the set. The projection on K does not increase the distance to u_t, so an update lowers
|w - u_t|^2 by at least 2 eta gamma (1 - loss) - eta^2 R^2. If the target moves,

    |w - u'|^2 - |w - u|^2 = |u'|^2 - |u|^2 + 2 w.(u - u'),

and w.(u - u') is at most the largest such product over K. The squares cancel except for the last,
|u_T|^2."""
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows with a fixed target in a box")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    gamma: float = given("the margin, min y_t u_t.x_t without loss", above=0.0)
    U: float = given("length of the last comparator, |u_T|_2", above=0.0)
    V: float = given("sum over t of the largest w.(u_t - u_(t+1)) in the set", 0.0, least=0.0)
    D: float = given("sum over updates of max(0, 1 - y_t u_t.x_t / gamma)", 0.0, least=0.0)
    eta: float | None = given("the step that was used", None, above=0.0)

    @property
    def step(self) -> float:
        """The step that was used, or the best one."""
        return self.gamma / self.R**2 if self.eta is None else self.eta

    def check(self) -> None:
        """The step is small enough for gamma."""
        self.holds(self.step < 2.0 * self.gamma / self.R**2, "eta < 2 gamma / R^2", self.step)

    @property
    def value(self) -> float:
        """(U^2 + 2 V + 2 eta gamma D) / (2 eta gamma - eta^2 R^2)."""
        gain = 2.0 * self.step * self.gamma
        return (self.U**2 + 2.0 * self.V + gain * self.D) / (gain - (self.step * self.R) ** 2)

    def tuning(self) -> dict[str, float]:
        """The best step."""
        return {"eta": self.gamma / self.R**2}
