"""Slow versions of the calibration of a Tracker: whole matrices, one formula a line."""

from __future__ import annotations

import numpy as np

MEMORIES, STAYS = (1.0, 0.999), (1.0, 0.999, 0.99)


class Regression:
    """Logistic regression by Newton steps that forgets; its precision stays above 1/3."""

    def __init__(self, size: int, gamma: float) -> None:
        self.gamma, self.w, self.A, self.rounds = gamma, np.zeros(size), 3.0 * np.eye(size), 0

    def probability(self, z: np.ndarray) -> float:
        return float(1.0 / (1.0 + np.exp(-np.clip(self.w @ z, -30.0, 30.0))))

    def learn(self, z: np.ndarray, y: float) -> None:
        p = self.probability(z)
        slope = max(1e-4, p * (1.0 - p))
        before, size = np.linalg.inv(self.A), len(z)
        self.A = np.linalg.inv(self.gamma * before + slope * np.outer(z, z))
        self.w = self.w + (y - p) * self.A @ z
        if self.gamma < 1.0 and self.rounds % 8 == 0:
            unit = np.eye(size)[self.rounds // 8 % size]
            precision = (1.0 - self.gamma) * 8.0 * size / 3.0
            precise = np.linalg.inv(self.A)
            self.A = np.linalg.inv(precise + precision * np.outer(unit, unit))
            self.w = self.A @ precise @ self.w
        self.rounds += 1


class Rate:
    """The share of positive labels, with forgetting."""

    def __init__(self, stays: float) -> None:
        self.stays, self.positive, self.all = stays, 0.5, 1.0

    def probability(self) -> float:
        return min(1.0 - 1e-4, max(1e-4, self.positive / self.all))

    def learn(self, y: float) -> None:
        self.positive, self.all = self.stays * self.positive + y, self.stays * self.all + 1.0


class Calibration:
    """Regressions on several sets of features, and rates, mixed by log loss."""

    def __init__(self, *sizes: int) -> None:
        self.regressions = [[Regression(1 + size, gamma) for gamma in MEMORIES] for size in sizes]
        self.rates = [Rate(stays) for stays in STAYS]
        self.v = np.full(2 * len(sizes) + 3, 1.0 / (2 * len(sizes) + 3))

    def guesses(self, sets: list[np.ndarray]) -> np.ndarray:
        each = [one.probability(rowed(z)) for z, group in zip(sets, self.regressions, strict=True) for one in group]
        return np.array([*each, *(rate.probability() for rate in self.rates)])

    def probability(self, sets: list[np.ndarray]) -> float:
        return float(self.v @ self.guesses(sets))

    def learn(self, sets: list[np.ndarray], positive: bool) -> None:
        each = self.guesses(sets)
        v = self.v * np.maximum(1e-6, each if positive else 1.0 - each)
        self.v = (1.0 - 3e-4) * v / v.sum() + 3e-4 / len(v)
        for z, group in zip(sets, self.regressions, strict=True):
            for one in group:
                one.learn(rowed(z), float(positive))
        for rate in self.rates:
            rate.learn(float(positive))


def rowed(z: np.ndarray) -> np.ndarray:
    """The constant, then the features within their limits."""
    return np.append(1.0, np.clip(np.nan_to_num(z, nan=0.0, posinf=8.0, neginf=-8.0), -8.0, 8.0))


class Coupling:
    """Probabilities of several classes, q_k proportional to p_k^beta / (1 - p_k)^gamma."""

    def __init__(self) -> None:
        self.b, self.H = np.array([1.0, 0.0]), 10.0 * np.eye(2)

    def features(self, p: np.ndarray) -> np.ndarray:
        own = np.clip(p, 1e-9, 1.0 - 1e-9)
        return np.column_stack([np.log(own), -np.log(1.0 - own)])

    def probabilities(self, p: np.ndarray) -> np.ndarray:
        q = np.exp(self.features(p) @ self.b)
        shares: np.ndarray = q / q.sum()
        return shares

    def learn(self, p: np.ndarray, y: int) -> None:
        f, q = self.features(p), self.probabilities(p)
        m = q @ f
        self.H = 0.999 * self.H + 0.01 * np.eye(2) + (f - m).T @ (q[:, None] * (f - m))
        self.b = np.clip(self.b + np.linalg.solve(self.H, f[y] - m), [0.05, 0.0], [3.0, 3.0])
