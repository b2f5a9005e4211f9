"""Slow versions of the multiplicative learners: weights themselves, not their logarithms."""

from __future__ import annotations

import math

import numpy as np


class Winnow:
    """Predict 1 where w.x >= theta; on a mistake multiply every w_i by beta^(+x_i) or beta^(-x_i).

    The score is (w.x - theta) / (w.x + theta). Labels are 0 and 1. A sample weight multiplies the
    exponents.

    Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988).
    """

    def __init__(self, n: int, theta: float, beta: float) -> None:
        self.theta, self.beta = theta, beta
        self.w = np.ones(n)
        self.updates = 0

    def learn(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        total = float(self.w @ x)
        if weight and (total >= self.theta) != (y == 1) and x.any():
            self.w *= self.beta ** (weight * x * (1.0 if y == 1 else -1.0))
            self.updates += 1
        return (total - self.theta) / (total + self.theta)


class TrackingWinnow:
    """Winnow, and after an update no weight is below ``floor``.

    Auer, Warmuth. Tracking the best disjunction. Machine Learning 32 (1998), the algorithm Swin.
    """

    def __init__(self, n: int, theta: float, beta: float, floor: float) -> None:
        self.theta, self.beta, self.floor = theta, beta, floor
        self.w = np.ones(n)
        self.updates = 0

    def learn(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        total = float(sum(self.w[i] * x[i] for i in range(len(x))))
        predicted = 1 if total >= self.theta else 0
        if weight and predicted != y and x.any():
            for i in range(len(x)):
                power = weight * x[i] if y == 1 else -weight * x[i]
                self.w[i] = max(self.w[i] * self.beta**power, self.floor)
            self.updates += 1
        return (total - self.theta) / (total + self.theta)


class BalancedWinnow:
    """w = w+ - w-; where y w.x <= 0, w+ is multiplied by e^(eta y x) and w- by e^(-eta y x).

    The score is asinh(w.x / 2). A sample weight multiplies the exponents.

    Littlestone (1988); Grove, Littlestone, Schuurmans. General convergence results for linear
    discriminant updates. Machine Learning 43 (2001).
    """

    def __init__(self, n: int, eta: float) -> None:
        self.eta = eta
        self.up, self.down = np.ones(n), np.ones(n)
        self.updates = 0

    @property
    def w(self) -> np.ndarray:
        return self.up - self.down

    def learn(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        total = float(self.w @ x) / 2.0
        if weight and y * total <= 0.0 and x.any():
            self.up *= np.exp(self.eta * weight * y * x)
            self.down *= np.exp(-self.eta * weight * y * x)
            self.updates += 1
        return math.asinh(total)
