"""NORMA: Theorems 3 and 4, and the same bounds for any parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.linear.moving import CITATION, CONDITIONS, MovingTarget, part, smallest

RATE = (
    "Theorem 4 prints alpha' / (1 - alpha' lam) for the rate; correct is alpha' / (1 + alpha' lam), as in Theorem 3. "
    "The printed value is negative if alpha' lam > 1."
)


def spread(X: float, B: float, D1: float, D2: float, T: float, p: float) -> float:
    """(p - 1) X^2 (B^2 + B (sqrt(T D2) + D1)) / 4."""
    return (p - 1.0) * X**2 * (B**2 + B * (math.sqrt(T * D2) + D1)) / 4.0


def rates(z: float, X: float, B: float, D2: float, T: float, p: float) -> dict[str, float]:
    """The learning rate alpha and the decay lam for this z."""
    rate = 2.0 * z / ((p - 1.0) * X**2)
    lam = math.sqrt(D2 / T) / (B * rate)
    return {"alpha": rate / (1.0 + rate * lam), "lam": lam}


@dataclass(frozen=True, kw_only=True)
class NORMATarget(MovingTarget):
    """The inputs of the theorems on NORMA."""

    T: int = given("rounds", least=1, whole=True)
    D1: float = given("path length, sum |u_t - u_(t+1)|_q", 0.0, least=0.0)
    D2: float = given("sum of its squares, sum |u_t - u_(t+1)|_q^2", 0.0, least=0.0)

    def check(self) -> None:
        """A moving target has D1 > 0 and D2 > 0; one of them alone was forgotten."""
        super().check()
        self.holds((self.D1 > 0.0) == (self.D2 > 0.0), "D1 > 0 and D2 > 0, or both 0,", min(self.D1, self.D2))

    @property
    def C(self) -> float:
        """(p - 1) X^2 (B^2 + B (sqrt(T D2) + D1)) / 4."""
        return spread(self.X, self.B, self.D1, self.D2, self.T, self.p)


@dataclass(frozen=True, kw_only=True)
class NORMAMargin(NORMATarget):
    """Theorem 3: with the prescribed learning rate and decay, y w.x <= rho on at most ``value``
    rounds.
    """

    name: ClassVar[str] = "norma-margin"
    limits: ClassVar[str] = "margin errors at rho"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, "0 <= rho < mu", "alpha and lam as prescribed")
    citation: ClassVar[str] = CITATION + ", Theorem 3"
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at rho = 0, with a fixed target")

    rho: float = given("the margin of a margin error", 0.0, least=0.0)

    def check(self) -> None:
        """rho is smaller than the margin of the comparators."""
        super().check()
        self.holds(self.rho < self.mu, "rho < mu", self.rho)

    @property
    def value(self) -> float:
        """Smallest K / (x - z) + C / (z (x - z)), x = mu - rho."""
        return smallest(self.mu - self.rho, self.K, self.C)

    def tuning(self) -> dict[str, float]:
        """The learning rate and the decay for this rho."""
        z = part(self.mu - self.rho, self.K, self.C)
        return {**rates(z, self.X, self.B, self.D2, self.T, self.p), "rho": self.rho, "p": self.p}


@dataclass(frozen=True, kw_only=True)
class NORMAMistakes(NORMATarget):
    """Theorem 4: with the prescribed learning rate and decay, mistakes are at most ``value``; rho
    may be smaller than prescribed.
    """

    name: ClassVar[str] = "norma"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (
        *CONDITIONS,
        "alpha and lam as prescribed, 0 <= rho <= the prescribed one",
    )
    citation: ClassVar[str] = CITATION + ", Theorem 4"
    erratum: ClassVar[str] = RATE
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows, with a fixed target")

    @property
    def value(self) -> float:
        """Smallest K / (mu - z) + C / (z (mu - z))."""
        return smallest(self.mu, self.K, self.C)

    def tuning(self) -> dict[str, float]:
        """The learning rate and the decay, and the largest rho that they allow."""
        z = part(self.mu, self.K, self.C)
        return {**rates(z, self.X, self.B, self.D2, self.T, self.p), "rho": self.mu - z, "p": self.p}


@dataclass(frozen=True, kw_only=True)
class NORMAUntuned(NORMATarget):
    """Mistakes of NORMA for any learning rate and decay, and any rho from 0 to mu - z, where
    z = alpha' (p - 1) X^2 / 2 and alpha' = alpha / (1 - alpha lam).
    """

    name: ClassVar[str] = "norma-untuned"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (
        *CONDITIONS,
        "z = alpha' (p - 1) X^2 / 2 < mu",
        "rho <= mu - z",
        "lam > 0 unless D2 = 0",
    )
    citation: ClassVar[str] = CITATION + ", proofs of Theorems 3 and 4"
    erratum: ClassVar[str] = "Not stated in the paper; its proof gives it for any learning rate and decay."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows without decay")

    alpha: float = given("the learning rate that was used", above=0.0)
    lam: float = given("the decay that was used", least=0.0)
    rho: float = given("the margin that was used", 0.0, least=0.0)

    @property
    def rate(self) -> float:
        """alpha' = alpha / (1 - alpha lam)."""
        return self.alpha / (1.0 - self.alpha * self.lam)

    @property
    def z(self) -> float:
        """alpha' (p - 1) X^2 / 2."""
        return self.rate * (self.p - 1.0) * self.X**2 / 2.0

    def check(self) -> None:
        """The learning rate is small enough for mu and rho; lam > 0 if the comparators move."""
        super().check()
        self.holds(self.alpha * self.lam < 1.0, "alpha lam < 1", self.alpha * self.lam)
        self.holds(self.lam > 0.0 or self.D2 == 0.0, "lam > 0 unless D2 = 0", self.D2)
        self.holds(self.z < self.mu, "alpha' (p - 1) X^2 / 2 < mu", self.z)
        self.holds(self.rho <= self.mu - self.z, "rho <= mu - alpha' (p - 1) X^2 / 2", self.rho)

    @property
    def lost(self) -> float:
        """K + Q / alpha': at least the loss at rho plus mu - rho - z per margin error."""
        decay = self.rate * self.lam
        moved = self.D2 / decay if self.D2 else 0.0
        Q = self.B**2 / 2.0 + (moved + 2.0 * self.B * self.D1 + self.T * decay * self.B**2) / 4.0
        return self.K + Q / self.rate

    @property
    def value(self) -> float:
        """(K + Q / alpha') / (mu - z), Q = B^2 / 2 + (D2 / (alpha' lam) + 2 B D1 + T alpha' lam B^2) / 4."""
        return self.lost / (self.mu - self.z)


@dataclass(frozen=True, kw_only=True)
class NORMAUntunedMargin(NORMAUntuned):
    """Rounds with y w.x <= rho of NORMA for any learning rate and decay, and rho < mu - z, where
    z = alpha' (p - 1) X^2 / 2 and alpha' = alpha / (1 - alpha lam).
    """

    name: ClassVar[str] = "norma-untuned-margin"
    limits: ClassVar[str] = "margin errors at rho"
    conditions: ClassVar[tuple[str, ...]] = (
        *CONDITIONS,
        "z = alpha' (p - 1) X^2 / 2 < mu",
        "rho < mu - z",
        "lam > 0 unless D2 = 0",
    )
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows without decay, at rho = 0")

    def check(self) -> None:
        """The learning rate is small enough for mu - rho."""
        super().check()
        self.holds(self.rho < self.mu - self.z, "rho < mu - alpha' (p - 1) X^2 / 2", self.rho)

    @property
    def value(self) -> float:
        """(K + Q / alpha') / (mu - rho - z), Q = B^2 / 2 + (D2 / (alpha' lam) + 2 B D1 + T alpha' lam B^2) / 4."""
        return self.lost / (self.mu - self.rho - self.z)
