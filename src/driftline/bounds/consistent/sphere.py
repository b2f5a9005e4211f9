"""Halving over all linear classifiers: the majority under the uniform measure on the sphere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.consistent.separated import Separated


@dataclass(frozen=True, kw_only=True)
class SphereMistakes(Separated):
    """Mistakes of the majority vote under the uniform measure on the sphere: log2(1 / mu), where
    mu is the measure of the consistent caps.
    """

    name: ClassVar[str] = "halving-sphere"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("some w of length 1 has y_t w.x_t >= gamma on every round",)
    citation: ClassVar[str] = "Gentile, tutorial (2005), Halving over linear classifiers"
    erratum: ClassVar[str] = "The printed measure (gamma / 2R)^(d-1) is not valid, even for d = 2."
    tight: ClassVar[Tight] = Tight(1.0, "a circle, with rows orthogonal to the middle of the remaining arc")

    def check(self) -> None:
        """There are two dimensions or more."""
        super().check()
        self.holds(self.d >= 2, "d >= 2", self.d)

    @property
    def value(self) -> float:
        """log2(1 / mu), mu = I((gamma/R)^2; (d-1)/2, 1/2) / 2, I the regularised incomplete beta function."""
        from scipy.special import betainc, betaln, hyp2f1  # slow to import

        a, x = (self.d - 1) / 2.0, (self.gamma / self.R) ** 2
        share = 0.5 * float(betainc(a, 0.5, x))
        if share > 0.0:
            return -math.log2(share)
        # mu underflows: use its series, I = x^a / (a B(a, 1/2)) F(a, 1/2; a + 1; x)
        log = a * math.log(x) - math.log(a) - float(betaln(a, 0.5)) + math.log(float(hyp2f1(a, 0.5, a + 1.0, x)))
        return -(log - math.log(2.0)) / math.log(2.0)
