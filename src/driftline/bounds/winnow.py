"""Winnow and balanced Winnow, and when they are the better choice than the Perceptron."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.bounds.bound import Bound, Tight, given
from driftline.internals.compiled import Floats

LITTLESTONE = "Littlestone (1988); lecture on the Perceptron and Winnow"
FALSE = (
    "Theorem 5.2 is false as stated: the target's threshold must be 1, not theta (a stream on which every round is a "
    "mistake is in the tests); its constants are wrong for theta = 1 too."
)
PROOF = " A weight's bound beta theta, which its proof uses, fails for features between 0 and 1."
TARGET = "mu >= 0, mu.x >= 1 on positive rounds and mu.x <= 1 - delta on negative ones"


@dataclass(frozen=True, kw_only=True)
class WinnowTarget(Bound):
    """The inputs of all three."""

    n: int = given("features", least=1, whole=True)
    delta: float = given("the gap of the target at threshold 1", above=0.0, most=1.0)
    U: float = given("the sum of the target's weights", least=1.0)
    beta: float | None = given("the factor that was used; 1 + delta/2 without it", None, above=1.0)

    @property
    def factor(self) -> float:
        """The factor that was used."""
        return 1.0 + self.delta / 2.0 if self.beta is None else self.beta

    def check(self) -> None:
        """The factor is small enough for the gap."""
        self.holds(self.factor * (1.0 - self.delta) < 1.0, "beta (1 - delta) < 1", self.factor * (1.0 - self.delta))


@dataclass(frozen=True, kw_only=True)
class WinnowBinary(WinnowTarget):
    """Updates on features that are 0 or 1, for theta >= 1; a tie that is answered rightly is none."""

    name: ClassVar[str] = "winnow-binary"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = ("weights 1 at the start", "features 0 or 1", TARGET, "theta >= 1")
    citation: ClassVar[str] = LITTLESTONE
    erratum: ClassVar[str] = FALSE
    tight: ClassVar[Tight] = Tight(0.54, "random rows of 0 and 1, passed four times")

    theta: float = given("the threshold that was used", above=0.0)

    def check(self) -> None:
        """The threshold is at least that of the target."""
        super().check()
        self.holds(self.theta >= 1.0, "theta >= 1", self.theta)

    @property
    def value(self) -> float:
        """(1 + beta) u + beta / (beta - 1) n / theta, u the promotions."""
        b, rest = self.factor, self.n / self.theta
        kept = 1.0 - (1.0 - self.delta) * b
        gained = self.U * (1.0 + math.log(self.theta) / math.log(b))
        u = (gained + (1.0 - self.delta) * b / (b - 1.0) * rest) / kept
        return (1.0 + b) * u + b / (b - 1.0) * rest


@dataclass(frozen=True, kw_only=True)
class WinnowBest(WinnowTarget):
    """Updates on features from 0 to 1 at the best threshold, which ``tuning`` has: A (ln n - H).

    For "one of k features is 1" (delta = 1, U = k) that is 3.59 k ln(n / k) at beta = 3.59.
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
    tight: ClassVar[Tight] = Tight(0.7, "random rows of 0 and 1, passed four times")

    H: float = given("entropy of the target's weights over their sum, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """No entropy exceeds that of equal weights."""
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
    """Updates on features from 0 to 1, for any threshold; ``tuning`` has the best one."""

    name: ClassVar[str] = "winnow"
    conditions: ClassVar[tuple[str, ...]] = ("weights 1 at the start", "features from 0 to 1", TARGET)
    tight: ClassVar[Tight] = Tight(0.63, "random rows of 0 and 1, passed four times")

    theta: float = given("the threshold that was used", above=0.0)

    @property
    def value(self) -> float:
        """A (ln(A theta / (e rest)) - H) + rest n / theta."""
        return (
            self.A * (math.log(self.A * self.theta / (math.e * self.rest)) - self.H) + self.rest * self.n / self.theta
        )


@dataclass(frozen=True, kw_only=True)
class BalancedWinnowMistakes(Bound):
    """Mistakes of balanced Winnow with eta = gamma / X^2, for every u with |u|_1 = 1 and every gamma > 0."""

    name: ClassVar[str] = "balancedwinnow"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = ("z = 0 at the start", "|u|_1 = 1", "eta as prescribed")
    citation: ClassVar[str] = "Littlestone (1989); Grove, Littlestone, Schuurmans (2001)"
    tight: ClassVar[Tight] = Tight(0.72, "rows that halve the literals which are left")

    n: int = given("features", least=1, whole=True)
    X: float = given("the largest value, max |x_ti|", above=0.0)
    gamma: float = given("the margin, in units of x", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)
    H: float = given("entropy of |u|, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """No margin exceeds the largest value, no entropy that of equal weights."""
        self.holds(self.gamma <= self.X, "gamma <= X", self.gamma)
        self.holds(math.log(self.n) + 1e-12 >= self.H, "H <= ln n", self.H)

    @property
    def value(self) -> float:
        """2 X^2 (ln 2n - H) / gamma^2 + 2 D."""
        return 2.0 * (self.X / self.gamma) ** 2 * (math.log(2.0 * self.n) - self.H) + 2.0 * self.D

    def tuning(self) -> dict[str, float]:
        """gamma / X^2."""
        return {"eta": self.gamma / self.X**2}


@dataclass(frozen=True, kw_only=True)
class BalancedWinnowSeparable(Bound):
    """Mistakes of balanced Winnow with eta = artanh(gamma / X) / X where u has the margin gamma on all rounds."""

    name: ClassVar[str] = "balancedwinnow-separable"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "z = 0 at the start",
        "|u|_1 = 1",
        "y_t u.x_t >= gamma on every round",
        "eta as prescribed",
    )
    citation: ClassVar[str] = "Littlestone (1989); Grove, Littlestone, Schuurmans (2001)"
    tight: ClassVar[Tight] = Tight(1.0, "rows that halve the literals which are left, gamma near X")

    n: int = given("features", least=1, whole=True)
    X: float = given("the largest value, max |x_ti|", above=0.0)
    gamma: float = given("the margin of u, in units of x", above=0.0)
    H: float = given("entropy of |u|, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """The margin is below the largest value, no entropy above that of equal weights."""
        self.holds(self.gamma < self.X, "gamma < X", self.gamma)
        self.holds(math.log(self.n) + 1e-12 >= self.H, "H <= ln n", self.H)

    @property
    def value(self) -> float:
        """(ln 2n - H) / (eta gamma - ln cosh(eta X))."""
        # eta gamma - ln cosh(eta X) is kl(1/2 + r/2 | 1/2), in a form that is stable for small r
        r = self.gamma / self.X
        gained = r * math.atanh(r) + math.log1p(-r * r) / 2.0 if r > 1e-4 else r * r / 2.0 + r**4 / 12.0
        return (math.log(2.0 * self.n) - self.H) / gained

    def tuning(self) -> dict[str, float]:
        """artanh(gamma / X) / X."""
        return {"eta": math.atanh(self.gamma / self.X) / self.X}


@dataclass(frozen=True, kw_only=True)
class BalancedWinnowUntuned(Bound):
    """Updates of balanced Winnow with any eta, for every u and every gamma > ln cosh(eta X) / eta.

    u = u+ - u-, both without negative weights and together of sum 1; H is their entropy, all 2n weights in one.
    """

    name: ClassVar[str] = "balancedwinnow-untuned"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = ("z = 0 at the start", "the weights of u+ and u- sum to 1")
    citation: ClassVar[str] = "The proof of Grove, Littlestone, Schuurmans (2001), with eta left free"
    tight: ClassVar[Tight] = Tight(1.0, "rows that halve the literals which are left, gamma near X")

    n: int = given("features", least=1, whole=True)
    X: float = given("the largest value, max |x_ti|", above=0.0)
    gamma: float = given("the margin, in units of x", above=0.0)
    eta: float = given("the rate that was used", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)
    H: float = given("entropy of u+ and u- together, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """The margin outweighs the rate; no entropy exceeds that of equal weights."""
        self.holds(self.gain > 0.0, "eta gamma > ln cosh(eta X)", self.eta * self.gamma)
        self.holds(math.log(2.0 * self.n) + 1e-12 >= self.H, "H <= ln 2n", self.H)

    @property
    def gain(self) -> float:
        """eta gamma - ln cosh(eta X)."""
        return self.eta * self.gamma - log_cosh(self.eta * self.X)

    @property
    def value(self) -> float:
        """(ln 2n - H + eta gamma D) / (eta gamma - ln cosh(eta X))."""
        return (max(0.0, math.log(2.0 * self.n) - self.H) + self.eta * self.gamma * self.D) / self.gain


def log_cosh(x: float) -> float:
    """ln cosh(x), x >= 0, where cosh would overflow and where it is 1 but for rounding.

    >>> log_cosh(1e4) == 1e4 - math.log(2.0), log_cosh(1e-9)
    (True, 5e-19)
    """
    return math.log1p(2.0 * math.sinh(x / 2.0) ** 2) if x < 1.0 else x + math.log1p(math.exp(-2.0 * x)) - math.log(2.0)


@dataclass(frozen=True, kw_only=True)
class WinnowOrPerceptron(Bound):
    """Updates of the better of balanced Winnow and the Perceptron, by the margins of one u in their two geometries.

    Sparse u and dense x favour Winnow, dense u and sparse x the Perceptron; ``winnow_or_perceptron`` has both margins.
    """

    name: ClassVar[str] = "winnow-or-perceptron"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "w = 0 and z = 0 at the start",
        "u has both margins on every round",
        "the learner is the one whose term is smaller, Winnow with eta = margin_1 / max |x_ti|",
        "a constant feature, where there is one, is in both norms",
    )
    citation: ClassVar[str] = "Lecture on the Perceptron and Winnow, section 5.5; Kivinen, Warmuth, Auer (1997)"
    erratum: ClassVar[str] = (
        "With a threshold and a gap alpha the Perceptron's norms must include the constant feature, and the margin is "
        "alpha / 2."
    )
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows, where the Perceptron is the better one")

    n: int = given("features", least=1, whole=True)
    margin_2: float = given("min y u.x / (|u|_2 max |x_t|_2)", above=0.0, most=1.0)
    margin_1: float = given("min y u.x / (|u|_1 max |x_ti|)", above=0.0, most=1.0)

    @property
    def perceptron(self) -> float:
        """1 / margin_2^2."""
        return 1.0 / self.margin_2**2

    @property
    def winnow(self) -> float:
        """2 ln(2 n) / margin_1^2."""
        return 2.0 * math.log(2.0 * self.n) / self.margin_1**2

    @property
    def value(self) -> float:
        """min(1 / margin_2^2, 2 ln(2 n) / margin_1^2)."""
        return min(self.perceptron, self.winnow)


def winnow_or_perceptron(u: Floats, X: Floats, y: Floats) -> WinnowOrPerceptron:
    """Both margins of u on these rows, and what they promise.

    >>> found = winnow_or_perceptron(np.array([1.0, 0.0]), np.array([[1.0, 1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]))
    >>> round(found.perceptron, 9), round(found.winnow, 3)
    (2.0, 2.773)
    """
    least = float(np.min(y * (X @ u)))
    if least <= 0.0:
        raise ValueError(
            f"winnow_or_perceptron: u must have a margin > 0 on every row, got {least:g}. Pass one that separates them"
        )
    return WinnowOrPerceptron(
        n=X.shape[1],
        margin_2=min(1.0, least / float(np.linalg.norm(u) * np.linalg.norm(X, axis=1).max())),
        margin_1=min(1.0, least / float(np.abs(u).sum() * np.abs(X).max())),
    )
