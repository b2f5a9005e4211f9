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

from tests.oracles.projections import Vector


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
