"""Slow versions of the consistent learners: explicit candidates, matrices and samples."""

from __future__ import annotations

import math

import numpy as np


def grid_points(d: int, gamma: float, radius: float, W: float, grid: str) -> np.ndarray:
    """All candidates of GridHalving in d dimensions, one in each row.

    They are step m for every m in {-M, ..., M}^d.
    """
    finest = (math.sqrt(d) if grid == "sqrt" else 2.0 * d) * radius * W / gamma
    axis = np.arange(-math.ceil(finest), math.ceil(finest) + 1) * W / finest
    return np.stack(np.meshgrid(*[axis] * d, indexing="ij"), -1).reshape(-1, d)


class GridHalving:
    """The vote of the candidates that were never wrong; a tie is +1.

    ``grid="sqrt"``: step gamma / (sqrt(d) radius), M = ceil(sqrt(d) radius W / gamma);
    ``grid="lecture"``: step gamma / (2 d radius), M = ceil(2 d radius W / gamma). Where no
    candidate is left, all of them start again. The score is the mean of the votes.

    Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988).
    """

    def __init__(self, n: int, gamma: float, radius: float = 1.0, W: float = 1.0, grid: str = "sqrt") -> None:
        self.points = self.alive = grid_points(n, gamma, radius, W, grid)
        self.bound = math.log2(len(self.points))
        self.rounds = 0
        self.emptied: list[int] = []  # the rounds after which no candidate was left

    @property
    def w(self) -> np.ndarray:
        return np.asarray(self.alive.mean(axis=0))

    def learn(self, x: np.ndarray, y: float) -> float:
        votes = np.where(self.alive @ x >= 0.0, 1.0, -1.0)
        self.alive = self.alive[votes == y]
        if not len(self.alive):
            self.alive = self.points
            self.emptied.append(self.rounds)
        self.rounds += 1
        return float(votes.mean())


class EllipsoidLearner:
    """The deep-cut ellipsoid method with P = J J' instead of J.

        E = {w : (w - c)' P^-1 (w - c) <= 1}

    Where y c.x <= 0, with a = -y x, depth = a.c / sqrt(a' P a) and b = P a / sqrt(a' P a):

        c' = c - (1 + d depth) / (d + 1) b
        P' = d^2 / (d^2 - 1) (1 - depth^2) (P - 2 (1 + d depth) / ((d + 1) (1 + depth)) b b')

    An example that would leave nothing (depth >= 1) is infeasible and ignored.

    Shor (1977); as a learner: Maass, Turan. How fast can a threshold gate learn? (1994).
    """

    def __init__(self, n: int) -> None:
        self.d, self.c, self.P = n, np.zeros(n), np.eye(n)
        self.updates = self.infeasible = 0

    def learn(self, x: np.ndarray, y: float) -> float:
        score = float(self.c @ x)
        if y * score <= 0.0:
            self.update(x, y)
        return score

    def update(self, x: np.ndarray, y: float) -> None:
        d, a = self.d, -y * x
        size = math.sqrt(a @ self.P @ a)
        depth = max(0.0, float(a @ self.c) / size)
        if depth >= 1.0 - 1e-12:
            self.infeasible += 1
            return
        self.updates += 1
        b = self.P @ a / size
        self.c = self.c - (1.0 + d * depth) / (d + 1.0) * b
        if d == 1:
            self.P = self.P * (1.0 - depth) ** 2 / 4.0
        else:
            s = 2.0 * (1.0 + d * depth) / ((d + 1.0) * (1.0 + depth))
            self.P = d * d / (d * d - 1.0) * (1.0 - depth**2) * (self.P - s * np.outer(b, b))


class VersionSpace:
    """The mean of V = {w : |w| <= 1, y w.x >= 0 for every mistake}, by rejection sampling.

    Uniform points of the ball are drawn once; those in V are kept. The score is c.x, c the mean of
    V. ``update`` adds the cut of a mistake: the learner's centre is the mean of a random walk, so
    the two may disagree about which examples are mistakes.

    Gilad-Bachrach, Navot, Tishby. Bayes and Tukey meet at the center point. COLT (2004).
    """

    def __init__(self, n: int, size: int = 400_000, seed: int = 0) -> None:
        self.cuts = np.zeros((0, n))
        self.points = uniform_in_ball(np.random.default_rng(seed), size, n)

    @property
    def centre(self) -> np.ndarray:
        return np.asarray(self.points.mean(axis=0))

    @property
    def variance(self) -> np.ndarray:
        """The variance of a uniform point of V, for each coordinate."""
        return np.asarray(self.points.var(axis=0))

    def learn(self, x: np.ndarray, y: float) -> float:
        score = float(self.centre @ x)
        if y * score <= 0.0:
            self.update(x, y)
        return score

    def update(self, x: np.ndarray, y: float) -> None:
        cut = y * x / np.linalg.norm(x)
        self.cuts = np.vstack([self.cuts, cut])
        self.points = self.points[self.points @ cut >= 0.0]


def uniform_in_ball(rng: np.random.Generator, size: int, d: int) -> np.ndarray:
    """Uniform points of the unit ball, one in each row."""
    w = rng.normal(size=(size, d))
    return np.asarray(w * rng.random((size, 1)) ** (1.0 / d) / np.linalg.norm(w, axis=1, keepdims=True))
