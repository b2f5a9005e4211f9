"""AROW: the mistake bound with losses of the comparator, as printed and as tight as its proof."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

CITATION = "Crammer, Kulesza, Dredze. Adaptive regularization of weight vectors. NIPS 2009; Machine Learning 91 (2013)"
CONDITIONS = ("w = 0 and P = I at the start", "updates exactly where y w.x < 1", "P is full, not diagonal", "|u|_2 = 1")
SCALED = "The theorem is printed for margin 1; here u has length 1 and margin gamma."


@dataclass(frozen=True, kw_only=True)
class AROWTarget(Bound):
    """The inputs that the theorems on AROW share."""

    r: float = given("the parameter r", above=0.0)
    lambda_u: float = given("sum over updates of (u.x)^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)
    U: int = given("updates without a mistake", 0, least=0, whole=True)

    def bounded(self, energy: float) -> float:
        """D + sqrt((r + lambda_u) energy) / gamma - U, and at least 0."""
        return max(0.0, self.D + math.sqrt((self.r + self.lambda_u) * energy) / self.gamma - self.U)


@dataclass(frozen=True, kw_only=True)
class AROWMistakes(AROWTarget):
    """Mistakes of AROW are at most D + sqrt((r + lambda_u) (logdet + U)) / gamma - U."""

    name: ClassVar[str] = "arow"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = CITATION + ", mistake bound"
    erratum: ClassVar[str] = SCALED
    proof: ClassVar[str] = """\
As for ``arow-tightest``: v / (v + r) <= ln(1 + v / r), and these sum to logdet.
m (2 - m) <= 0 on a mistake, and r m (2 - m) / (v + r) <= 1 on the other updates. So Q <= logdet + U."""
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at r = 100")

    logdet: float = given(
        "sum of ln(1 + lambda_i / r), lambda_i the eigenvalues of the updates' Gram matrix", least=0.0
    )

    @property
    def value(self) -> float:
        """D + sqrt((r + lambda_u) (logdet + U)) / gamma - U, and at least 0."""
        return self.bounded(self.logdet + self.U)


@dataclass(frozen=True, kw_only=True)
class AROWTightest(AROWTarget):
    """Mistakes of AROW are at most D + sqrt((r + lambda_u) Q) / gamma - U, where Q is a sum over the
    updates that were made.
    """

    name: ClassVar[str] = "arow-tightest"
    limits: ClassVar[str] = "mistakes"
    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = CITATION + ", proof of the mistake bound"
    erratum: ClassVar[str] = SCALED + " The printed bound has logdet + U, which is larger, in place of Q."
    proof: ClassVar[str] = """\
Let A = P^-1 and b = A w. An update adds x x^T / r to A, and y x / r to b. So after the run
A = I + sum x x^T / r and r b = sum y x, over the updates. For every u,

    sum y u.x = r u.b <= r sqrt(u.A u) sqrt(b.P b) = sqrt((r |u|^2 + lambda_u) r b.P b).

An update adds (v + r m (2 - m)) / (r (v + r)) to b.P b, where v = x.P x and m = y w.x before the
update, so r b.P b = Q. For u of length 1 / gamma the left side is at least the number of updates
less D. The number of updates is that of the mistakes plus U."""
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows")

    Q: float = given("sum over updates of (v + r m (2 - m)) / (v + r), v = x.P x, m = y w.x", least=0.0)

    @property
    def value(self) -> float:
        """D + sqrt((r + lambda_u) Q) / gamma - U, and at least 0."""
        return self.bounded(self.Q)
