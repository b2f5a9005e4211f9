"""How large everything is, in full and in quick."""

from __future__ import annotations

from dataclasses import dataclass

RELEVANT = 5
"""Attributes that matter, where irrelevant ones grow."""
NEEDED = (1, 3)
"""Of these, how many make an example positive: a disjunction, and a threshold."""
SHOWN = 7
"""Relevant attributes of an example, where densities move; odd, so that there is a majority."""
RATES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Balanced Winnow's rates, of which tuning seeds choose."""


@dataclass(frozen=True)
class Sizes:
    """Grids and numbers of seeds."""

    seeds: int
    tuning: int
    """Further seeds that only choose rates."""
    irrelevant: tuple[int, ...]
    calm: int
    """A learner is done after so many rounds without a mistake, where irrelevant attributes grow."""
    least: int
    """Rounds that there are at least for it; else a multiple of the attributes."""
    attributes: int
    """In all, where densities move: SHOWN times a power of two."""
    dimensions: tuple[int, ...]
    margins: tuple[float, ...]

    @property
    def relevant(self) -> tuple[int, ...]:
        """Relevant attributes along the path, from twice those shown to all."""
        steps = (self.attributes // SHOWN).bit_length() - 1
        return tuple(SHOWN * 2**k for k in range(1, steps + 1))


FULL = Sizes(
    seeds=20,
    tuning=5,
    irrelevant=(10, 32, 100, 316, 1000, 3162, 10000),
    calm=3000,
    least=60_000,
    attributes=SHOWN * 64,
    dimensions=(2, 3, 4, 5, 6),
    margins=(0.75, 0.56, 0.32, 0.18, 0.1, 0.056, 0.032, 0.018, 0.01, 0.0056, 0.0032),
)
QUICK = Sizes(
    seeds=5,
    tuning=2,
    irrelevant=(10, 32, 100, 178, 316, 562, 1000),
    calm=2000,
    least=20_000,
    attributes=SHOWN * 16,
    dimensions=(2, 3, 4),
    margins=(0.75, 0.56, 0.32, 0.18, 0.1, 0.056, 0.032),
)
