"""NORMA: gradient descent on the hinge loss at margin rho, with weights that decay every round.

    theta' = (1 - alpha lam) theta + alpha y x [m <= rho],    m = y w.x

With p = 2, w = theta; with p > 2, w is linked to theta (``pnorm_perceptron``).
Kivinen, Smola, Williamson. Large margin classification for moving targets. ALT 2002, section 3,
update (2).
Differs from the paper: nothing. Scaling (alpha, rho, lam) to (c alpha, c rho, lam / c) changes no
prediction; the paper omits to divide lam.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least, positive, require
from driftline.rules.rule import Rule, above

CODE = 3


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    alpha, lam, rho = params[0], params[1], params[2]
    if m > rho:
        return 1.0 - alpha * lam, 0.0
    return 1.0 - alpha * lam, alpha


@dataclass(frozen=True)
class NORMA(Rule):
    """Gradient descent on the hinge loss, with weights that decay in every round.

    It forgets with time, even while its predictions are right. Use it for targets that keep
    moving. It remembers about ``1 / (alpha * lam)`` rounds.

    Parameters
    ----------
    alpha : float, default=1.0
        Step size, > 0.
    lam : float, default=0.001
        Rate of decay, >= 0 and < 1 / ``alpha``. 0 never forgets.
    rho : float, default=1.0
        An example is added to the weights if its margin is at most ``rho``, >= 0.
    p : float, default=2.0
        Norm of the geometry, >= 2. 2 is Euclidean; a larger ``p`` favours targets that depend on
        few of many features.
    """

    alpha: float = 1.0
    lam: float = 0.001
    rho: float = 1.0
    p: float = 2.0
    code: ClassVar[int] = CODE
    paper: ClassVar[str] = "Kivinen, Smola, Williamson 2002"
    needs_scaling: ClassVar[bool] = True
    theorem: ClassVar[str] = "norma"
    bounds: ClassVar[tuple[str, ...]] = ("norma", "norma-margin", "norma-untuned", "norma-untuned-margin")

    def check(self) -> None:
        """alpha > 0, 0 <= lam < 1/alpha, rho >= 0, p >= 2."""
        positive("NORMA", "alpha", self.alpha)
        at_least("NORMA", "lam", self.lam, 0.0)
        require(
            float(self.alpha) * float(self.lam) < 1,
            "NORMA",
            f"lam must be < 1/alpha = {1 / float(self.alpha):g}",
            self.lam,
        )
        at_least("NORMA", "rho", self.rho, 0.0)
        at_least("NORMA", "p", self.p, 2.0)

    def params(self) -> tuple[float, ...]:
        """alpha, lam, rho."""
        return float(self.alpha), float(self.lam), float(self.rho)

    @property
    def margin(self) -> float:
        """rho."""
        return float(self.rho)

    @property
    def norm(self) -> float:
        """p."""
        return float(self.p)

    @property
    def passive(self) -> float:
        """The smallest float above rho if lam is 0; otherwise infinite: every round decays w."""
        return above(self.rho) if self.lam == 0 else np.inf
