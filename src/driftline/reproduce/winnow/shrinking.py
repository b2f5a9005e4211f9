"""A margin that shrinks, in few dimensions: points of two discs, at the distance gamma on either side of a plane.

The plane goes through the centre of the unit ball and is drawn at random; the discs are all points of the ball that
lie at that distance from it, and a point is uniform on one of them. Every example is as close to the plane as the
margin allows: on examples that are merely no closer, few are close at all, and the margin says little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from driftline.bounds import CentreOfMassUpdates, EllipsoidUpdates, GridMistakes, PerceptronSeparable
from driftline.learners import Learner
from driftline.reproduce.winnow.race import Block, race
from driftline.streams.synthetic.sphere import directions, orthogonal

PART = "shrinking"
PERCEPTRON, ELLIPSOID, CENTRE, GRID = "Perceptron", "ellipsoid", "centre of mass", "halving on the grid"
ROUNDS = 8
"""Rounds in units of 1 / gamma^2, the Perceptron's bound."""
FEWEST = 2000
BLOCKS = 20
"""A stream comes in so many: by them it is told whether a learner has fallen silent."""
MOST = 1_000_000
"""Points of the grid times dimensions: beyond that, Halving is left out."""


def where(d: int) -> str:
    """What the streams in d dimensions are called."""
    return f"d = {d}"


def parts(rounds: int) -> list[np.ndarray]:
    """The numbers of all rounds, block by block."""
    return np.array_split(np.arange(rounds), BLOCKS)


@dataclass(frozen=True)
class Discs:
    """Dimensions and margin."""

    d: int
    gamma: float

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """So many rounds about one random plane."""
        u = directions(rng, 1, self.d)
        for rows in parts(rounds):
            yield self.drawn(rng, u, len(rows))

    def drawn(self, rng: np.random.Generator, u: np.ndarray, rows: int) -> Block:
        """So many points, and the sides that they are on."""
        y = np.where(rng.integers(2, size=rows) == 1, 1.0, -1.0)
        reach = math.sqrt(1.0 - self.gamma**2) * rng.random(rows) ** (1.0 / (self.d - 1))
        V = orthogonal(rng, np.repeat(u, rows, axis=0))
        return (self.gamma * y)[:, None] * u + reach[:, None] * V, y

    @property
    def rounds(self) -> int:
        """Enough for the Perceptron to make all its mistakes."""
        return max(FEWEST, round(ROUNDS / self.gamma**2))

    @property
    def points(self) -> int:
        """Points of the grid."""
        return int((2 * math.ceil(math.sqrt(self.d) / self.gamma) + 1) ** self.d)


def raced(stream: Discs, rng: np.random.Generator, seed: int) -> dict[str, dict[str, float]]:
    """All learners on one stream, with their bounds."""
    d, gamma = stream.d, stream.gamma
    learners: dict[str, Learner] = {
        PERCEPTRON: dl.Perceptron(bias=False),
        ELLIPSOID: dl.EllipsoidLearner(bias=False),
        CENTRE: dl.VersionSpace(seed=seed, bias=False),
    }
    if stream.points * d <= MOST:
        learners[GRID] = dl.GridHalving(gamma=gamma, bias=False)
    bounds = {
        PERCEPTRON: PerceptronSeparable(R=1.0, gamma=gamma).value,
        ELLIPSOID: EllipsoidUpdates(d=d, gamma=gamma).value,
        CENTRE: CentreOfMassUpdates(d=d, gamma=gamma).value,
        GRID: GridMistakes(d=d, gamma=gamma).value,
    }
    counts = race(learners, stream.blocks(rng, stream.rounds))
    return {name: {**count, "bound": bounds[name]} for name, count in counts.items()}
