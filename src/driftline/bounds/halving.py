"""Halving: over experts, over a grid of linear classifiers, over the sphere; and its two practical forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

LECTURE = "Kakade, lecture on the mistake-bound model"
SEPARABLE = "some w of length W has y_t w.x_t >= gamma on every round"
GRUNBAUM = 1.0 / -math.log1p(-1.0 / math.e)


@dataclass(frozen=True, kw_only=True)
class HalvingMistakes(Bound):
    """Mistakes are at most log2(n / k), rounded down, where k of n experts are right on every round."""

    name: ClassVar[str] = "halving"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("k experts are right on every round",)
    citation: ClassVar[str] = "Littlestone (1988); Gentile, tutorial (2005), Halving"
    tight: ClassVar[Tight] = Tight(1.0, "advice that splits those who are left, and a label against the vote")

    n: int = given("experts", least=1, whole=True)
    k: int = given("experts that are never wrong", 1, least=1, whole=True)

    def check(self) -> None:
        """There are no more good experts than experts."""
        self.holds(self.k <= self.n, "k <= n", self.k)

    @property
    def value(self) -> float:
        """floor(log2(n / k))."""
        return float((self.n // self.k).bit_length() - 1)


@dataclass(frozen=True, kw_only=True)
class HalvingReset(Bound):
    """Mistakes of Halving that begins anew when no expert is left, where the best expert errs L times."""

    name: ClassVar[str] = "halving-reset"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("all experts are taken back when none is left",)
    citation: ClassVar[str] = "Littlestone, Warmuth (1994)"
    tight: ClassVar[Tight] = Tight(
        1.0, "advice that splits those who are left, again and again, so that each errs once in every epoch"
    )

    n: int = given("experts", least=1, whole=True)
    L: int = given("errors of the best expert", least=0, whole=True)

    @property
    def value(self) -> float:
        """(floor(log2 n) + 1) L + floor(log2 n)."""
        each = self.n.bit_length() - 1
        return float((each + 1) * self.L + each)


@dataclass(frozen=True, kw_only=True)
class Separated(Bound):
    """The inputs of Halving over linear classifiers."""

    d: int = given("dimensions", least=1, whole=True)
    gamma: float = given("the margin, in units of |x| W", above=0.0)
    R: float = given("the longest example, max |x_t|_2", 1.0, above=0.0)

    def check(self) -> None:
        """No margin exceeds the longest example."""
        longest = self.R * getattr(self, "W", 1.0)
        self.holds(self.gamma <= longest, "gamma <= R W", self.gamma)


@dataclass(frozen=True, kw_only=True)
class GridMistakes(Separated):
    """Mistakes of Halving over the grid of step gamma / (sqrt(d) R)."""

    name: ClassVar[str] = "gridhalving"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = (SEPARABLE, "R, W and gamma are known in advance")
    citation: ClassVar[str] = LECTURE
    erratum: ClassVar[str] = "The grid may be 2 sqrt(d) times coarser than the lecture's."
    tight: ClassVar[Tight] = Tight(
        0.98, "rows across the mean of the candidates that are left, and a label against the vote"
    )

    W: float = given("the length of w", 1.0, above=0.0)

    @property
    def value(self) -> float:
        """d log2(2 ceil(sqrt(d) R W / gamma) + 1)."""
        return self.d * math.log2(2.0 * math.ceil(math.sqrt(self.d) * self.R * self.W / self.gamma) + 1.0)


@dataclass(frozen=True, kw_only=True)
class GridLectureMistakes(GridMistakes):
    """Mistakes of Halving over the lecture's grid, of step gamma / (2 R d)."""

    name: ClassVar[str] = "gridhalving-lecture"
    erratum: ClassVar[str] = "An axis has 2 ceil(N) + 1 points, not ceil(2 N) + 1, N = 2 R W d / gamma."
    tight: ClassVar[Tight] = Tight(
        0.98, "rows across the mean of the candidates that are left, and a label against the vote"
    )

    @property
    def value(self) -> float:
        """d log2(2 ceil(2 R W d / gamma) + 1)."""
        return self.d * math.log2(2.0 * math.ceil(2.0 * self.R * self.W * self.d / self.gamma) + 1.0)


@dataclass(frozen=True, kw_only=True)
class SphereMistakes(Separated):
    """Mistakes of the majority under the uniform measure on the sphere: log2 of 1 over the measure of the good caps."""

    name: ClassVar[str] = "halving-sphere"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = ("some w of length 1 has y_t w.x_t >= gamma on every round",)
    citation: ClassVar[str] = "Gentile, tutorial (2005), Halving over linear classifiers"
    erratum: ClassVar[str] = "The printed measure (gamma / 2R)^(d-1) is not valid, not even for d = 2."
    tight: ClassVar[Tight] = Tight(1.0, "a circle, with rows across the middle of the arc that is left")

    def check(self) -> None:
        """A sphere has two dimensions or more."""
        super().check()
        self.holds(self.d >= 2, "d >= 2", self.d)

    @property
    def value(self) -> float:
        """log2(1 / mu), mu = I((gamma/R)^2; (d-1)/2, 1/2) / 2, I the regularised incomplete beta function."""
        from scipy.special import betainc, betaln, hyp2f1  # which take long to import

        a, x = (self.d - 1) / 2.0, (self.gamma / self.R) ** 2
        share = 0.5 * float(betainc(a, 0.5, x))
        if share > 0.0:
            return -math.log2(share)
        # below all floats: the same by its series, I = x^a / (a B(a, 1/2)) F(a, 1/2; a + 1; x)
        log = a * math.log(x) - math.log(a) - float(betaln(a, 0.5)) + math.log(float(hyp2f1(a, 0.5, a + 1.0, x)))
        return -(log - math.log(2.0)) / math.log(2.0)


@dataclass(frozen=True, kw_only=True)
class EllipsoidUpdates(Separated):
    """Updates of the ellipsoid learner: by the exact ratio of volumes, at most 2 d (d + 1) ln(1 + R / gamma)."""

    name: ClassVar[str] = "ellipsoid"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "some w of length 1 has y_t w.x_t >= gamma on every round",
        "no example is inconsistent",
    )
    citation: ClassVar[str] = "Khachiyan (1979); Yudin, Nemirovski (1976)"
    tight: ClassVar[Tight] = Tight(
        0.27, "rows that are ties and leave the centre furthest from the target, in two dimensions"
    )

    @property
    def value(self) -> float:
        """d ln(1 + R / gamma) over minus the logarithm of the ratio of volumes of a central cut."""
        d, wanted = self.d, self.d * math.log1p(self.R / self.gamma)
        if d == 1:
            return wanted / math.log(2.0)
        return wanted / (math.log1p(1.0 / d) + (d - 1.0) / 2.0 * math.log1p(-1.0 / (float(d) * d)))


@dataclass(frozen=True, kw_only=True)
class CentreOfMassUpdates(Separated):
    """Updates of the exact centre of mass are at most 2.18 d ln(1 + R / gamma); of a sampled one this is a guide."""

    name: ClassVar[str] = "versionspace"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "some w of length 1 has y_t w.x_t >= gamma on every round",
        "the centre is exact",
    )
    citation: ClassVar[str] = "Gruenbaum (1960); Gilad-Bachrach, Navot, Tishby (2004)"
    tight: ClassVar[Tight] = Tight(0.51, "the exact centre in two dimensions, with rows across it")

    @property
    def value(self) -> float:
        """d ln(1 + R / gamma) / -ln(1 - 1/e)."""
        return GRUNBAUM * self.d * math.log1p(self.R / self.gamma)
