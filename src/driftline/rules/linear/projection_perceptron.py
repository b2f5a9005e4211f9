"""Projection Perceptron: a Perceptron with weights in a ball, for targets that move.

    w' = P(w + eta y x)   where m = y w.x <= 0,    P(w) = w min(1, radius / |w|)

With |u_t| <= radius = 1, y u_t.x >= gamma, |x| <= R and eta = gamma / R^2:
mistakes <= (R / gamma)^2 (1 + 2 V), where V is the path length of u_t.
Gentile's tutorial (2005), "tracking"; Herbster, Warmuth. Tracking the best linear predictor. JMLR
1 (2001).
Differs from the paper: the radius is a parameter; the tutorial sets it to 1. The tutorial omits
that only a mistake updates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import positive
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
    """

    eta: float = 0.1
    radius: float = 1.0
    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Gentile 2005"
    needs_scaling: ClassVar[bool] = True
    theorem: ClassVar[str] = "projection"
    bounds: ClassVar[tuple[str, ...]] = ("projection",)
    tracks_norm: ClassVar[bool] = True

    def check(self) -> None:
        """eta > 0, radius > 0."""
        positive("ProjectionPerceptron", "eta", self.eta)
        positive("ProjectionPerceptron", "radius", self.radius, finite=False)

    def params(self) -> tuple[float, ...]:
        """eta."""
        return (float(self.eta),)

    @property
    def ball(self) -> float:
        """radius."""
        return float(self.radius)

    @property
    def passive(self) -> float:
        """The smallest normal float above 0."""
        return above(0.0)
