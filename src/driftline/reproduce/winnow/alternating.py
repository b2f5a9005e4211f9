"""An adversarial stream for the Perceptron: successive updates almost cancel each other.

All examples lie in the plane of the target u and an orthogonal direction v: y x = gamma u + c v.
The sign of c alternates. Its size is half of the largest value inside the unit ball for the first
example, and the largest value after that. The Perceptron's weight along v therefore oscillates
with constant amplitude. Every example is a mistake until the weight along u has grown large
enough, which takes about 1 / (2 gamma^2) examples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from driftline.reproduce.winnow.learner_runs import Block
from driftline.reproduce.winnow.shrinking import Discs, round_blocks
from driftline.streams.synthetic.sphere import directions, orthogonal

PART = "alternating"


@dataclass(frozen=True)
class Alternating(Discs):
    """The adversarial stream in a random plane, with the same margin and ball as ``Discs``."""

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """Yield this number of rounds, all in one random plane."""
        u = directions(rng, 1, self.d)
        v = orthogonal(rng, u)
        for t in round_blocks(rounds):
            c = np.where(t == 0, 0.5, 1.0) * np.where(t % 2 == 0, 1.0, -1.0) * math.sqrt(1.0 - self.gamma**2)
            y = np.where(rng.integers(2, size=len(t)) == 1, 1.0, -1.0)
            yield y[:, None] * (self.gamma * u + c[:, None] * v), y
