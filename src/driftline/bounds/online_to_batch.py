"""Online to batch: from the mistakes of a run to the risk of one of its hypotheses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.bounds.bound import Bound, Tight, given
from driftline.internals import risk_limits as risk

CESA = "Cesa-Bianchi, Conconi, Gentile (2004); Gentile, tutorial (2005), on-line to batch"
IID = "examples are independent and identically distributed; hypothesis t depends on the first t examples only"
CRITERION = 4.25
"""The criterion of hypothesis t is at most risk + 2 sqrt(2 L risk / s) + 4.25 L / s."""


@dataclass(frozen=True, kw_only=True)
class Confident(Bound):
    """The input of all these theorems."""

    delta: float = given("the probability that the bound may fail", 0.05, above=0.0, below=1.0)

    @property
    def ceiling(self) -> float:
        """The largest risk."""
        return 1.0

    @property
    def useful(self) -> bool:
        """Whether the bound is below the largest risk, with four decimals."""
        return round(self.value / self.ceiling, 4) < 1.0


@dataclass(frozen=True, kw_only=True)
class OnLine(Confident):
    """The inputs of bounds that use the total loss of the run."""

    k: int = given("mistakes of the run, or its loss rounded up", least=0, whole=True)
    T: int = given("rounds", least=1, whole=True)

    def check(self) -> None:
        """k is at most T."""
        self.holds(self.k <= self.T, "k <= T", self.k)

    @property
    def rate(self) -> float:
        """k / T."""
        return self.k / self.T


@dataclass(frozen=True, kw_only=True)
class MeanRisk(OnLine):
    """The mean risk of the hypotheses of a run, which is that of one drawn at random. A majority
    vote of them has at most twice this risk.
    """

    name: ClassVar[str] = "mean-risk"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1")
    citation: ClassVar[str] = CESA + ", refinements"
    erratum: ClassVar[str] = "Proved without Freedman's inequality and its constants."
    tight: ClassVar[Tight] = Tight(0.68, "runs of the Perceptron over 300 Gaussian rows")

    @property
    def value(self) -> float:
        """x / T, the x >= k with x - k - k ln(x/k) = ln((k + 1)(k + 2)/delta)."""
        return risk.mean_risk(self.k, self.T, self.delta)


@dataclass(frozen=True, kw_only=True)
class AverageRisk(Confident):
    """The risk of the averaged hypothesis, for a convex loss from 0 to ``scale``."""

    name: ClassVar[str] = "average-risk"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "the loss is convex and from 0 to scale")
    citation: ClassVar[str] = CESA
    erratum: ClassVar[str] = (
        "The printed term scale sqrt(2/T ln(2/delta)) is at least twice as large; the printed mean has T + 1 terms."
    )
    tight: ClassVar[Tight] = Tight(0.82, "runs of exponential weights over 150 Gaussian rows")

    loss: float = given("mean loss of the run", least=0.0)
    T: int = given("rounds", least=1, whole=True)
    scale: float = given("the largest loss", 1.0, above=0.0)

    def check(self) -> None:
        """The mean loss is at most the largest loss."""
        self.holds(self.loss <= self.scale, "loss <= scale", self.loss)

    @property
    def ceiling(self) -> float:
        """The largest loss."""
        return self.scale

    @property
    def value(self) -> float:
        """loss + scale sqrt(ln(1/delta) / 2T)."""
        return self.loss + self.scale * math.sqrt(-math.log(self.delta) / (2.0 * self.T))


@dataclass(frozen=True, kw_only=True)
class Certificate(Confident):
    """The inputs of a certificate of one of the T hypotheses of a run, chosen in any way."""

    errors: int = given("mistakes of the hypothesis on the examples after it", least=0, whole=True)
    rest: int = given("number of examples after it", least=1, whole=True)
    T: int = given("number of hypotheses to choose from: one for each round of the run", least=1, whole=True)

    def check(self) -> None:
        """errors is at most rest, and rest at most T."""
        self.holds(self.errors <= self.rest, "errors <= rest", self.errors)
        self.holds(self.rest <= self.T, "rest <= T", self.rest)

    @property
    def each(self) -> float:
        """The probability that the bound of one hypothesis may fail: delta / T."""
        return self.delta / self.T


@dataclass(frozen=True, kw_only=True)
class HoeffdingCertificate(Certificate):
    """The risk of the chosen hypothesis, by Hoeffding's inequality for each of T."""

    name: ClassVar[str] = "hoeffding-certificate"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1")
    citation: ClassVar[str] = "Hoeffding (1963); " + CESA
    tight: ClassVar[Tight] = Tight(0.7, "runs of the Perceptron over 300 Gaussian rows")

    @property
    def value(self) -> float:
        """e + sqrt(L / 2s), e = errors / s, s = rest, L = ln(T / delta)."""
        return float(risk.hoeffding(self.errors, self.rest, self.each))


