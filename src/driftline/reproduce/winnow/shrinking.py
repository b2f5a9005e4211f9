"""A shrinking margin in few dimensions: points on two discs at distance gamma from a plane.

The plane is random and passes through the centre of the unit ball. The discs consist of all points
of the ball at distance gamma on either side, and examples are uniform on them. Every example is
thus as close to the plane as the margin allows. If examples were only required to be no closer,
few would be close, and the margin would say little about the difficulty of the stream.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import driftline as dl
from driftline.bounds import CentreOfMassUpdates, EllipsoidUpdates, GridMistakes, PerceptronSeparable
from driftline.learners import Learner
from driftline.reproduce.winnow.learner_runs import Block, run_learners
from driftline.streams.synthetic.sphere import directions, orthogonal

PART = "shrinking"
PERCEPTRON, ELLIPSOID, CENTRE, GRID = "Perceptron", "ellipsoid", "centre of mass", "halving on the grid"
ROUNDS = 8
"""Number of rounds in units of 1 / gamma^2, the Perceptron's bound."""
FEWEST = 2000
"""Smallest number of rounds."""
BLOCKS = 20
"""Number of blocks of a stream. Whether a learner has settled is checked once per block."""
MOST = 1_000_000
"""Largest number of grid points times dimensions for which halving on the grid is run."""


def stream_name(d: int) -> str:
    """Return the name of the streams in d dimensions."""
    return f"d = {d}"


def round_blocks(rounds: int) -> list[np.ndarray]:
    """Return the indices of all rounds, split into blocks."""
    return np.array_split(np.arange(rounds), BLOCKS)


@dataclass(frozen=True)
class Discs:
    """Points on two discs in d dimensions, with margin gamma."""

    d: int
    gamma: float

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """Yield this number of rounds for one random plane."""
        u = directions(rng, 1, self.d)
        for rows in round_blocks(rounds):
            yield self.draw(rng, u, len(rows))

    def draw(self, rng: np.random.Generator, u: np.ndarray, rows: int) -> Block:
        """Return this number of points, and the side of the plane as their labels."""
        y = np.where(rng.integers(2, size=rows) == 1, 1.0, -1.0)
        reach = math.sqrt(1.0 - self.gamma**2) * rng.random(rows) ** (1.0 / (self.d - 1))
        V = orthogonal(rng, np.repeat(u, rows, axis=0))
        return (self.gamma * y)[:, None] * u + reach[:, None] * V, y

    @property
    def rounds(self) -> int:
        """Number of rounds, enough for the Perceptron to make all its mistakes."""
        return max(FEWEST, round(ROUNDS / self.gamma**2))

    @property
    def points(self) -> int:
        """Number of points of the grid."""
        return int((2 * math.ceil(math.sqrt(self.d) / self.gamma) + 1) ** self.d)


def run_stream(stream: Discs, rng: np.random.Generator, seed: int) -> dict[str, dict[str, float]]:
    """Run all learners on one stream, and return their counts and bounds."""
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
    counts = run_learners(learners, stream.blocks(rng, stream.rounds))
    return {name: {**count, "bound": bounds[name]} for name, count in counts.items()}
