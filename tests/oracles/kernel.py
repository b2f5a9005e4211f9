"""Slow, obvious kernel learners, written from the specification: a coefficient for every example of the stream.

Kernel values come from one matrix over the whole stream, and |w|^2 is computed afresh whenever it is asked for: nothing
is scaled, tracked, reused or moved. ``STEPS`` are the rules: (margin, k(x, x), |w|^2, updates so far) to (shrink, tau).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Step = Callable[[float, float, float, int], tuple[float, float]]
NOTHING = (1.0, 0.0)


def fires(m: float, when: str) -> bool:
    return m < 1.0 if when == "margin" else m <= 0.0


def perceptron() -> Step:
    return lambda m, q, N, k: (1.0, 1.0) if m <= 0.0 else NOTHING


def projectionperceptron(eta: float, radius: float) -> Step:
    return lambda m, q, N, k: (1.0, eta) if m <= 0.0 else NOTHING


def norma(alpha: float, lam: float, rho: float) -> Step:
    return lambda m, q, N, k: (1.0 - alpha * lam, alpha if m <= rho else 0.0)


def alma(alpha: float, B: float, rho: float) -> Step:
    return lambda m, q, N, k: (1.0, alpha) if m <= rho else NOTHING


def selftuningalma(alpha: float) -> Step:
    def step(m: float, q: float, N: float, k: int) -> tuple[float, float]:
        gamma = math.sqrt(8.0) / alpha / math.sqrt(k + 1)
        if m / math.sqrt(q) > (1.0 - alpha) * gamma:
            return NOTHING
        return 1.0, math.sqrt(2.0 / (k + 1)) / math.sqrt(q)

    return step


def pa(when: str) -> Step:
    return lambda m, q, N, k: (1.0, (1.0 - m) / q) if fires(m, when) else NOTHING


def pa1(C: float, when: str) -> Step:
    return lambda m, q, N, k: (1.0, min(C, (1.0 - m) / q)) if fires(m, when) else NOTHING


def pa2(C: float, when: str) -> Step:
    return lambda m, q, N, k: (1.0, (1.0 - m) / (q + 0.5 / C)) if fires(m, when) else NOTHING


def shrunkpa(alpha: float, when: str) -> Step:
    return lambda m, q, N, k: (1 / (1 + alpha), (1 + alpha - m) / q / (1 + alpha)) if fires(m, when) else NOTHING


def l2pa(beta: float, when: str) -> Step:
    def step(m: float, q: float, N: float, k: int) -> tuple[float, float]:
        if not fires(m, when) or beta * beta * q < 1.0:
            return NOTHING
        Z = max(1.0, math.sqrt(max(0.0, N * q - m * m) / (beta * beta * q - 1.0)))
        return 1.0 / Z, (Z - m) / q / Z

    return step


def romma(when: str) -> Step:
    def step(m: float, q: float, N: float, k: int) -> tuple[float, float]:
        if not fires(m, when):
            return NOTHING
        if N == 0.0 or m >= q * N:
            return 0.0, 1.0 / q
        return (q * N - m) / (q * N - m * m), N * (1.0 - m) / (q * N - m * m)

    return step


STEPS: dict[str, Callable[..., Step]] = {
    one.__name__: one
    for one in (perceptron, projectionperceptron, norma, alma, selftuningalma, pa, pa1, pa2, shrunkpa, l2pa, romma)
}
BALLS = {"alma": "B", "projectionperceptron": "radius", "l2pa": "beta"}


def drawn(seed: int, count: int) -> int:
    """The count-th output of splitmix64."""
    mask = (1 << 64) - 1
    z = (seed + (count + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


class Expansion:
    """A rule over the examples 0, 1, 2, ... whose kernel values are ``G``, within a budget."""

    def __init__(
        self, G: np.ndarray, name: str, parameters: dict[str, Any], budget: int | None = None, evict: str = "oldest",
        age: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.G, self.budget, self.evict, self.age, self.seed = G, budget, evict, age, seed
        self.step = STEPS[name](**parameters)
        self.ball = 1.0 if name == "selftuningalma" else parameters.get(BALLS.get(name, ""), math.inf)
        self.counts_updates = name == "shrunkpa"
        self.c = np.zeros(len(G))
        self.live: list[int] = []  # by slot, for "random" and "smallest"; by age for the others
        self.came: dict[int, int] = {}
        self.clock = self.updates = self.dropped = self.M = 0
        self.Q = 0.0

    @property
    def w_sq(self) -> float:
        return max(0.0, float(self.c @ self.G @ self.c))

    def score(self, t: int) -> float:
        return float(self.c @ self.G[:, t])

    def learn(self, t: int, y: float, weight: float = 1.0) -> float:
        score, q = self.score(t), float(self.G[t, t])
        if weight == 0.0:
            return score
        shrink, tau = self.step(y * score, q, self.w_sq, self.updates) if q > 0.0 else NOTHING
        self.c *= shrink
        if shrink == 0.0:
            self.live.clear()
        self.clock += tau != 0.0 if self.counts_updates else 1
        if tau != 0.0:
            self.updates += 1
            self.c[t] += tau * weight * y
        if self.evict == "age":
            for old in [i for i in self.live if self.clock - self.came[i] >= self.age]:
                self._drop(self.live.index(old))
        if tau != 0.0:
            self._add(t)
        if self.w_sq > self.ball**2:
            self.c *= self.ball / math.sqrt(self.w_sq)
        return score

    def _add(self, t: int) -> None:
        """Make room for the newest, which w has already."""
        self.came[t] = self.clock
        self.M += 1
        slot = len(self.live)
        if self.budget is not None and slot == self.budget:
            slot = self._goes()
            if self.evict == "forgetron":
                self._forget(self.live[slot])
            self._drop(slot)
        self.live.insert(slot if self.evict in ("smallest", "random") else len(self.live), t)

    def _goes(self) -> int:
        if self.evict == "smallest":
            return int(np.argmin([abs(self.c[i]) * math.sqrt(self.G[i, i]) for i in self.live]))
        if self.evict == "random":
            return drawn(self.seed, self.dropped) % len(self.live)
        return 0

    def _drop(self, slot: int) -> None:
        self.c[self.live.pop(slot)] = 0.0
        self.dropped += 1

    def _forget(self, r: int) -> None:
        """The largest phi on a fine grid, then by bisection: Psi(phi) <= 15/32 M - Q."""
        a, mu = abs(self.c[r]), math.copysign(1.0, self.c[r]) * self.score(r)
        left = 15.0 / 32.0 * self.M - self.Q

        def psi(phi: float) -> float:
            return (phi * a) ** 2 + 2.0 * phi * a - 2.0 * phi**2 * a * mu

        grid = np.linspace(1.0, 0.0, 2001)
        phi = next(float(one) for one in grid if psi(float(one)) <= left)
        low, high = phi, min(1.0, phi + 1.0 / 2000.0)
        while phi < 1.0 and high - low > 1e-16:
            phi = (low + high) / 2.0
            if phi in (low, high):
                break
            low, high = (phi, high) if psi(phi) <= left else (low, phi)
        phi = low if phi < 1.0 else 1.0
        self.Q += psi(phi)
        self.c *= phi


class Projectron:
    """Projectron++ with every linear system solved afresh."""

    def __init__(self, G: np.ndarray, eta: float, budget: int | None = None) -> None:
        self.G, self.eta, self.budget = G, eta, budget
        self.c = np.zeros(len(G))
        self.live: list[int] = []
        self.updates = 0

    def learn(self, t: int, y: float) -> float:
        score = float(self.c @ self.G[:, t])
        m, S = y * score, self.live
        k = self.G[S, t]
        d = np.linalg.solve(self.G[np.ix_(S, S)], k) if S else np.zeros(0)
        near = float(k @ d)
        delta = math.sqrt(max(0.0, self.G[t, t] - near))
        if m <= 0.0:
            self.updates += 1
            if delta <= self.eta or len(S) == self.budget:
                self.c[S] += y * d
            else:
                self.c[t] = y
                S.append(t)
        elif m < 1.0 and 1.0 - m >= delta / self.eta:
            tau = min((1.0 - m) / near, 2.0 * (1.0 - m - delta / self.eta) / near, 1.0)
            self.updates += 1
            self.c[S] += tau * y * d
        return score
