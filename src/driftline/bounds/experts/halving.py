"""Halving over experts: with experts that are always right, and with restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class HalvingMistakes(Bound):
    """Mistakes are at most log2(n / k), rounded down, if k of n experts are right on every round."""

    name: ClassVar[str] = "halving"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("k experts are right on every round",)
    citation: ClassVar[str] = "Littlestone (1988); Gentile, tutorial (2005), Halving"
    tight: ClassVar[Tight] = Tight(1.0, "advice that splits the remaining experts, with labels opposite to the vote")

    n: int = given("experts", least=1, whole=True)
    k: int = given("experts that are never wrong", 1, least=1, whole=True)

    def check(self) -> None:
        """k is at most n."""
        self.holds(self.k <= self.n, "k <= n", self.k)

    @property
    def value(self) -> float:
        """floor(log2(n / k))."""
        return float((self.n // self.k).bit_length() - 1)


@dataclass(frozen=True, kw_only=True)
class HalvingReset(Bound):
    """Mistakes of Halving with restarts when no expert is left, if the best expert errs L times."""

    name: ClassVar[str] = "halving-reset"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("all experts return when none is left",)
    citation: ClassVar[str] = "Littlestone, Warmuth (1994)"
    tight: ClassVar[Tight] = Tight(
        1.0, "advice that splits the remaining experts, so that each errs once in every epoch"
    )

    n: int = given("experts", least=1, whole=True)
    L: int = given("errors of the best expert", least=0, whole=True)

    @property
    def value(self) -> float:
        """(floor(log2 n) + 1) L + floor(log2 n)."""
        each = self.n.bit_length() - 1
        return float((each + 1) * self.L + each)
