"""Winnow: updates on features from 0 to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

LITTLESTONE = "Littlestone (1988); lecture on the Perceptron and Winnow"
FALSE = (
    "Theorem 5.2 is false as stated: the target's threshold must be 1, not theta (a stream on which every round is a "
    "mistake is in the tests); its constants are wrong also for theta = 1."
)
PROOF = " Its proof uses that weights are at most beta theta, which fails for features between 0 and 1."
TARGET = "mu >= 0, mu.x >= 1 on positive rounds and mu.x <= 1 - delta on negative ones"


@dataclass(frozen=True, kw_only=True)
class WinnowTarget(Bound):
    """The inputs of the theorems on Winnow."""

    n: int = given("features", least=1, whole=True)
    delta: float = given("the gap of the target at threshold 1", above=0.0, most=1.0)
    U: float = given("the sum of the target's weights", least=1.0)
    beta: float | None = given("the factor that was used; the default is 1 + delta/2", None, above=1.0)

    @property
    def factor(self) -> float:
        """The factor that was used."""
        return 1.0 + self.delta / 2.0 if self.beta is None else self.beta

    def check(self) -> None:
        """The factor is small enough for the gap."""
        self.holds(self.factor * (1.0 - self.delta) < 1.0, "beta (1 - delta) < 1", self.factor * (1.0 - self.delta))


@dataclass(frozen=True, kw_only=True)
class WinnowBinary(WinnowTarget):
    """Updates on features 0 and 1, for theta >= 1; a tie with the correct answer is no update."""

    name: ClassVar[str] = "winnow-binary"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = ("weights 1 at the start", "features 0 or 1", TARGET, "theta >= 1")
    citation: ClassVar[str] = LITTLESTONE
    erratum: ClassVar[str] = FALSE
    tight: ClassVar[Tight] = Tight(0.54, "random rows of 0 and 1, in four passes")

    theta: float = given("the threshold that was used", above=0.0)

    def check(self) -> None:
        """The threshold is at least 1, the threshold of the target."""
        super().check()
        self.holds(self.theta >= 1.0, "theta >= 1", self.theta)

    @property
    def value(self) -> float:
        """(1 + beta) u + beta / (beta - 1) n / theta, where u is the number of promotions."""
        b, rest = self.factor, self.n / self.theta
        kept = 1.0 - (1.0 - self.delta) * b
        gained = self.U * (1.0 + math.log(self.theta) / math.log(b))
        u = (gained + (1.0 - self.delta) * b / (b - 1.0) * rest) / kept
        return (1.0 + b) * u + b / (b - 1.0) * rest


@dataclass(frozen=True, kw_only=True)
class WinnowBest(WinnowTarget):
    """Updates on features from 0 to 1 at the best threshold: A (ln n - H).

    ``tuning`` returns that threshold. For the target "one of k features is 1" (delta = 1, U = k)
    the bound is 3.59 k ln(n / k) at beta = 3.59.
    """

    name: ClassVar[str] = "winnow-best"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "weights 1 at the start",
        "features from 0 to 1",
        TARGET,
        "theta and beta as prescribed",
    )
    citation: ClassVar[str] = LITTLESTONE
    erratum: ClassVar[str] = FALSE + PROOF
    tight: ClassVar[Tight] = Tight(0.7, "random rows of 0 and 1, in four passes")

    H: float = given("entropy of the target's normalised weights, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """The entropy is at most that of equal weights."""
        super().check()
        self.holds(math.log(self.n) + 1e-12 >= self.H, "H <= ln n", self.H)

    @property
    def A(self) -> float:
        """U (1 + 1/beta) / (kappa ln beta), kappa = 1/beta - 1 + delta."""
        b = self.factor
        return self.U * (1.0 + 1.0 / b) / ((1.0 / b - 1.0 + self.delta) * math.log(b))

    @property
    def rest(self) -> float:
        """((1 + 1/beta) / kappa - 1) / (beta - 1)."""
        b = self.factor
        return ((1.0 + 1.0 / b) / (1.0 / b - 1.0 + self.delta) - 1.0) / (b - 1.0)

    @property
    def value(self) -> float:
        """A (ln n - H), A = U (1 + 1/beta) / (kappa ln beta), kappa = 1/beta - 1 + delta."""
        return self.A * (math.log(self.n) - self.H)

    def tuning(self) -> dict[str, float]:
        """The best threshold, and the factor."""
        return {"theta": self.n * self.rest / self.A, "beta": self.factor}


@dataclass(frozen=True, kw_only=True)
class WinnowReal(WinnowBest):
    """Updates on features from 0 to 1, for any threshold; ``tuning`` returns the best one."""

    name: ClassVar[str] = "winnow"
    conditions: ClassVar[tuple[str, ...]] = ("weights 1 at the start", "features from 0 to 1", TARGET)
    tight: ClassVar[Tight] = Tight(0.63, "random rows of 0 and 1, in four passes")

    theta: float = given("the threshold that was used", above=0.0)

    @property
    def value(self) -> float:
        """A (ln(A theta / (e rest)) - H) + rest n / theta."""
        return (
            self.A * (math.log(self.A * self.theta / (math.e * self.rest)) - self.H) + self.rest * self.n / self.theta
        )
