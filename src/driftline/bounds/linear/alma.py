"""ALMA with a fixed learning rate: Theorems 1 and 2, and the same bounds for any parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight, given
from driftline.bounds.linear.moving import CITATION, CONDITIONS, MovingTarget, part, smallest

KEPT = (*CONDITIONS, "ALMA keeps |w|_q <= B")


@dataclass(frozen=True, kw_only=True)
class ALMATarget(MovingTarget):
    """The inputs of the theorems on ALMA."""

    D: float = given("path length, sum |u_t - u_(t+1)|_q", 0.0, least=0.0)

    @property
    def C(self) -> float:
        """(p - 1) X^2 (B^2 + 2 B D) / 4."""
        return (self.p - 1.0) * self.X**2 * (self.B**2 + 2.0 * self.B * self.D) / 4.0


@dataclass(frozen=True, kw_only=True)
class ALMAMargin(ALMATarget):
    """Theorem 1: with the prescribed learning rate, y w.x <= rho on at most ``value`` rounds."""

    name: ClassVar[str] = "alma-margin"
    limits: ClassVar[str] = "margin errors at rho"
    conditions: ClassVar[tuple[str, ...]] = (*KEPT, "0 <= rho < mu", "alpha as prescribed")
    citation: ClassVar[str] = CITATION + ", Theorem 1"
    erratum: ClassVar[str] = "Lemma 2 says 'maximised' where it minimises."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at rho = 0")

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
        """The learning rate for this rho."""
        z = part(self.mu - self.rho, self.K, self.C)
        return {"alpha": 2.0 * z / ((self.p - 1.0) * self.X**2), "B": self.B, "rho": self.rho, "p": self.p}


@dataclass(frozen=True, kw_only=True)
class ALMAMistakes(ALMATarget):
    """Theorem 2: with the prescribed learning rate and any rho from 0 to the prescribed one,
    mistakes are at most ``value``.
    """

    name: ClassVar[str] = "alma"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*KEPT, "alpha as prescribed, 0 <= rho <= the prescribed one")
    citation: ClassVar[str] = CITATION + ", Theorem 2"
    erratum: ClassVar[str] = "The paper proves it for rho = 0 and rho = mu - r; it holds for every rho between them."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    @property
    def value(self) -> float:
        """Smallest K / (mu - z) + C / (z (mu - z))."""
        return smallest(self.mu, self.K, self.C)

    def tuning(self) -> dict[str, float]:
        """The learning rate, and the largest rho that it allows."""
        z = part(self.mu, self.K, self.C)
        return {"alpha": 2.0 * z / ((self.p - 1.0) * self.X**2), "B": self.B, "rho": self.mu - z, "p": self.p}


@dataclass(frozen=True, kw_only=True)
class ALMAUntuned(ALMATarget):
    """Mistakes of ALMA for any alpha that is not too large and any rho from 0 to mu - z, where
    z = alpha (p - 1) X^2 / 2.
    """

    name: ClassVar[str] = "alma-untuned"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (*KEPT, "z = alpha (p - 1) X^2 / 2 < mu", "rho <= mu - z")
    citation: ClassVar[str] = CITATION + ", proofs of Theorems 1 and 2"
    erratum: ClassVar[str] = "Not stated in the paper; its proof gives it for any learning rate."
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows, at the learning rate that Theorem 2 prescribes")

    alpha: float = given("the learning rate that was used", above=0.0)
    rho: float = given("the margin that was used", 0.0, least=0.0)

    @property
    def z(self) -> float:
        """alpha (p - 1) X^2 / 2."""
        return self.alpha * (self.p - 1.0) * self.X**2 / 2.0

    def check(self) -> None:
        """The learning rate is small enough for mu and rho."""
        super().check()
        self.holds(self.z < self.mu, "alpha (p - 1) X^2 / 2 < mu", self.z)
        self.holds(self.rho <= self.mu - self.z, "rho <= mu - alpha (p - 1) X^2 / 2", self.rho)

    @property
    def lost(self) -> float:
        """K + (B^2 / 2 + B D) / alpha: at least the loss at rho plus mu - rho - z per margin
        error, by the proof.
        """
        return self.K + (self.B**2 / 2.0 + self.B * self.D) / self.alpha

    @property
    def value(self) -> float:
        """(K + (B^2 / 2 + B D) / alpha) / (mu - z)."""
        return self.lost / (self.mu - self.z)


@dataclass(frozen=True, kw_only=True)
class ALMAUntunedMargin(ALMAUntuned):
    """Rounds with y w.x <= rho of ALMA for any alpha that is not too large and rho < mu - z, where
    z = alpha (p - 1) X^2 / 2.
    """

    name: ClassVar[str] = "alma-untuned-margin"
    limits: ClassVar[str] = "margin errors at rho"
    conditions: ClassVar[tuple[str, ...]] = (*KEPT, "z = alpha (p - 1) X^2 / 2 < mu", "rho < mu - z")
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at rho = 0")

    def check(self) -> None:
        """The learning rate is small enough for mu - rho."""
        super().check()
        self.holds(self.rho < self.mu - self.z, "rho < mu - alpha (p - 1) X^2 / 2", self.rho)

    @property
    def value(self) -> float:
        """(K + (B^2 / 2 + B D) / alpha) / (mu - rho - z)."""
        return self.lost / (self.mu - self.rho - self.z)
