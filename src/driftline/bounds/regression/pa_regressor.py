"""PARegressor: the squared errors beyond epsilon, against any fixed comparator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

LEMMA = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7 (2006), Lemma 1"


@dataclass(frozen=True, kw_only=True)
class PARegressionLoss(Bound):
    """The sum of l_t^2 is at most R^2 (sqrt(S) + sqrt(S + D^2))^2, l_t = max(0, |y_t - w.x_t| - epsilon).

    Proof. By Lemma 1, sum tau_t (2 l_t - tau_t |x_t|^2 - 2 k_t) <= |u|^2, where k_t is the loss of u
    and tau_t = l_t / |x_t|^2. With A^2 = sum (l_t / |x_t|)^2 and S = sum (k_t / |x_t|)^2, Cauchy's
    inequality gives A^2 - 2 A sqrt(S) <= D^2, and the sum of l_t^2 is at most R^2 A^2.
    """

    name: ClassVar[str] = "pa-regression"
    limits: ClassVar[str] = "squared loss"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "sample weights are 1", "|u|_2 <= D")
    citation: ClassVar[str] = f"{LEMMA} and Theorem 3, for examples of any length"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the comparator's length", above=0.0)
    S: float = given("sum of (k_t / |x_t|)^2, k_t = max(0, |y_t - u.x_t| - epsilon)", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """R^2 (sqrt(S) + sqrt(S + D^2))^2."""
        return (self.R * (math.sqrt(self.S) + math.sqrt(self.S + self.D**2))) ** 2
