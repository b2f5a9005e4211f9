"""ROMMA: the mistake bound for separable examples, which is that of PA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.linear.pa import PAMistakes


@dataclass(frozen=True, kw_only=True)
class ROMMAMistakes(PAMistakes):
    """Mistakes of ROMMA, aggressive or not, are at most R^2 D^2 for a fixed target."""

    name: ClassVar[str] = "romma"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "y_t u.x_t >= 1 on every round", "|u|_2 <= D")
    citation: ClassVar[str] = "Li, Long. The relaxed online maximum margin algorithm. Machine Learning 46 (2002)"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")
