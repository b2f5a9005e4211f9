"""The ellipsoid learner: updates by the ratio of volumes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.consistent.separated import Separated


@dataclass(frozen=True, kw_only=True)
class EllipsoidUpdates(Separated):
    """Updates of the ellipsoid learner, by the exact ratio of volumes. The value is at most
    2 d (d + 1) ln(1 + R / gamma).
    """

    name: ClassVar[str] = "ellipsoid"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "some w of length 1 has y_t w.x_t >= gamma on every round",
        "no example is inconsistent",
    )
    citation: ClassVar[str] = "Khachiyan (1979); Yudin, Nemirovski (1976)"
    tight: ClassVar[Tight] = Tight(
        0.27, "ties that leave the centre as far from the target as possible, in two dimensions"
    )

    @property
    def value(self) -> float:
        """d ln(1 + R / gamma) / -ln(r), r the ratio of volumes after and before a central cut."""
        d, wanted = self.d, self.d * math.log1p(self.R / self.gamma)
        if d == 1:
            return wanted / math.log(2.0)
        return wanted / (math.log1p(1.0 / d) + (d - 1.0) / 2.0 * math.log1p(-1.0 / (float(d) * d)))
