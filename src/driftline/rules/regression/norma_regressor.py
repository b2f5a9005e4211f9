"""NORMA regression: gradient descent on the error beyond a tube, with weights that decay.

    w' = (1 - alpha lam) w + alpha sgn(r) x [|r| > epsilon],    r = y - w.x

With ``nu`` = 0 the tube has the fixed half-width epsilon. With ``nu`` > 0 the rule minimises
max(0, |r| - epsilon) + nu epsilon over epsilon as well, which starts at ``epsilon``:

    epsilon' = epsilon + (1 - nu) alpha         where |r| > epsilon
    epsilon' = max(0, epsilon - nu alpha)       otherwise

So in the long run a share ``nu`` of the errors is larger than epsilon.
Kivinen, Smola, Williamson. Online learning with kernels. IEEE Transactions on Signal Processing 52
(2004), section 3.
Differs from the paper: epsilon is not allowed to become negative. Examples of weight 0 leave
epsilon unchanged; other sample weights multiply the step of w, but not that of epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.internals.compiled import Params, inlined
from driftline.internals.require import at_least, number, positive, require
from driftline.rules.regression.residual_rule import Residual

CODE = 16


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    alpha, lam = params[0], params[1]
    if m >= 0.0:
        return 1.0 - alpha * lam, 0.0
    return 1.0 - alpha * lam, alpha


@dataclass(frozen=True)
class NORMARegressor(Residual):
    """``alpha`` > 0, 0 <= ``lam`` < 1/alpha, ``epsilon`` >= 0, and 0 <= ``nu`` < 1."""

    alpha: float = 0.01
    lam: float = 0.001
    epsilon: float = 0.01
    nu: float = 0.0
    code: ClassVar[int] = CODE
    no_bound: ClassVar[str] = (
        "no theorem of the catalogue covers weights that decay under the loss beyond a tube; the theorems of NORMA "
        "are about the hinge loss of labels"
    )
    paper: ClassVar[str] = "Kivinen, Smola, Williamson 2004"
    needs_scaling: ClassVar[bool] = True

    def check(self) -> None:
        """alpha > 0, 0 <= lam < 1/alpha, epsilon >= 0, 0 <= nu < 1."""
        where = "NORMARegressor"
        positive(where, "alpha", self.alpha)
        at_least(where, "lam", self.lam, 0.0)
        inverse = 1.0 / float(self.alpha)
        require(float(self.alpha) * float(self.lam) < 1, where, f"lam must be < 1/alpha = {inverse:g}", self.lam)
        at_least(where, "epsilon", self.epsilon, 0.0)
        require(0.0 <= number(where, "nu", self.nu) < 1.0, where, "nu must be >= 0 and < 1", self.nu)

    def params(self) -> tuple[float, ...]:
        """alpha, lam."""
        return float(self.alpha), float(self.lam)

    @property
    def tube(self) -> float:
        """epsilon."""
        return float(self.epsilon)

    @property
    def tube_steps(self) -> tuple[float, float]:
        """(1 - nu) alpha and nu alpha, or 0 and 0 if the tube is fixed."""
        nu, alpha = float(self.nu), float(self.alpha)
        return ((1.0 - nu) * alpha, nu * alpha) if nu > 0.0 else (0.0, 0.0)

    @property
    def passive(self) -> float:
        """0 if neither the weights nor the tube change inside the tube; otherwise infinite."""
        return 0.0 if self.lam == 0.0 and self.nu == 0.0 else np.inf
