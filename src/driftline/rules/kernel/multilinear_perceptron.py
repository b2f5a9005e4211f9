"""The p-norm Perceptron, p = 4, over all products of features, exactly: few relevant conjunctions among 2^n.

    Phi(x) = (prod_{i in S} x_i for every set S of features),      w += y Phi(x)  where y s <= 0,  s = w^3 . Phi(x)
    w^3 = sum_e c_e Phi(e),  s = sum_e c_e prod_i (1 + e_i x_i),      every row e is a product of three examples

The powers of w are kept as such sums of rows. By Phi(x) Phi(z) = Phi(x z), a new example with Phi = Phi(x) makes

    w^3 += 3 y Phi w^2 + 3 Phi^2 w + y Phi^3,      w^2 += 2 y Phi w + Phi^2,      w += y Phi

After m examples these are C(m + 2, 3), C(m + 1, 2) and m rows, fewer where rows are equal: features of 0 and 1 have
x^k = x, those of -1 and +1 have x^2 = 1. So m is at most ``most``. Where 2^n < n C(m + 2, 3), w itself is smaller,
and is kept instead: with up to 21 features it never stops.

Gentile. Tutorial on prediction with linear-threshold algorithms and kernels (2005), plug-and-play; Grove, Littlestone,
Schuurmans (2001) for p-norms. With R = prod_i (1 + |x_i|^4)^(1/4) and y u.Phi(x) >= gamma, |u|_(4/3) = 1: at most
3 R^2 / gamma^2 updates.
Differs from the paper: its sum over all triples is merged. The score is w^3 . Phi(x), not divided by |w|_4^2, which is
the same sign. A sample weight multiplies y. Products reach 2^n: keep |x_i| <= 1, for R grows with every larger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.require import whole
from driftline.rules.rule import Rule

MOST = 1000


@dataclass(frozen=True)
class MultilinearPerceptron(Rule):
    """At ``most`` so many examples are kept; 100 are up to 171,700 rows, and the rows are as the cube of it."""

    most: int = 100
    engine: ClassVar[str] = "kernel.multilinear:MultilinearEngine"
    paper: ClassVar[str] = "Gentile 2005"
    single: ClassVar[bool] = False
    biased: ClassVar[bool] = False

    def check(self) -> None:
        """A whole number from 1 to 1000."""
        whole("MultilinearPerceptron", "most", self.most, 1, MOST)
        object.__setattr__(self, "most", int(self.most))

    @property
    def refuses(self) -> bool:
        """It stops at an example that it would have to keep when it has as many as it may."""
        return True