@dataclass(frozen=True, kw_only=True)
class ChernoffCertificate(Certificate):
    """The risk of the chosen hypothesis, by Chernoff's inequality for each of T."""

    name: ClassVar[str] = "chernoff-certificate"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1")
    citation: ClassVar[str] = "Chernoff (1952); " + CESA
    erratum: ClassVar[str] = (
        "The constants of the printed penalty are too small for a certificate; it needs factors such as sqrt(2)."
    )
    tight: ClassVar[Tight] = Tight(0.65, "runs of the Perceptron over 300 Gaussian rows")

    @property
    def value(self) -> float:
        """e + L/s + sqrt((L/s)^2 + 2 e L/s)."""
        return float(risk.chernoff(self.errors, self.rest, self.each))


@dataclass(frozen=True, kw_only=True)
class KLCertificate(Certificate):
    """The risk of the chosen hypothesis: the largest q with s kl(e | q) <= L. The tightest bound
    here for losses from 0 to 1.
    """

    name: ClassVar[str] = "kl-certificate"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1")
    citation: ClassVar[str] = "Chernoff (1952); Langford (2005)"
    tight: ClassVar[Tight] = Tight(0.73, "runs of the Perceptron over 300 Gaussian rows")

    @property
    def value(self) -> float:
        """sup{q: s kl(errors/s | q) <= ln(T / delta)}."""
        return float(risk.kl_inverse(self.errors, self.rest, self.each))


@dataclass(frozen=True, kw_only=True)
class ClopperPearsonCertificate(Certificate):
    """The risk of the chosen hypothesis, by the exact binomial distribution for each of T."""

    name: ClassVar[str] = "clopper-pearson-certificate"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses are 0 or 1")
    citation: ClassVar[str] = "Clopper, Pearson (1934)"
    tight: ClassVar[Tight] = Tight(0.78, "runs of the Perceptron over 300 Gaussian rows")

    @property
    def value(self) -> float:
        """The 1 - delta/T quantile of Beta(errors + 1, rest - errors)."""
        return float(risk.clopper_pearson(self.errors, self.rest, self.each))


@dataclass(frozen=True, kw_only=True)
class HoeffdingRisk(OnLine):
    """A priori: the risk of the hypothesis with the smallest penalised error, with the penalty
    sqrt(ln((2T + 1)/delta) / 2s).
    """

    name: ClassVar[str] = "hoeffding-risk"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1", "selected with this penalty")
    citation: ClassVar[str] = CESA
    erratum: ClassVar[str] = "The printed penalty sqrt(ln(T/delta)/s) with constant 6 is valid for T >= 4, and larger."
    tight: ClassVar[Tight] = Tight(0.05, "runs of the Perceptron over 4000 Gaussian rows")

    @property
    def value(self) -> float:
        """k/T + 5 sqrt(ln((2T + 1)/delta) / 2T)."""
        return self.rate + 5.0 * math.sqrt(math.log((2.0 * self.T + 1.0) / self.delta) / (2.0 * self.T))


