"""Comparators to try on a run: vectors that stand still, and paths of ever more pieces, for several prices of loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from driftline.certify.comparators.fit import Path, path_of, smoothed
from driftline.certify.evidence import Evidence

WORTHS = (0.01, 0.1, 1.0, 10.0)
SOFT = WORTHS[:3]
PRICES = (3.0, 30.0, 300.0)
"""How much loss a unit of way must save."""
HARD = (100.0, 1e5)
SWEEPS = 4
PIECES = (2, 4, 16, 64, 256)
"""Many are not worse than few, since ways have a price; but it takes longer to find out."""
MOST_NUMBERS = 1 << 20
"""Of all vectors of a path together."""
LARGE = 1 << 22
"""Of streams with more values fewer paths are tried, and less long."""


@dataclass(frozen=True)
class Comparator:
    """A path, and the price of a loss at which it was found."""

    path: Path
    worth: float
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
    large = rounds.values.size > LARGE
    for worth in _worths(rounds, WORTHS):
        yield Comparator(path_of(rounds, 1, worth, (3 if large else 8) * SWEEPS), worth)


def moving(rounds: Evidence) -> Iterator[Comparator]:
    """Paths of ever more pieces, of eight rounds at least to begin with, in jumps and smooth, for several prices."""
    large = rounds.values.size > LARGE
    for segments in _segments(rounds, 8):
        for worth in _worths(rounds, SOFT[1:] if large else SOFT):
            for price in PRICES[1:2] if large else PRICES:
                path = path_of(rounds, segments, worth, SWEEPS, price * worth)
                yield Comparator(path, worth)
                yield Comparator(smoothed(rounds, path), worth)


def separating(rounds: Evidence) -> Iterator[Comparator]:
    """A vector, then paths, that have a margin on every round, as far as they can be found."""
    for segments in (1, *_segments(rounds, 1)):
        for worth in _worths(rounds, HARD):
            yield Comparator(path_of(rounds, segments, worth, 40 * SWEEPS, worth), worth)


def _segments(rounds: Evidence, least: int) -> Iterator[int]:
    """How many pieces to try, of at least so many rounds."""
    return (k for k in PIECES if k * least <= len(rounds) and k * rounds.width <= MOST_NUMBERS)


def _worths(rounds: Evidence, worths: tuple[float, ...]) -> Iterator[float]:
    """Prices of a unit of loss, relative to the length of the examples."""
    if not len(rounds):
        return
    typical = float(np.mean(rounds.lengths() ** 2))
    for worth in worths:
        yield worth / typical if typical > 0.0 else worth
