"""Slow versions of the second-order learners: the inverse A of P, inverted anew when needed."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

Vector = np.ndarray
Matrix = np.ndarray


class Explicit:
    """Weights ``mu`` and the inverse ``A`` of P.

    ``diagonal`` keeps only a diagonal of each new matrix.
    """

    def __init__(self, A: Matrix, diagonal: bool) -> None:
        self.mu, self.A, self.diagonal = np.zeros(len(A)), A, diagonal
        self.updates = 0

    def update(self, x: Vector, y: float, weight: float) -> None:
        raise NotImplementedError

    def replace(self, A: Matrix) -> None:
        """Count an update and set A; the diagonal variant keeps the diagonal of P."""
        self.A = np.diag(1.0 / np.diag(np.linalg.inv(A))) if self.diagonal else A
        self.updates += 1

    def learn(self, x: Vector, y: float, weight: float = 1.0) -> float:
        score = float(self.mu @ x)
        if weight > 0.0 and x.any():
            self.update(x, y, weight)
        return score


class SecondOrderPerceptron(Explicit):
    """A = a I + sum of x x^T and w = sum of y x over the mistakes; the score is (A^-1 w).x.

    The diagonal variant keeps the diagonal of A.

    Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM J. Computing 34
    (2005).
    """

    def __init__(self, n: int, a: float = 1.0, diagonal: bool = False) -> None:
        super().__init__(a * np.eye(n), diagonal)
        self.w = np.zeros(n)

    def replace(self, A: Matrix) -> None:
        self.A = np.diag(np.diag(A)) if self.diagonal else A
        self.updates += 1

    def update(self, x: Vector, y: float, weight: float) -> None:
        if y * (self.mu @ x) <= 0.0:
            self.w += weight * y * x
            self.replace(self.A + np.outer(x, x))
            self.mu = np.linalg.solve(self.A, self.w)


class AROW(Explicit):
    """mu' = mu + (1 - m) / (v + r) y h and A' = A + x x^T / r where m < 1, h = A^-1 x, v = x.h.

    A sample weight divides r.

    Crammer, Kulesza, Dredze. Adaptive regularization of weight vectors. Machine Learning 91
    (2013), section 3.
    """

    def __init__(self, n: int, r: float = 1.0, diagonal: bool = False) -> None:
        super().__init__(np.eye(n), diagonal)
        self.r = r

    def update(self, x: Vector, y: float, weight: float) -> None:
        m = y * (self.mu @ x)
        if m < 1.0:
            h = np.linalg.solve(self.A, x)
            self.mu = self.mu + (1.0 - m) / (x @ h + self.r / weight) * y * h
            self.replace(self.A + np.outer(x, x) * weight / self.r)


class SCW(Explicit):
    """SCW-I: mu' = mu + alpha y P x and P' = P - beta (P x) (P x)^T.

    ``gain`` has alpha and beta. A sample weight multiplies C.

    Wang, Zhao, Hoi. Exact soft confidence-weighted learning. ICML 2012, Proposition 1.
    """

    def __init__(self, n: int, C: float = 1.0, eta: float = 0.9, diagonal: bool = False) -> None:
        super().__init__(np.eye(n), diagonal)
        self.C, self.phi = C, NormalDist().inv_cdf(eta)

    def gain(self, m: float, v: float, weight: float) -> tuple[float, float]:
        """alpha and beta of the paper for the margin m and the variance v = x.P x."""
        phi, psi, zeta = self.phi, 1.0 + self.phi**2 / 2.0, 1.0 + self.phi**2
        root = math.sqrt(m**2 * phi**4 / 4.0 + v * phi**2 * zeta)
        alpha = min(self.C * weight, max(0.0, (-m * psi + root) / (v * zeta)))
        deviation = (-alpha * v * phi + math.sqrt(alpha**2 * v**2 * phi**2 + 4.0 * v)) / 2.0
        return alpha, alpha * phi / (deviation + v * alpha * phi)

    def update(self, x: Vector, y: float, weight: float) -> None:
        P = np.linalg.inv(self.A)
        h = P @ x
        alpha, beta = self.gain(y * (self.mu @ x), x @ h, weight)
        if alpha > 0.0:
            self.mu = self.mu + alpha * y * h
            self.replace(np.linalg.inv(P - beta * np.outer(h, h)))
