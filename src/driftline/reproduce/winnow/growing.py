"""A fixed number of relevant attributes among a growing number of irrelevant ones.

The target is an "r of k" threshold: an example is positive if at least r of the k relevant
attributes are 1. Only the hardest examples are drawn: exactly r relevant attributes are 1 in a
positive example and r - 1 in a negative one. Every example thus has the smallest margin that the
target allows. Both labels are equally likely. Irrelevant attributes are 0 or 1 with equal
probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from driftline.bounds import BalancedWinnowSeparable, PerceptronSeparable, WinnowBest
from driftline.learners import Learner
from driftline.reproduce.winnow.learner_runs import Block, run_learners
from driftline.reproduce.winnow.sizes import Sizes

PART = "growing"
WINNOW, BALANCED, PERCEPTRON = "Winnow", "balanced Winnow", "Perceptron"
ROUNDS = 20
"""Rounds per attribute, unless ``Sizes.least`` is larger."""
CELLS = 200_000
"""Entries of a block, small enough to fit into the processor cache."""


@dataclass(frozen=True)
class Threshold:
    """The target "r of k". The first k attributes are relevant and the others irrelevant."""

    r: int
    k: int
    irrelevant: int

    @property
    def n(self) -> int:
        """Total number of attributes."""
        return self.k + self.irrelevant

    @property
    def u(self) -> np.ndarray:
        """Weights that separate with margin 1/2. The last one is for the constant attribute."""
        return np.concatenate([np.ones(self.k), np.zeros(self.irrelevant), [0.5 - self.r]])

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """Yield this number of rounds in blocks."""
        size = max(20, min(1000, CELLS // self.n))
        for start in range(0, rounds, size):
            yield self.draw(rng, min(size, rounds - start))

    def draw(self, rng: np.random.Generator, rows: int) -> Block:
        """Return this number of examples as a boolean matrix, and their labels."""
        width = -(-self.irrelevant // 8)
        coins = np.unpackbits(np.frombuffer(rng.bytes(rows * width), np.uint8).reshape(rows, width), axis=1)
        y = np.where(rng.integers(2, size=rows) == 1, 1.0, -1.0)
        order = rng.permuted(np.tile(np.arange(self.k), (rows, 1)), axis=1)
        X = np.empty((rows, self.n), bool)
        X[:, : self.k] = order < np.where(y > 0.0, self.r, self.r - 1)[:, None]
        X[:, self.k :] = coins[:, : self.irrelevant]
        return X, y

    def winnow(self) -> WinnowBest:
        """Return Winnow's bound at the factor beta that minimises it."""
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
        """Return balanced Winnow's bound, which counts the constant attribute."""
        shares = np.abs(self.u[self.u != 0.0])
        total = float(shares.sum())
        shares = shares / total
        return BalancedWinnowSeparable(
            n=self.n + 1, X=1.0, gamma=0.5 / total, H=-float(np.sum(shares * np.log(shares)))
        )

    def perceptron(self) -> PerceptronSeparable:
        """Return the Perceptron's bound. The longest example has all irrelevant attributes."""
        longest = math.sqrt(self.irrelevant + self.r + 1.0)
        return PerceptronSeparable(R=longest, gamma=0.5 / float(np.linalg.norm(self.u)))


def target_name(r: int, k: int) -> str:
    """Return the name of the target."""
    return f"{r} of {k}"


def run_stream(target: Threshold, rng: np.random.Generator, sizes: Sizes) -> dict[str, dict[str, float]]:
    """Run the three learners on one stream of the target, and return their counts and bounds."""
    winnow, balanced = target.winnow(), target.balanced()
    learners: dict[str, Learner] = {
        WINNOW: dl.Winnow(winnow.tuning()["theta"], winnow.tuning()["beta"], bias=False),
        BALANCED: dl.BalancedWinnow(balanced.tuning()["eta"]),
        PERCEPTRON: dl.Perceptron(),
    }
    bounds = {WINNOW: winnow.value, BALANCED: balanced.value, PERCEPTRON: target.perceptron().value}
    rounds = max(sizes.least, ROUNDS * target.n)
    counts = run_learners(learners, target.blocks(rng, rounds), sizes.patience, sparse=(WINNOW, BALANCED))
    return {name: {**count, "bound": bounds[name]} for name, count in counts.items()}
