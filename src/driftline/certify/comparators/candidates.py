"""Comparators to try on a run: fixed vectors, and paths of more and more pieces, for several loss
weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from driftline.certify.comparators.fit import Path, path_of, smoothed
from driftline.certify.evidence import Evidence
from driftline.internals.compiled import Floats

WORTHS = (0.01, 0.1, 1.0, 10.0)
SOFT = WORTHS[:3]
PRICES = (3.0, 30.0, 300.0)
"""Penalties on the path length, in units of loss."""
HARD = (100.0, 1e5)
SWEEPS = 4
PIECES = (2, 4, 16, 64, 256)
"""Numbers of pieces to try. Many pieces are not worse than few but take longer."""
MOST_NUMBERS = 1 << 20
"""The largest number of values in all vectors of a path."""
LARGE = 1 << 22
"""For streams with more values, fewer paths are tried, with fewer sweeps."""


@dataclass(frozen=True)
class Comparator:
    """A path, and the weight of the loss in its fit."""

    path: Path
    worth: float
    scale: float = 1.0
    """The factor of its vectors in a bound."""
    among: np.ndarray | None = None
    """If it covers only some rounds of the run: their number up to each round of the run."""
    trivial: float = np.inf
    """The value of its bound for the comparator 0; a larger bound says nothing."""
    growth: dict[str, Floats] = field(default_factory=dict)
    """Inputs of its bound after each round, if ``over_time`` cannot compute them."""

    @property
    def moves(self) -> bool:
        """Whether it has more than one vector."""
        return self.segments > 1

    @property
    def segments(self) -> int:
        """The number of its pieces."""
        return self.path.segments

    @property
    def length(self) -> float:
        """The length of its path, in units of its longest vector."""
        longest = self.path.longest()
        return self.path.moved()[0] / longest if longest > 0.0 else 0.0


def standing(rounds: Evidence) -> Iterator[Comparator]:
    """Yield fixed vectors for all rounds."""
    large = rounds.values.size > LARGE
    for worth in _worths(rounds, WORTHS):
        yield Comparator(path_of(rounds, 1, worth, (3 if large else 8) * SWEEPS), worth)


def moving(rounds: Evidence) -> Iterator[Comparator]:
    """Yield paths of more and more pieces, piecewise constant and smooth, for several penalties.

    A piece has at least eight rounds before its borders are moved.
    """
    large = rounds.values.size > LARGE
    for segments in _segments(rounds, 8):
        for worth in _worths(rounds, SOFT[1:] if large else SOFT):
            for price in PRICES[1:2] if large else PRICES:
                path = path_of(rounds, segments, worth, SWEEPS, price * worth)
                yield Comparator(path, worth)
                yield Comparator(smoothed(rounds, path), worth)


def separating(rounds: Evidence) -> Iterator[Comparator]:
    """Yield vectors, then paths, fitted to have a margin on every round."""
    for segments in (1, *_segments(rounds, 1)):
        for worth in _worths(rounds, HARD):
            yield Comparator(path_of(rounds, segments, worth, 40 * SWEEPS, worth), worth)


def _segments(rounds: Evidence, least: int) -> Iterator[int]:
    """Yield the numbers of pieces to try, with at least ``least`` rounds per piece."""
    return (k for k in PIECES if k * least <= len(rounds) and k * rounds.width <= MOST_NUMBERS)


def _worths(rounds: Evidence, worths: tuple[float, ...]) -> Iterator[float]:
    """Yield the loss weights, scaled by the mean squared length of the examples."""
    if not len(rounds):
        return
    typical = float(np.mean(rounds.lengths() ** 2))
    for worth in worths:
        yield worth / typical if typical > 0.0 else worth
