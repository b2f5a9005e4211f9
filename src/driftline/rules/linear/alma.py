"""ALMA with a fixed rate: steps of size alpha at margin rho, with weights in a ball of radius B.

    theta' = P(theta + alpha y x)   where m = y w.x <= rho,    P(theta) = theta min(1, B / |theta|_p)

Kivinen, Smola, Williamson. Large margin classification for moving targets. ALT 2002, section 3.
Differs from the paper: nothing. Scaling (alpha, B, rho) by a constant changes no prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least, positive
from driftline.rules.rule import Rule, above

CODE = 4


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau). ``two_numbers.into_ball`` projects; with p > 2, the p-norm engine."""
    alpha, rho = params[0], params[1]
    if m > rho:
        return 1.0, 0.0
    return 1.0, alpha


@dataclass(frozen=True)
class ALMA(Rule):
    """Gradient descent on the hinge loss, with weights that stay inside a ball.

    It forgets only when it updates: use it for targets that jump, or that stay the same for long.
    It remembers about ``(B / alpha)**2`` updates. This is ALMA with a fixed rate;
    ``SelfTuningALMA`` is the one that chooses its rate.

    Parameters
    ----------
    alpha : float, default=1.0
        Step size, > 0.
    B : float, default=10.0
        Radius of the ball, > 0. Infinity means that there is no ball.
    rho : float, default=1.0
        An example is added to the weights if its margin is at most ``rho``, >= 0.
    p : float, default=2.0
        Norm of the geometry, >= 2. 2 is Euclidean; a larger ``p`` favours targets that depend on
        few of many features.
    """

    alpha: float = 1.0
    B: float = 10.0
    rho: float = 1.0
    p: float = 2.0
    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Kivinen, Smola, Williamson 2002"
    needs_scaling: ClassVar[bool] = True
    theorem: ClassVar[str] = "alma"
    bounds: ClassVar[tuple[str, ...]] = ("alma", "alma-margin", "alma-untuned", "alma-untuned-margin")
    tracks_norm: ClassVar[bool] = True

    def check(self) -> None:
        """alpha > 0, B > 0, rho >= 0, p >= 2."""
        positive("ALMA", "alpha", self.alpha)
        positive("ALMA", "B", self.B, finite=False)
        at_least("ALMA", "rho", self.rho, 0.0)
        at_least("ALMA", "p", self.p, 2.0)

    def params(self) -> tuple[float, ...]:
        """alpha, rho."""
        return float(self.alpha), float(self.rho)

    @property
    def margin(self) -> float:
        """rho."""
        return float(self.rho)

    @property
    def norm(self) -> float:
        """p."""
        return float(self.p)

    @property
    def ball(self) -> float:
        """B."""
        return float(self.B)

    @property
    def passive(self) -> float:
        """Just above rho."""
        return above(self.rho)
