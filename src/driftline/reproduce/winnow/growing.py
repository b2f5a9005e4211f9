"""Few attributes that matter, among more and more that do not: a threshold "r of k" on examples that are half ones.

An example is positive where at least r of the k relevant attributes are 1. Only the hard ones are drawn: exactly r of
them are 1 in a positive one and r - 1 in a negative one, with equal probability, so that every example has the least
margin that a target of its kind allows. Irrelevant attributes are fair coins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from driftline.bounds import BalancedWinnowSeparable, PerceptronSeparable, WinnowBest
from driftline.learners import Learner
from driftline.reproduce.winnow.race import Block, race
from driftline.reproduce.winnow.sizes import Sizes

PART = "growing"
WINNOW, BALANCED, PERCEPTRON = "Winnow", "balanced Winnow", "Perceptron"
ROUNDS = 20
"""Rounds for each attribute, where that is more than the least number."""
CELLS = 200_000
"""Entries of a block: few enough to stay close to the processor."""


@dataclass(frozen=True)
class Threshold:
    """r of k relevant attributes, the first k; and so many irrelevant ones after them."""

    r: int
    k: int
    irrelevant: int

    @property
    def n(self) -> int:
        """All attributes."""
        return self.k + self.irrelevant

    @property
    def u(self) -> np.ndarray:
        """Weights that separate with margin 1/2, that of the constant attribute last."""
        return np.concatenate([np.ones(self.k), np.zeros(self.irrelevant), [0.5 - self.r]])

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """So many rounds."""
        size = max(20, min(1000, CELLS // self.n))
        for start in range(0, rounds, size):
            yield self.drawn(rng, min(size, rounds - start))

    def drawn(self, rng: np.random.Generator, rows: int) -> Block:
        """So many examples, as a matrix of booleans, and their labels."""
        width = -(-self.irrelevant // 8)
        coins = np.unpackbits(np.frombuffer(rng.bytes(rows * width), np.uint8).reshape(rows, width), axis=1)
        y = np.where(rng.integers(2, size=rows) == 1, 1.0, -1.0)
        order = rng.permuted(np.tile(np.arange(self.k), (rows, 1)), axis=1)
        X = np.empty((rows, self.n), bool)
        X[:, : self.k] = order < np.where(y > 0.0, self.r, self.r - 1)[:, None]
        X[:, self.k :] = coins[:, : self.irrelevant]
        return X, y

    def winnow(self) -> WinnowBest:
        """Winnow's theorem at the factor for which it promises most."""
        delta = 1.0 / self.r
        steepest = 0.99 / (1.0 - delta) if delta < 1.0 else 10.0
        return min(
            (
                WinnowBest(n=self.n, delta=delta, U=self.k / self.r, H=math.log(self.k), beta=float(beta))
                for beta in np.geomspace(1.01, steepest, 300)
            ),
            key=lambda bound: bound.value,
        )

    def balanced(self) -> BalancedWinnowSeparable:
        """Balanced Winnow's theorem; the constant attribute counts."""
        shares = np.abs(self.u[self.u != 0.0])
        total = float(shares.sum())
        shares = shares / total
        return BalancedWinnowSeparable(
            n=self.n + 1, X=1.0, gamma=0.5 / total, H=-float(np.sum(shares * np.log(shares)))
        )

    def perceptron(self) -> PerceptronSeparable:
        """The Perceptron's theorem, where the longest example has all irrelevant attributes."""
        longest = math.sqrt(self.irrelevant + self.r + 1.0)
        return PerceptronSeparable(R=longest, gamma=0.5 / float(np.linalg.norm(self.u)))


def where(r: int, k: int) -> str:
    """What the target is called."""
    return f"{r} of {k}"


def raced(target: Threshold, rng: np.random.Generator, sizes: Sizes) -> dict[str, dict[str, float]]:
    """All three learners on one stream of the target, with their bounds."""
    winnow, balanced = target.winnow(), target.balanced()
    learners: dict[str, Learner] = {
        WINNOW: dl.Winnow(winnow.tuning()["theta"], winnow.tuning()["beta"], bias=False),
        BALANCED: dl.BalancedWinnow(balanced.tuning()["eta"]),
        PERCEPTRON: dl.Perceptron(),
    }
    bounds = {WINNOW: winnow.value, BALANCED: balanced.value, PERCEPTRON: target.perceptron().value}
    rounds = max(sizes.least, ROUNDS * target.n)
    counts = race(learners, target.blocks(rng, rounds), sizes.calm, sparse=(WINNOW, BALANCED))
    return {name: {**count, "bound": bounds[name]} for name, count in counts.items()}
