"""A stream against the Perceptron: examples at the margin that undo one another, and never quite.

All lie in one plane, beside the target u: y x = gamma u + c v, where c is first half of what the unit ball leaves
room for, and then all of it, with a sign that alternates. So the Perceptron's weights along v swing from one side to
the other, as far as at first, and each example is a mistake until about 1 / (2 gamma^2) of them have added up along u.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from driftline.reproduce.winnow.race import Block
from driftline.reproduce.winnow.shrinking import Discs, parts
from driftline.streams.synthetic.sphere import directions, orthogonal

PART = "alternating"


@dataclass(frozen=True)
class Alternating(Discs):
    """The same margin and ball; the order is chosen, the plane is drawn."""

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """So many rounds in one random plane."""
        u = directions(rng, 1, self.d)
        v = orthogonal(rng, u)
        for t in parts(rounds):
            c = np.where(t == 0, 0.5, 1.0) * np.where(t % 2 == 0, 1.0, -1.0) * math.sqrt(1.0 - self.gamma**2)
            y = np.where(rng.integers(2, size=len(t)) == 1, 1.0, -1.0)
            yield y[:, None] * (self.gamma * u + c[:, None] * v), y
