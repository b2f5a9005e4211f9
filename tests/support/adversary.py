"""Targets that stand, drift or jump, and the examples that hurt a learner most."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from tests.oracles.projections import norm

MOTIONS = ("standing", "drifting", "jumping")


@dataclass(frozen=True)
class Targets:
    """Targets u_t with |u_t|_q <= 1, and the sums of |u_(t+1) - u_t|_q and of its squares."""

    U: np.ndarray
    p: float

    @property
    def q(self) -> float:
        return self.p / (self.p - 1.0)

    @property
    def steps(self) -> np.ndarray:
        return np.array([norm(step, self.q) for step in np.diff(self.U, axis=0)])

    @property
    def D1(self) -> float:
        return float(self.steps.sum())

    @property
    def D2(self) -> float:
        return float((self.steps**2).sum())


def targets(rng: np.random.Generator, motion: str, p: float, rounds: int, n: int) -> Targets:
    """Targets of length |u|_q <= 1, sparse where p > 2.

    They are one target, a slow walk from one to the next, or three in turn.
    """
    q = p / (p - 1.0)

    def drawn() -> np.ndarray:
        u = rng.normal(size=n) * (rng.permutation(n) < (n if p == 2.0 else 3))
        return u / norm(u, q)

    u, goal, U = drawn(), drawn(), []
    for t in range(rounds):
        U.append(u)
        if motion == "drifting":
            goal = drawn() if norm(goal - u, q) < 0.05 else goal
            u = u + 0.003 * (goal - u) / norm(goal - u, q)
            u = u / max(1.0, norm(u, q))
        if motion == "jumping" and (t + 1) % (rounds // 3) == 0 and t + 1 < rounds:
            u = drawn()
    return Targets(np.array(U), p)


def candidates(
    rng: np.random.Generator, found: Targets, mu: float, pool: int = 12
) -> Iterator[tuple[float, np.ndarray]]:
    """For each round a label y and rows to choose from, all with |x|_p <= 1 and y u.x >= mu."""
    p, q, n = found.p, found.q, found.U.shape[1]
    for u in found.U:
        y = rng.choice([-1.0, 1.0])
        along = np.sign(u) * (np.abs(u) / norm(u, q)) ** (q - 1.0)  # |along|_p = 1 and u.along = |u|_q
        noise = rng.normal(size=(pool, n)) * (rng.random((pool, n)) < 0.5) + 1e-12
        noise /= np.sum(np.abs(noise) ** p, axis=1, keepdims=True) ** (1.0 / p)
        part = rng.uniform(0.25, 0.6)
        rows = np.vstack([part * y * along + (1.0 - part) * noise, y * along])
        rows /= np.maximum(1.0, np.sum(np.abs(rows) ** p, axis=1, keepdims=True) ** (1.0 / p))
        yield y, rows[y * (rows @ u) >= mu]


def worst(learner: dl.Learner, rows: np.ndarray, y: float) -> np.ndarray:
    """The row with the smallest margin."""
    return rows[np.argmin(y * learner.score_many(rows))]


def at_margin_one(rng: np.random.Generator, u: np.ndarray, pool: int = 10) -> tuple[float, np.ndarray]:
    """A label y and rows of length 1 with y u.x just above 1, for |u|_2 > 1."""
    y = rng.choice([-1.0, 1.0])
    size = norm(u)
    height = (1.0 + 1e-9) / size
    across = rng.normal(size=(pool, len(u)))
    across -= np.outer(across @ u, u) / size**2
    across *= math.sqrt(1.0 - height**2) / np.linalg.norm(across, axis=1, keepdims=True)
    return y, y * height * u / size + across