@dataclass(frozen=True, kw_only=True)
class BernsteinRisk(OnLine):
    """A priori: the risk of the hypothesis with the smallest Chernoff bound; small if k/T is
    small.
    """

    name: ClassVar[str] = "bernstein-risk"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1", "selected with L = ln((2T + 1)/delta)")
    citation: ClassVar[str] = "Cesa-Bianchi, Gentile (2008); Gentile, tutorial (2005), refinements"
    erratum: ClassVar[str] = "The tutorial prints the rate ln(T/delta)/T, the paper (ln T)^2/T; the former holds."
    tight: ClassVar[Tight] = Tight(0.06, "runs of the Perceptron over 4000 Gaussian rows")

    @property
    def value(self) -> float:
        """The smallest B for which no risks with mean at most the mean risk have all criteria above B."""
        return least_bernstein(self.k, self.T, self.delta / (2.0 * self.T + 1.0))


@dataclass(frozen=True, kw_only=True)
class Suffix(Confident):
    """The inputs of bounds that leave out the first rounds."""

    k: int = given("mistakes of the run after the first t rounds", least=0, whole=True)
    T: int = given("all rounds", least=2, whole=True)
    t: int = given("first rounds that are left out", least=0, whole=True)

    def check(self) -> None:
        """Some rounds remain, and k is at most their number."""
        self.holds(self.t < self.T, "t < T", self.t)
        self.holds(self.k <= self.T - self.t, "k <= T - t", self.k)


@dataclass(frozen=True, kw_only=True)
class HoeffdingSuffixRisk(Suffix):
    """A priori, without the first t rounds; the minimum over all t is a bound, too."""

    name: ClassVar[str] = "hoeffding-suffix-risk"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1", "selected with penalty sqrt(ln(3T/delta) / 2s)")
    citation: ClassVar[str] = CESA
    tight: ClassVar[Tight] = Tight(0.04, "runs of the Perceptron over 4000 Gaussian rows")

    @property
    def value(self) -> float:
        """k/(T - t) + 5 sqrt(ln(3T/delta) / 2(T - t))."""
        rest = self.T - self.t
        return self.k / rest + 5.0 * math.sqrt(math.log(3.0 * self.T / self.delta) / (2.0 * rest))


@dataclass(frozen=True, kw_only=True)
class BernsteinSuffixRisk(Suffix):
    """A priori, without the first t rounds, by bisection; the minimum over all t is a bound, too."""

    name: ClassVar[str] = "bernstein-suffix-risk"
    limits: ClassVar[str] = "risk"
    conditions: ClassVar[tuple[str, ...]] = (IID, "losses from 0 to 1", "selected with L = ln(3T/delta)")
    citation: ClassVar[str] = "Cesa-Bianchi, Gentile (2008)"
    tight: ClassVar[Tight] = Tight(0.06, "runs of the Perceptron over 4000 Gaussian rows")

    @property
    def value(self) -> float:
        """As bernstein-risk on the last T - t rounds, with delta / 3T."""
        return least_bernstein(self.k, self.T - self.t, self.delta / (3.0 * self.T))


def least_bernstein(k: int, T: int, each: float) -> float:
    """inf{B: sum_s rho_B(s) >= T r}, r the mean risk at confidence ``each``, by bisection."""
    L = -math.log(each)
    due = T * risk.mean_risk(k, T, each)
    s = np.arange(1.0, T + 1.0)
    root, floor = np.sqrt(2.0 * L / s), CRITERION * L / s

    def total(B: float) -> float:
        room = B - floor
        return float(np.sum(np.where(room >= 0.0, (np.sqrt(root**2 + np.maximum(room, 0.0)) - root) ** 2, 0.0)))

    low, high = 0.0, 1.0
    while total(high) < due:
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if total(middle) >= due else (middle, high)
    return high
