"""Slow versions of the regressors, written from the papers and not from the compiled steps.

Weights are plain float64 vectors, and every norm is computed anew on every round. A constructor
takes the length `n` of an example (a bias coordinate, if any, is part of it) and then the
parameters under their public names. Notation: r = y - w.x the residual, q2 = |x|^2, `g` the weight
of an example.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from tests.oracles.projections import Vector, into_ball, project_l1


class Oracle(ABC):
    """One round: predict, count, then update. `w` is the weight vector."""

    epsilon = 0.0

    def __init__(self, n: int) -> None:
        self.w: Vector = np.zeros(n)
        self.mistakes = self.label_errors = self.margin_errors = self.updates = self.infeasible = 0

    def score(self, x: Vector) -> float:
        return float(self.w @ x)

    def learn(self, x: Vector, y: float, weight: float = 1.0) -> float:
        """Return the prediction before learning. A weight of 0 is counted and changes nothing."""
        f = self.score(x)
        self.margin_errors += abs(y - f) > self.epsilon
        if weight > 0.0:
            self.updates += self.update(x, y, y - f, weight)
        return f

    @abstractmethod
    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        """Change the weights; return whether x was added to them."""


class PA1Regressor(Oracle):
    """argmin |v - w|^2 / 2 + C xi with |y - v.x| <= epsilon + xi (Crammer et al. 2006, section 5).

    The solution lies on the ray from w along sgn(r) x: the step ends where the error is epsilon,
    or at length C |x|, whichever comes first.
    """

    def __init__(self, n: int, C: float = 1.0, epsilon: float = 0.1) -> None:
        super().__init__(n)
        self.C, self.epsilon = C, epsilon

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        if abs(r) <= self.epsilon or not x.any():
            return False
        aim = y - math.copysign(self.epsilon, r)
        full = (aim - self.w @ x) * x / (x @ x)
        longest = self.C * math.sqrt(x @ x)
        size = math.sqrt(full @ full)
        self.w = self.w + g * (full if size <= longest else full * (longest / size))
        return True


class PARegressor(Oracle):
    """The point nearest to w with |y - v.x| <= epsilon: a projection on a slab (section 5 there)."""

    def __init__(self, n: int, epsilon: float = 0.01) -> None:
        super().__init__(n)
        self.epsilon = epsilon

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        if abs(r) <= self.epsilon or not x.any():
            return False
        length = math.sqrt(x @ x)
        normal = x / length
        wall = (y - self.epsilon if r > 0.0 else y + self.epsilon) / length
        self.w = self.w + g * (wall - normal @ self.w) * normal
        return True


class PA2Regressor(Oracle):
    """argmin |v - w|^2 / 2 + C xi^2 with |y - v.x| <= epsilon + xi (Crammer et al. 2006, section 5).

    On the ray w + t sgn(r) x the goal is t^2 q2 / 2 + C (|r| - epsilon - t q2)^2, whose slope in t
    is q2 (t - 2 C (|r| - epsilon - t q2)).
    """

    def __init__(self, n: int, C: float = 0.01, epsilon: float = 0.01) -> None:
        super().__init__(n)
        self.C, self.epsilon = C, epsilon

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        loss, q2 = abs(r) - self.epsilon, x @ x
        if loss <= 0.0 or q2 == 0.0:
            return False
        t = loss / (q2 + 0.5 / self.C)
        self.w = self.w + g * t * math.copysign(1.0, r) * x
        return True


class NORMARegressor(Oracle):
    """Stochastic gradient of max(0, |r| - epsilon) + nu epsilon + lam |w|^2 / 2 (Kivinen et al. 2004)."""

    def __init__(self, n: int, alpha: float = 0.01, lam: float = 0.001, epsilon: float = 0.01, nu: float = 0.0) -> None:
        super().__init__(n)
        self.alpha, self.lam, self.epsilon, self.nu = alpha, lam, epsilon, nu

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        out = abs(r) > self.epsilon
        self.w = self.w - self.alpha * self.lam * self.w
        if out:
            self.w = self.w + g * self.alpha * np.sign(r) * x
        if self.nu > 0.0:
            slope = self.nu - out  # of the loss in epsilon
            self.epsilon = max(0.0, self.epsilon - self.alpha * slope)
        return out and bool(x.any())


class GradientDescent(Oracle):
    """Zinkevich (2003): w - eta_t gradient, then the nearest point of the ball."""

    def __init__(
        self,
        n: int,
        eta: float = 0.3,
        radius: float = math.inf,
        epsilon: float = 0.01,
        loss: str = "squared",
        constraint: str = "l2",
    ) -> None:
        super().__init__(n)
        self.eta, self.radius, self.loss, self.constraint = eta, radius, loss, constraint
        self.epsilon = epsilon if loss == "epsilon" else 0.0

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        if abs(r) <= self.epsilon or not x.any():
            return False
        eta = self.eta / math.sqrt(self.updates + 1.0)
        if self.loss == "squared":
            self.w = self.w + g * min(eta, 1.0 / (x @ x)) * r * x
        else:
            self.w = self.w + g * eta * np.sign(r) * x
        if self.constraint == "l1":
            self.w = project_l1(self.w, self.radius)[0]
        else:
            self.w = into_ball(self.w, self.radius)
        return True


class SecondOrderOracle(Oracle):
    """Least squares with a dense matrix P, or with its diagonal."""

    prior = 1.0

    def __init__(self, n: int, diagonal: bool) -> None:
        super().__init__(n)
        self.P = np.eye(n) * self.prior
        self.diagonal = diagonal

    def absorb(self, x: Vector, r: float, noise: float) -> None:
        """Condition w ~ N(w, P) on y = w.x with noise of this variance."""
        h = self.P @ x
        self.w = self.w + h * (r / (x @ h + noise))
        self.P = self.P - np.outer(h, h) / (x @ h + noise)
        if self.diagonal:
            self.P = np.diag(np.diag(self.P))


class RecursiveLeastSquares(SecondOrderOracle):
    """P / forgetting, then least squares (Haykin 2002, table 9.1); D of P = U D U^T is at most 1 / a."""

    def __init__(
        self, n: int, forgetting: float = 0.99, a: float = 1.0, diagonal: bool = False, most: int = 4096
    ) -> None:
        self.prior, self.forgetting = 1.0 / a, forgetting
        super().__init__(n, diagonal)

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        if not x.any():
            return False
        if self.diagonal:
            grown = np.minimum(self.prior, np.diag(self.P) / self.forgetting)
            self.P = np.diag(np.where(x != 0.0, grown, np.diag(self.P)))
        else:
            lower = np.linalg.cholesky(self.P[::-1, ::-1])  # P = U D U^T is Cholesky from the last row on
            D, U = np.diag(lower)[::-1] ** 2, (lower / np.diag(lower))[::-1, ::-1]
            self.P = (U * np.minimum(self.prior, D / self.forgetting)) @ U.T
        self.absorb(x, r, 1.0 / g)
        return True


class AROWRegressor(SecondOrderOracle):
    """P - h h^T / (x.h + r), then P + drift x x^T / |x|^2 (Vaits, Crammer 2011; Moroshko, Crammer 2013)."""

    def __init__(self, n: int, r: float = 1.0, drift: float = 0.003, diagonal: bool = False, most: int = 4096) -> None:
        super().__init__(n, diagonal)
        self.r, self.drift = r, drift

    def update(self, x: Vector, y: float, r: float, g: float) -> bool:
        if not x.any():
            return False
        self.absorb(x, r, self.r / g)
        more = self.drift * np.outer(x, x) / (x @ x)
        self.P = self.P + (np.diag(np.diag(more)) if self.diagonal else more)
        return True
