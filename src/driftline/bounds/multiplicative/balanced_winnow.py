"""Balanced Winnow: updates at the prescribed learning rates, and at any learning rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given


@dataclass(frozen=True, kw_only=True)
class BalancedWinnowMistakes(Bound):
    """Mistakes of balanced Winnow with eta = gamma / X^2, for every u with |u|_1 = 1 and every
    gamma > 0.
    """

    name: ClassVar[str] = "balancedwinnow"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = ("z = 0 at the start", "|u|_1 = 1", "eta as prescribed")
    citation: ClassVar[str] = "Littlestone (1989); Grove, Littlestone, Schuurmans (2001)"
    tight: ClassVar[Tight] = Tight(0.72, "rows that halve the remaining literals")

    n: int = given("features", least=1, whole=True)
    X: float = given("the largest value, max |x_ti|", above=0.0)
    gamma: float = given("the margin, in units of x", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)
    H: float = given("entropy of |u|, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """The margin is at most the largest value, the entropy at most that of equal weights."""
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
    """Mistakes of balanced Winnow with eta = artanh(gamma / X) / X if u has margin gamma on every
    round.
    """

    name: ClassVar[str] = "balancedwinnow-separable"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "z = 0 at the start",
        "|u|_1 = 1",
        "y_t u.x_t >= gamma on every round",
        "eta as prescribed",
    )
    citation: ClassVar[str] = "Littlestone (1989); Grove, Littlestone, Schuurmans (2001)"
    tight: ClassVar[Tight] = Tight(1.0, "rows that halve the remaining literals, gamma near X")

    n: int = given("features", least=1, whole=True)
    X: float = given("the largest value, max |x_ti|", above=0.0)
    gamma: float = given("the margin of u, in units of x", above=0.0)
    H: float = given("entropy of |u|, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """The margin is below the largest value, the entropy at most that of equal weights."""
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

    u = u+ - u-, where the 2n weights of u+ and u- are >= 0 and sum to 1; H is the entropy of these
    weights.
    """

    name: ClassVar[str] = "balancedwinnow-untuned"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = ("z = 0 at the start", "the weights of u+ and u- sum to 1")
    citation: ClassVar[str] = "The proof of Grove, Littlestone, Schuurmans (2001), with eta left free"
    tight: ClassVar[Tight] = Tight(1.0, "rows that halve the remaining literals, gamma near X")

    n: int = given("features", least=1, whole=True)
    X: float = given("the largest value, max |x_ti|", above=0.0)
    gamma: float = given("the margin, in units of x", above=0.0)
    eta: float = given("the learning rate that was used", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)
    H: float = given("entropy of u+ and u- together, in nats", 0.0, least=0.0)

    def check(self) -> None:
        """The margin is large enough for eta, the entropy at most that of equal weights."""
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
    """ln cosh(x) for x >= 0, also where cosh(x) overflows or rounds to 1.

    >>> log_cosh(1e4) == 1e4 - math.log(2.0), log_cosh(1e-9)
    (True, 5e-19)
    """
    return math.log1p(2.0 * math.sinh(x / 2.0) ** 2) if x < 1.0 else x + math.log1p(math.exp(-2.0 * x)) - math.log(2.0)
