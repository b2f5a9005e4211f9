"""Observations of a theorem: a count with its bound, and a case that violates a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from driftline import bounds


class Seen(NamedTuple):
    """An observation and its bound, both less what is free: the best expert's loss, where the rest is the regret."""

    observed: float
    bound: bounds.Bound
    free: float = 0.0

    @property
    def share(self) -> float:
        """How much of the bound was seen."""
        return (self.observed - self.free) / (self.bound.value - self.free)


class Broken(NamedTuple):
    """An observation, and what the theorem would allow if a condition were not needed."""

    observed: float
    allowed: float


Sequences = Callable[[], Iterator[Seen]]
Control = Callable[[], Broken]

SEQUENCES: dict[str, Sequences] = {}
CONTROLS: dict[str, Control] = {}


def shows(name: str) -> Callable[[Sequences], Sequences]:
    """Sequences with known comparators for the theorem of this name."""

    def add(found: Sequences) -> Sequences:
        assert name not in SEQUENCES
        SEQUENCES[name] = found
        return found

    return add


def breaks(*names: str) -> Callable[[Control], Control]:
    """A sequence on which these theorems fail, because a condition of theirs does."""

    def add(found: Control) -> Control:
        for name in names:
            assert name not in CONTROLS
            CONTROLS[name] = found
        return found

    return add
