"""A path from a sparse target with dense examples to a dense target with sparse examples.

Of n attributes, k are relevant. Half of the relevant ones have the weight 1 and half -1, and the
label is the majority vote. Each example has SHOWN relevant attributes and SHOWN n / k attributes
in all. The density of the target is thus k and that of the examples n / k. The Perceptron's bound,
SHOWN n, is constant along the path, and that of balanced Winnow grows like k^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from driftline.bounds import BalancedWinnowSeparable, BalancedWinnowUntuned, PerceptronSeparable
from driftline.learners import Learner
from driftline.reproduce.winnow.learner_runs import Block, run_learners
from driftline.reproduce.winnow.sizes import RATES, SHOWN

PART, TUNING = "moving", "tuning"
WHERE = "path"
PERCEPTRON, THEOREM = "Perceptron", "balanced Winnow, its theorem's rate"
ROUNDS = 40
"""Rounds per attribute."""
ROWS = 500


def rate(eta: float) -> str:
    """Return the name of balanced Winnow with a given rate."""
    return f"balanced Winnow, rate {eta:g}"


@dataclass(frozen=True)
class Majority:
    """The majority vote of the first k of n attributes, with alternating signs."""

    n: int
    k: int

    @property
    def active(self) -> int:
        """Number of ones in each example."""
        return SHOWN * self.n // self.k

    @property
    def u(self) -> np.ndarray:
        """Weights that separate with margin 1."""
        return np.where(np.arange(self.n) < self.k, np.where(np.arange(self.n) % 2 == 0, 1.0, -1.0), 0.0)

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """Yield this number of rounds in blocks."""
        for start in range(0, rounds, ROWS):
            yield self.draw(rng, min(ROWS, rounds - start))

    def draw(self, rng: np.random.Generator, rows: int) -> Block:
        """Return this number of examples as a boolean matrix, and their labels."""
        X = np.concatenate(
            [random_rows(rng, rows, self.k, SHOWN), random_rows(rng, rows, self.n - self.k, self.active - SHOWN)],
            axis=1,
        )
        return X, np.sign(X @ self.u)

    def perceptron(self) -> PerceptronSeparable:
        """Return the Perceptron's bound."""
        return PerceptronSeparable(R=math.sqrt(self.active), gamma=1.0 / math.sqrt(self.k))

    def balanced(self) -> BalancedWinnowSeparable:
        """Return balanced Winnow's bound at the rate that the theorem prescribes."""
        return BalancedWinnowSeparable(n=self.n, X=1.0, gamma=1.0 / self.k, H=math.log(self.k))

    def at_rate(self, eta: float) -> float | None:
        """Return the bound at a rate, or None if the rate is too large for the margin."""
        try:
            return BalancedWinnowUntuned(n=self.n, X=1.0, gamma=1.0 / self.k, eta=eta, H=math.log(self.k)).value
        except ValueError:
            return None


def random_rows(rng: np.random.Generator, rows: int, of: int, count: int) -> np.ndarray:
    """Return a boolean matrix with ``count`` random ones in each row of length ``of``."""
    X = np.zeros((rows, of), bool)
    if 0 < count < of:
        places = np.argpartition(rng.random((rows, of), dtype=np.float32), count - 1, axis=1)[:, :count]
        np.put_along_axis(X, places, True, axis=1)
    elif count == of:
        X[:] = True
    return X


def run_stream(target: Majority, rng: np.random.Generator) -> dict[str, dict[str, float | None]]:
    """Run all learners on one stream of the target, and return their counts and bounds."""
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
    counts = run_learners(learners, target.blocks(rng, ROUNDS * target.n), sparse=tuple(learners))
    return {name: {**count, "bound": bounds[name]} for name, count in counts.items()}
