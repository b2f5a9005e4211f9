"""PA2Regressor: the squared errors beyond epsilon, against any fixed comparator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class PA2RegressionLoss(Bound):
    """The sum of l_t^2 is at most (R^2 + 1 / (2 C)) (D^2 + 2 C S), l_t = max(0, |y_t - w.x_t| - epsilon)."""

    name: ClassVar[str] = "pa2-regression"
    limits: ClassVar[str] = "squared loss"
    conditions: ClassVar[tuple[str, ...]] = ("w = 0 at the start", "sample weights are 1", "|u|_2 <= D")
    citation: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7 (2006), Theorem 5"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    R: float = given("the largest length of an example, max |x_t|_2", above=0.0)
    D: float = given("the comparator's length", above=0.0)
    C: float = given("the parameter C", above=0.0)
    S: float = given("sum of k_t^2, k_t = max(0, |y_t - u.x_t| - epsilon)", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """(R^2 + 1 / (2 C)) (D^2 + 2 C S)."""
        return (self.R**2 + 0.5 / self.C) * (self.D**2 + 2.0 * self.C * self.S)
