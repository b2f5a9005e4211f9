"""Comparators to try on a run: vectors that stand still, and paths of ever more pieces, for several prices of loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from driftline.certify.evidence import Evidence
from driftline.certify.fit import Path, path_of, smoothed

WORTHS = (0.01, 0.1, 1.0, 10.0)
HARD = (100.0, 1e5)
SWEEPS = 8
MOST_NUMBERS = 1 << 23
"""Of all vectors of a path together."""


@dataclass(frozen=True)
class Comparator:
    """A path and how it was found: ``rounds`` are those that it was fitted to, and has margins of."""

    path: Path
    worth: float
    rounds: Evidence
    scale: float = 1.0
    """By which its vectors are multiplied in a bound."""
    among: np.ndarray | None = None
    """Where its rounds are not all of the run: how many of its own there were up to each of these."""

    @property
    def moves(self) -> bool:
        """Whether it is more than one vector."""
        return self.segments > 1

    @property
    def segments(self) -> int:
        """Its pieces."""
        return self.path.segments

    @property
    def length(self) -> float:
        """Of its path, in units of its longest vector."""
        longest = self.path.longest()
        return self.path.moved()[0] / longest if longest > 0.0 else 0.0


def standing(rounds: Evidence) -> Iterator[Comparator]:
    """Vectors for all rounds."""
    for worth in _worths(rounds, WORTHS):
        yield Comparator(path_of(rounds, 1, worth, 4 * SWEEPS), worth, rounds)


def moving(rounds: Evidence) -> Iterator[Comparator]:
    """Paths of 2, 4, 8, ... pieces of at least eight rounds, in jumps and smooth."""
    for segments in _segments(rounds, 8):
        for worth in _worths(rounds, WORTHS):
            path = path_of(rounds, segments, worth, SWEEPS)
            yield Comparator(path, worth, rounds)
            yield Comparator(smoothed(rounds, path), worth, rounds)


def separating(rounds: Evidence) -> Iterator[Comparator]:
    """A vector, then paths, that have a margin on every round, as far as they can be found."""
    for segments in (1, *_segments(rounds, 1)):
        for worth in _worths(rounds, HARD):
            yield Comparator(path_of(rounds, segments, worth, 40 * SWEEPS), worth, rounds)


def _segments(rounds: Evidence, least: int) -> Iterator[int]:
    """2, 4, 8, ... pieces of at least so many rounds."""
    segments = 2
    while segments * least <= len(rounds) and segments * rounds.width <= MOST_NUMBERS and segments <= 512:
        yield segments
        segments *= 2


def _worths(rounds: Evidence, worths: tuple[float, ...]) -> Iterator[float]:
    """Prices of a unit of loss, relative to the length of the examples."""
    if not len(rounds):
        return
    typical = float(np.mean(rounds.lengths() ** 2))
    for worth in worths:
        yield worth / typical if typical > 0.0 else worth
