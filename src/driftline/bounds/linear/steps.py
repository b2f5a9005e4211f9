"""Rules that shrink and step, w' = s w + tau y x: the mistakes that the steps of a run allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class StepMistakes(Bound):
    """Mistakes of PA, PA-I, PA-II, L2PA and every other rule w' = s w + tau y x with a shrink s
    from 0 to 1 and a step tau >= 0, against any comparators u_t, from the steps that were made.
    """

    name: ClassVar[str] = "steps"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 at the start",
        "every update is w' = s w + tau y x with 0 <= s <= 1 and tau >= 0",
        "every mistake is an update with tau >= c",
        "|u_t|_2 <= D",
    )
    citation: ClassVar[str] = (
        "After the proofs for the Perceptron, Freund, Schapire (1999), and for PA, Crammer, Dekel, Keshet, "
        "Shalev-Shwartz, Singer. JMLR 7 (2006)"
    )
    erratum: ClassVar[str] = "Not in the papers. It allows losses of the comparators, moving comparators and shrinking."
    proof: ClassVar[str] = """\
Write a_t = y_t x_t. An update gives

    tau_t a_t.u_t = u_t.(w_(t+1) - w_t) + (1 - s_t) u_t.w_t.

Without an update w_(t+1) = w_t. Sum over all rounds. By parts, and because w_1 = 0, the first
terms on the right are u_T.w_(T+1) - sum (u_(t+1) - u_t).w_(t+1), at most D W + V W. The second
terms are at most D F. On the left a_t.u_t >= 1 - max(0, 1 - a_t.u_t). Therefore

    sum tau_t <= D (W + F) + V W + lost.

The steps without a mistake sum to ``other``. Each mistake has a step of at least c."""
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    c: float = given("the smallest step tau of a mistake", above=0.0)
    W: float = given("the largest length of w, max |w_t|_2", least=0.0)
    D: float = given("the largest length of a comparator, max |u_t|_2", least=0.0)
    lost: float = given("sum over updates of tau_t max(0, 1 - y_t u_t.x_t)", least=0.0)
    V: float = given("path length, sum |u_(t+1) - u_t|_2", 0.0, least=0.0)
    F: float = given("the length that shrinking removed, the sum of (1 - s_t) |w_t|_2", 0.0, least=0.0)
    other: float = given("the sum of tau over the updates without a mistake", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """(D (W + F) + V W + lost - other) / c, and at least 0."""
        limit = self.D * (self.W + self.F) + self.V * self.W + self.lost
        return max(0.0, limit - self.other) / self.c
