"""PA1Regressor: errors beyond epsilon, squared up to C R^2 and linear above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given
from driftline.bounds.regression.pa_regressor import LEMMA


@dataclass(frozen=True, kw_only=True)
class PA1RegressionLoss(Bound):
    """The sum of min(l_t^2, C R^2 l_t) is at most R^2 (D^2 + 2 C L).

    Here l_t = max(0, |y_t - w.x_t| - epsilon). Proof. By Lemma 1, sum tau_t (2 l_t - tau_t |x_t|^2 -
    2 k_t) <= |u|^2, where k_t is the loss of u. As tau_t = min(C, l_t / |x_t|^2), the sum of
    tau_t l_t is at most D^2 + 2 C L, and tau_t l_t >= min(C l_t, l_t^2 / R^2).
    """

    name: ClassVar[str] = "pa1-regression"
    limits: ClassVar[str] = "capped loss"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "sample weights are 1", "|u|_2 <= D")
    citation: ClassVar[str] = f"{LEMMA}; the proof is that of Theorem 4"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the comparator's length", above=0.0)
    C: float = given("the parameter C", above=0.0)
    L: float = given("the loss of the comparator: sum of max(0, |y_t - u.x_t| - epsilon)", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """R^2 (D^2 + 2 C L)."""
        return self.R**2 * (self.D**2 + 2.0 * self.C * self.L)
