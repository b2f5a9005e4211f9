"""Sizes of the streams and grids, for full and for quick runs."""

from __future__ import annotations

from dataclasses import dataclass

RELEVANT = 5
"""Number of relevant attributes, with growing attributes."""
NEEDED = (1, 3)
"""Number of relevant attributes that make an example positive: a disjunction and a threshold."""
SHOWN = 7
"""Relevant attributes of an example, with changing densities.

It is odd, so votes are never tied.
"""
RATES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Rates of balanced Winnow to select from on the tuning seeds."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of the grids and numbers of seeds."""

    seeds: int
    tuning: int
    """Number of additional seeds that are used only to select rates."""
    irrelevant: tuple[int, ...]
    patience: int
    """With growing attributes, a learner stops after this many rounds without a mistake."""
    least: int
    """Smallest number of rounds with growing attributes.

    It otherwise grows with the attributes.
    """
    attributes: int
    """Total number of attributes with changing densities: SHOWN times a power of two."""
    dimensions: tuple[int, ...]
    margins: tuple[float, ...]

    @property
    def relevant(self) -> tuple[int, ...]:
        """Numbers of relevant attributes along the path, from 2 SHOWN to all attributes."""
        steps = (self.attributes // SHOWN).bit_length() - 1
        return tuple(SHOWN * 2**k for k in range(1, steps + 1))


FULL = Sizes(
    seeds=20,
    tuning=5,
    irrelevant=(10, 32, 100, 316, 1000, 3162, 10000),
    patience=3000,
    least=60_000,
    attributes=SHOWN * 64,
    dimensions=(2, 3, 4, 5, 6),
    margins=(0.75, 0.56, 0.32, 0.18, 0.1, 0.056, 0.032, 0.018, 0.01, 0.0056, 0.0032),
)
QUICK = Sizes(
    seeds=5,
    tuning=2,
    irrelevant=(10, 32, 100, 178, 316, 562, 1000),
    patience=2000,
    least=20_000,
    attributes=SHOWN * 16,
    dimensions=(2, 3, 4),
    margins=(0.75, 0.56, 0.32, 0.18, 0.1, 0.056, 0.032),
)
