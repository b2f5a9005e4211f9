"""From a sparse target on dense examples to a dense target on sparse ones, one step at a time.

Each example has SHOWN of k relevant attributes, and as many irrelevant ones as make it SHOWN n / k ones in all. Half
of the relevant attributes have the weight 1, half -1; the label is the majority. So k is the density of the target,
n / k that of the examples, and the Perceptron's bound, SHOWN n, is the same all along, while that of balanced Winnow
grows like k^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from driftline.bounds import BalancedWinnowSeparable, BalancedWinnowUntuned, PerceptronSeparable
from driftline.learners import Learner
from driftline.reproduce.winnow.race import Block, race
from driftline.reproduce.winnow.sizes import RATES, SHOWN

PART, TUNING = "moving", "tuning"
WHERE = "path"
PERCEPTRON, THEOREM = "Perceptron", "balanced Winnow, its theorem's rate"
ROUNDS = 40
"""Rounds for each attribute."""
ROWS = 500


def rate(eta: float) -> str:
    """What balanced Winnow with a given rate is called."""
    return f"balanced Winnow, rate {eta:g}"


@dataclass(frozen=True)
class Majority:
    """k of n attributes matter, the first k, by signs that alternate."""

    n: int
    k: int

    @property
    def active(self) -> int:
        """Ones of an example."""
        return SHOWN * self.n // self.k

    @property
    def u(self) -> np.ndarray:
        """Weights that separate with margin 1."""
        return np.where(np.arange(self.n) < self.k, np.where(np.arange(self.n) % 2 == 0, 1.0, -1.0), 0.0)

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """So many rounds."""
        for start in range(0, rounds, ROWS):
            yield self.drawn(rng, min(ROWS, rounds - start))

    def drawn(self, rng: np.random.Generator, rows: int) -> Block:
        """So many examples, as a matrix of booleans, and their labels."""
        X = np.concatenate(
            [some(rng, rows, self.k, SHOWN), some(rng, rows, self.n - self.k, self.active - SHOWN)], axis=1
        )
        return X, np.sign(X @ self.u)

    def perceptron(self) -> PerceptronSeparable:
        """The Perceptron's theorem."""
        return PerceptronSeparable(R=math.sqrt(self.active), gamma=1.0 / math.sqrt(self.k))

    def balanced(self) -> BalancedWinnowSeparable:
        """Balanced Winnow's theorem, with the rate that it prescribes."""
        return BalancedWinnowSeparable(n=self.n, X=1.0, gamma=1.0 / self.k, H=math.log(self.k))

    def at_rate(self, eta: float) -> float | None:
        """The bound at any rate; None where there is none, as the rate is too large for the margin."""
        try:
            return BalancedWinnowUntuned(n=self.n, X=1.0, gamma=1.0 / self.k, eta=eta, H=math.log(self.k)).value
        except ValueError:
            return None


def some(rng: np.random.Generator, rows: int, of: int, count: int) -> np.ndarray:
    """A matrix of booleans with so many ones in each row, at random places."""
    X = np.zeros((rows, of), bool)
    if 0 < count < of:
        places = np.argpartition(rng.random((rows, of), dtype=np.float32), count - 1, axis=1)[:, :count]
        np.put_along_axis(X, places, True, axis=1)
    elif count == of:
        X[:] = True
    return X


def raced(target: Majority, rng: np.random.Generator) -> dict[str, dict[str, float | None]]:
    """All learners on one stream of the target, with their bounds."""
    theorem = target.balanced()
    learners: dict[str, Learner] = {
        PERCEPTRON: dl.Perceptron(bias=False),
        THEOREM: dl.BalancedWinnow(theorem.tuning()["eta"], bias=False),
        **{rate(eta): dl.BalancedWinnow(eta, bias=False) for eta in RATES},
    }
    bounds: dict[str, float | None] = {
        PERCEPTRON: target.perceptron().value,
        THEOREM: theorem.value,
        **{rate(eta): target.at_rate(eta) for eta in RATES},
    }
    counts = race(learners, target.blocks(rng, ROUNDS * target.n), sparse=tuple(learners))
    return {name: {**count, "bound": bounds[name]} for name, count in counts.items()}
