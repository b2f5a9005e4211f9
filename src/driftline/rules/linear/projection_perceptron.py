"""Projection Perceptron: a Perceptron with weights in a ball, for targets that move.

    w' = P(w + eta y x)   where m = y w.x <= 0,    P(w) = w min(1, radius / |w|)

With |u_t| <= radius = 1, y u_t.x >= gamma, |x| <= R and eta = gamma / R^2:
mistakes <= (R / gamma)^2 (1 + 2 V), where V is the path length of u_t. With a ``region``, P is the
projection on that convex set instead, and u_t must be in it.
Gentile's tutorial (2005), "tracking"; Herbster, Warmuth. Tracking the best linear predictor. JMLR
1 (2001).
Differs from the paper: the radius is a parameter; the tutorial sets it to 1. The tutorial allows
any convex set; ``regions`` has four besides the ball. The tutorial omits that only a mistake
updates.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import positive, require
from driftline.rules.linear.regions import Region, region_of
from driftline.rules.rule import Rule, above

CODE = 2


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau); ``two_numbers.into_ball`` projects."""
    eta = params[0]
    if m > 0.0:
        return 1.0, 0.0
    return 1.0, eta


@dataclass(frozen=True)
class ProjectionPerceptron(Rule):
    """A Perceptron with weights that stay inside a ball, so that it can follow a moving target.

    Use it for targets that drift. The smaller ``eta / radius``, the longer it remembers.

    Parameters
    ----------
    eta : float, default=0.1
        Step size, > 0.
    radius : float, default=1.0
        Radius of the ball, > 0. Infinity means that there is no ball.
    region : driftline.regions.Region, str or None, default=None
        A convex set for the weights in place of the ball: ``Box``, ``Simplex``, ``L1Ball`` or
        ``Ellipsoid`` of ``driftline.regions``, or a name with parameters such as "box(0.0, 1.0)".
        An update then costs time in proportion to the number of nonzero weights.
    """

    eta: float = 0.1
    radius: float = 1.0
    region: Region | str | None = None
    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Gentile 2005"
    needs_scaling: ClassVar[bool] = True
    theorem: ClassVar[str] = "projection"
    bounds: ClassVar[tuple[str, ...]] = ("projection", "projection-region")
    tracks_norm: ClassVar[bool] = True

    def check(self) -> None:
        """eta > 0, radius > 0, and no radius with a region, which is converted if it is text."""
        positive("ProjectionPerceptron", "eta", self.eta)
        positive("ProjectionPerceptron", "radius", self.radius, finite=False)
        object.__setattr__(self, "region", region_of("ProjectionPerceptron", self.region))
        free = self.region is None or self.radius == 1.0
        remedy = "Leave it out, and set the size of the region"
        require(free, "ProjectionPerceptron", "radius must be 1.0 with a region", self.radius, remedy)

    @property
    def tunable(self) -> bool:
        """Whether the weights are in a ball."""
        return self.region is None

    def params(self) -> tuple[float, ...]:
        """eta; with a region also its kind and its two floats."""
        if isinstance(self.region, Region):
            return (float(self.eta), self.region.kind, *self.region.params())
        return (float(self.eta),)

    @property
    def ball(self) -> float:
        """radius; infinite with a region."""
        return inf if self.projects else float(self.radius)

    @property
    def projects(self) -> bool:
        """Whether there is a region."""
        return self.region is not None

    @property
    def passive(self) -> float:
        """The smallest normal float above 0."""
        return above(0.0)
