"""Online gradient descent with a decreasing step and a projection on a ball.

    w' = project(w + eta / sqrt(t) g x),    t = 1, 2, ... over the rounds with a step,  r = y - w.x

    loss        l(r)                        g
    squared     r^2 / 2                     r
    absolute    |r|                         sgn(r)
    epsilon     max(0, |r| - epsilon)       sgn(r) where |r| > epsilon, else 0

The projection is on the Euclidean ball or on the L1 ball of radius ``radius``; the L1 ball makes
weights 0 (Duchi, Shalev-Shwartz, Singer, Chandra 2008).
Zinkevich. Online convex programming and generalized infinitesimal gradient ascent. ICML 2003,
theorem 1.
Differs from the paper: t does not count rounds without a gradient, which the theorem allows, because
a loss of 0 adds nothing to the regret. A step on the square loss is at most r / |x|^2, which makes
the error 0, so that long examples cannot make the weights diverge.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from driftline.internals.compiled import Params, Weights, inlined, jit
from driftline.internals.require import at_least, one_of, positive
from driftline.rules.regression.residual_rule import Residual

CODE = 17
LOSSES, BALLS = ("squared", "absolute", "epsilon"), ("l2", "l1")
Loss = Literal["squared", "absolute", "epsilon"]
Ball = Literal["l2", "l1"]


@inlined
def step(m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau)."""
    if m >= 0.0 or x_sq == 0.0:
        return 1.0, 0.0
    eta = params[0] / sqrt(k + 1.0)
    if params[1] != 0.0:
        return 1.0, min(eta, 1.0 / x_sq) * -m
    return 1.0, eta


@jit
def into_l1_ball(w: Weights, radius: float) -> None:
    """Project w on the L1 ball: every |w_i| is reduced by the same amount, and not below 0."""
    total, count = 0.0, 0
    for j in range(w.size):
        if w[j] != 0.0:
            total += abs(float(w[j]))
            count += 1
    if total <= radius:
        return
    cut = (total - radius) / count
    while True:
        total, left = 0.0, 0
        for j in range(w.size):
            size = abs(float(w[j]))
            if size > cut:
                total += size
                left += 1
        if left == count or left == 0:
            break
        count = left
        cut = (total - radius) / count
    for j in range(w.size):
        size = abs(float(w[j])) - cut
        w[j] = 0.0 if size <= 0.0 else size if w[j] > 0.0 else -size


@dataclass(frozen=True)
class GradientDescent(Residual):
    """``eta`` > 0; ``radius`` > 0 of the ball, "l2" or "l1"; ``epsilon`` >= 0 for loss="epsilon"."""

    eta: float = 0.3
    radius: float = np.inf
    epsilon: float = 0.01
    loss: Loss = "squared"
    constraint: Ball = "l2"
    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("gradient-descent",)
    paper: ClassVar[str] = "Zinkevich 2003"

    def check(self) -> None:
        """eta > 0, radius > 0, epsilon >= 0, a known loss and a known ball."""
        where = "GradientDescent"
        positive(where, "eta", self.eta)
        positive(where, "radius", self.radius, finite=False)
        at_least(where, "epsilon", self.epsilon, 0.0)
        one_of(where, "loss", self.loss, LOSSES)
        one_of(where, "constraint", self.constraint, BALLS)

    def params(self) -> tuple[float, ...]:
        """eta, and whether the loss is squared."""
        return float(self.eta), float(self.loss == "squared")

    @property
    def tube(self) -> float:
        """epsilon, or 0 for losses without a tube."""
        return float(self.epsilon) if self.loss == "epsilon" else 0.0

    @property
    def tracks_norm(self) -> bool:  # type: ignore[override]
        """Whether the weights stay in a Euclidean ball."""
        return self.constraint == "l2" and self.radius < np.inf

    @property
    def norm(self) -> float:
        """1 if the weights stay in an L1 ball, else 2."""
        return 1.0 if self.constraint == "l1" and self.radius < np.inf else 2.0

    @property
    def ball(self) -> float:
        """radius."""
        return float(self.radius)
