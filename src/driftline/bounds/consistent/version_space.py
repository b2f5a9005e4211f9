"""The centre of mass of the version space: updates by the share of the volume that a cut removes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.consistent.separated import Separated

GRUNBAUM = 1.0 / -math.log1p(-1.0 / math.e)


@dataclass(frozen=True, kw_only=True)
class CentreOfMassUpdates(Separated):
    """Updates of the exact centre of mass are at most 2.18 d ln(1 + R / gamma). For a sampled
    centre this is an estimate, not a bound.
    """

    name: ClassVar[str] = "versionspace"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "some w of length 1 has y_t w.x_t >= gamma on every round",
        "the centre is exact",
    )
    citation: ClassVar[str] = "Gruenbaum (1960); Gilad-Bachrach, Navot, Tishby (2004)"
    tight: ClassVar[Tight] = Tight(0.51, "the exact centre in two dimensions, with rows orthogonal to it")

    @property
    def value(self) -> float:
        """d ln(1 + R / gamma) / -ln(1 - 1/e)."""
        return GRUNBAUM * self.d * math.log1p(self.R / self.gamma)
