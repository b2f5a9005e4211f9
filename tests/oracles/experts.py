"""Slow, obvious versions of the rules of experts, written from the specification; and sequences with bounds for them.

Every rule here keeps whole loss histories or logarithms and forms its shares anew on every round. ``round(z, y, w)``
returns the score before the round is learned.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logsumexp

Vector = np.ndarray


class Rule:
    """Losses, and what the rule itself has lost."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.L = np.zeros(n)
        self.loss = 0.0

    def shares(self) -> Vector:
        raise NotImplementedError

    def loss_of(self, z: Vector, y: float) -> Vector:
        return 0.5 * np.abs(z - y)

    def advice(self, z: Vector) -> Vector:
        return z

    def learn(self, loss: Vector) -> None:
        """All but the losses, which are added after it."""

    def round(self, z: Vector, y: float, w: float = 1.0) -> float:
        p = float(self.shares() @ self.advice(z))
        if w > 0.0:
            loss = w * self.loss_of(z, y)
            self.learn(loss)
            self.L = self.L + loss
            self.loss += w * 0.5 * abs(p - y)
        return p


class Vote(Rule):
    def loss_of(self, z: Vector, y: float) -> Vector:
        return np.where(np.sign(z) == y, 0.0, 1.0)

    def advice(self, z: Vector) -> Vector:
        return np.sign(z)


class Halving(Vote):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.alive = np.ones(n, bool)

    def shares(self) -> Vector:
        return self.alive / self.alive.sum()

    def learn(self, loss: Vector) -> None:
        self.alive = self.alive & (loss == 0.0)
        if not self.alive.any():
            self.alive[:] = True


class WeightedMajority(Vote):
    def __init__(self, n: int, beta: float = 1.0 / math.e) -> None:
        super().__init__(n)
        self.beta = beta

    def shares(self) -> Vector:
        v = self.beta ** (self.L - self.L.min())
        return v / v.sum()


def gibbs(losses: Vector, eta: float) -> Vector:
    g = -eta * losses
    return np.exp(g - logsumexp(g))


class ExponentialWeights(Rule):
    def __init__(self, n: int, eta: float | None = None, schedule: str | None = None) -> None:
        super().__init__(n)
        self.eta, self.schedule = eta, schedule
        self.rounds: list[Vector] = []

    def shares(self) -> Vector:
        past = np.array(self.rounds).reshape(-1, self.n)
        t = len(past) + 1
        if self.eta is not None:
            return gibbs(past.sum(axis=0), self.eta)
        if self.schedule == "doubling":
            length = 2 ** int(math.log2(t))  # of the epoch of round t, which starts at round `length`
            return gibbs(past[length - 1 :].sum(axis=0), math.sqrt(8.0 * math.log(self.n) / length))
        return gibbs(past.sum(axis=0), math.sqrt(8.0 * math.log(self.n) / t))

    def learn(self, loss: Vector) -> None:
        self.rounds.append(loss)


class AdaHedge(Rule):
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.gap = 0.0

    def shares(self) -> Vector:
        if self.gap == 0.0:
            leads = self.L.min() == self.L
            return leads / leads.sum()
        return gibbs(self.L, math.log(self.n) / self.gap)

    def learn(self, loss: Vector) -> None:
        v = self.shares()
        if self.gap == 0.0:
            mix = (self.L + loss).min() - self.L.min()
        else:
            eta = math.log(self.n) / self.gap
            mix = -(logsumexp(-eta * (self.L + loss)) - logsumexp(-eta * self.L)) / eta
        self.gap += max(0.0, float(v @ loss) - mix)


class FixedShare(Rule):
    """All in logarithms."""

    def __init__(self, n: int, eta: float = 0.5, alpha: float = 0.003) -> None:
        super().__init__(n)
        self.eta, self.alpha = eta, min(alpha, (n - 1.0) / n)
        self.g = np.full(n, -math.log(n))

    def shares(self) -> Vector:
        return np.exp(self.g)

    def weighed(self, loss: Vector) -> Vector:
        g = self.g - self.eta * loss
        return g - logsumexp(g)

    def learn(self, loss: Vector) -> None:
        rest = 1.0 - self.alpha - self.alpha / (self.n - 1)
        with np.errstate(divide="ignore"):
            self.g = np.logaddexp(self.weighed(loss) + np.log(max(rest, 0.0)), math.log(self.alpha / (self.n - 1)))


class VariableShare(FixedShare):
    """Every sum of what the others give is formed anew, in logarithms."""

    def __init__(self, n: int, eta: float = 0.5, alpha: float = 0.03) -> None:
        super().__init__(n, eta, alpha)

    def learn(self, loss: Vector) -> None:
        g = self.weighed(loss)
        kept = loss * math.log1p(-self.alpha)
        with np.errstate(divide="ignore"):
            given = g + np.log(-np.expm1(kept))
        others = np.array([logsumexp(np.delete(given, i)) for i in range(self.n)]) - math.log(self.n - 1)
        self.g = np.logaddexp(g + kept, others)


def by_hand(name: str, n: int, parameters: dict[str, Any]) -> Rule:
    rules = (Halving, WeightedMajority, ExponentialWeights, AdaHedge, FixedShare, VariableShare)
    return {rule.__name__.lower(): rule for rule in rules}[name](n, **parameters)


# ------------------------------------------------------------------------------------------------------ sequences
def accurate(rng: np.random.Generator, rounds: int, accuracy: Vector) -> tuple[Vector, Vector]:
    """Labels by coin, and experts that are right with these probabilities."""
    y = rng.choice([-1.0, 1.0], rounds)
    return np.where(rng.random((rounds, len(accuracy))) < accuracy, y[:, None], -y[:, None]), y


def switching(rng: np.random.Generator, rounds: int, n: int, k: int) -> tuple[Vector, Vector]:
    """Experts that guess, but for one that is right nine times in ten, and is another one after each of k changes."""
    Z, y = accurate(rng, rounds, np.full(n, 0.55))
    cuts = np.sort(rng.choice(np.arange(1, rounds), k, replace=False))
    best = rng.integers(n, size=k + 1)[np.searchsorted(cuts, np.arange(rounds), side="right")]
    good = rng.random(rounds) < 0.97
    Z[good, best[good]] = y[good]
    return Z, y


def best_partition(losses: Vector, k: int) -> float:
    """The smallest loss of a sequence of experts with at most k changes."""
    best = np.full((k + 1, losses.shape[1]), np.inf)
    best[0] = losses[0]
    for loss in losses[1:]:
        best[1:] = np.minimum(best[1:], best[:-1].min(axis=1, keepdims=True))
        best = best + loss
    return float(best.min())
