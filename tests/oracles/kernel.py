"""Slow versions of the kernel learners: a coefficient for every example, w over all products.

``Kernelized`` and ``KernelSecondOrder`` take one kernel matrix ``G`` over the whole stream, and an
example is the number of its row. |w|^2 is computed anew whenever it is needed: nothing is scaled,
tracked, reused or moved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from driftline import kernels
from tests.oracles.splitmix64 import output

Step = Callable[[float, float, float, int], tuple[float, float]]
NOTHING = (1.0, 0.0)


# values ---------------------------------------------------------------------------------------------------------------
def value(kernel: Any, x: np.ndarray, z: np.ndarray) -> float:
    """k(x, z) from its definition; ``kernel`` is one of driftline's or a function."""
    pairs = list(zip(x.tolist(), z.tolist(), strict=True))
    dot = sum(a * b for a, b in pairs)
    match kernel:
        case kernels.Linear():
            return float(dot)
        case kernels.Polynomial():
            return float((kernel.gamma * dot + kernel.offset) ** kernel.degree)
        case kernels.Gaussian():
            return math.exp(-kernel.gamma * sum((a - b) ** 2 for a, b in pairs))
        case kernels.Laplacian():
            return math.exp(-kernel.gamma * sum(abs(a - b) for a, b in pairs))
        case kernels.Multilinear():
            return math.prod(1.0 + a * b for a, b in pairs)
    return float(kernel(x, z))


def kernel_matrix(kernel: Any, X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    """k(x, z) for every row of X and every row of Z, or of X itself."""
    return np.array([[value(kernel, x, z) for z in (X if Z is None else Z)] for x in X])


# steps: (margin, k(x, x), |w|^2, updates so far) to (shrink, tau) --------------------------------
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


# the learners ---------------------------------------------------------------------------------------------------------
class Kernelized:
    """w = sum_t c_t phi(x_t) and w' = shrink w + tau y phi(x), with k(x, x) for |x|^2.

    ``evict`` says which example leaves when there are ``budget`` of them; examples older than
    ``age`` rounds (ShrunkPA: updates) leave anyway. ``Projectron`` is the oracle of
    ``evict="projectron"``.

    Shen, Dietterich (2009), section 5 ("oldest"); Cavallanti, Cesa-Bianchi, Gentile (2007)
    ("random"); Kivinen, Smola, Williamson (2004) ("age"); Dekel, Shalev-Shwartz, Singer (2008)
    ("forgetron", self-tuned).
    """

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
        """Store the newest example, and drop one where there are too many."""
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
            return output(self.seed, self.dropped) % len(self.live)
        return 0

    def _drop(self, slot: int) -> None:
        self.c[self.live.pop(slot)] = 0.0
        self.dropped += 1

    def _forget(self, r: int) -> None:
        """Multiply w by the largest phi with Psi(phi) <= 15/32 M - Q.

        phi is found on a fine grid and then by bisection.
        """
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
    """Projectron++ with every linear system solved anew.

    d solves K d = k, delta^2 = k(x, x) - k.d. A mistake with delta <= eta adds y d to the
    coefficients, another one adds the example; a margin in (0, 1) with 1 - m >= delta / eta adds
    tau y d.

    Orabona, Keshet, Caputo. Bounded kernel-based online learning. JMLR 10 (2009).
    """

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


class KernelSecondOrder:
    """score = sum_i alpha_i k(x_i, x) over the updates, where (a I + K) alpha = y.

    The system is solved anew for every score. An update where y score <= 0. A sample weight
    multiplies y in the system.

    Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM J. Computing 34
    (2005), section 4.
    """

    def __init__(self, G: np.ndarray, a: float = 1.0) -> None:
        self.G, self.a = G, a
        self.live: list[int] = []
        self.targets: list[float] = []

    @property
    def alpha(self) -> np.ndarray:
        K = self.G[np.ix_(self.live, self.live)]
        return np.linalg.solve(self.a * np.eye(len(self.live)) + K, np.array(self.targets))

    @property
    def updates(self) -> int:
        return len(self.live)

    def learn(self, t: int, y: float, weight: float = 1.0) -> float:
        score = float(self.alpha @ self.G[self.live, t])
        if y * score <= 0.0 and weight != 0.0:
            self.live.append(t)
            self.targets.append(y * weight)
        return score


def products(x: np.ndarray) -> np.ndarray:
    """Phi(x): the product of the features of every set of features."""
    found = np.ones(1)
    for value in x:
        found = np.concatenate([found, found * value])
    return found


class MultilinearPerceptron:
    """w += y Phi(x) where y s <= 0, s = w^3 . Phi(x), with all 2^n numbers of w.

    ``size`` is the sum of the absolute values of the terms of the last score, by which rounding is
    measured.

    Gentile. Tutorial on prediction with linear-threshold algorithms and kernels (2005), with p =
    4.
    """

    def __init__(self, n: int) -> None:
        self.w, self.sizes = np.zeros(1 << n), np.zeros(1 << n)
        self.size, self.updates = 0.0, 0

    def learn(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        phi = products(x)
        score, self.size = float(self.w**3 @ phi), float(self.sizes**3 @ np.abs(phi))
        if y * score <= 0.0 and weight != 0.0:
            self.w += y * weight * phi
            self.sizes += weight * np.abs(phi)
            self.updates += 1
        return score


class MultilinearByTriples:
    """The same by sums over triples of the examples added, for many features.

    s = sum_ijk a_i a_j a_k prod_f (1 + x_if x_jf x_kf x_f).
    """

    def __init__(self, n: int) -> None:
        self.V, self.a = np.zeros((0, n)), np.zeros(0)
        self.size = 0.0

    @property
    def updates(self) -> int:
        return len(self.a)

    def learn(self, x: np.ndarray, y: float) -> float:
        terms = self.a[:, None, None] * self.a[None, :, None] * self.a[None, None, :]
        for value, v in zip(x, self.V.T, strict=True):
            terms = terms * (1.0 + value * v[:, None, None] * v[None, :, None] * v[None, None, :])
        score, self.size = float(terms.sum()), float(np.abs(terms).sum())
        if y * score <= 0.0:
            self.V, self.a = np.vstack([self.V, x]), np.append(self.a, y)
        return score
