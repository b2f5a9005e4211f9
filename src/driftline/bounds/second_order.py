"""The second-order Perceptron, and the one with a kernel: eigenvalues of the updates' Gram matrix in place of R^2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

CITATION = "Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM J. Comput. 34 (2005)"
ERRATUM = "The tutorial's theorems omit |u| = 1, without which they fail."
DUAL = " Its dual vector must hold k(x_i, x_t), where it prints k(x_i, x_i)."
CONDITIONS = ("updates exactly where y r <= 0", "full matrix, not its diagonal", "|u|_2 = 1")
KERNEL = ("updates exactly where y r <= 0", "no support vector is left out", "|f| = 1 in the kernel's space")


@dataclass(frozen=True, kw_only=True)
class SecondOrder(Bound):
    """Updates are at most D + sqrt((a + lambda_u) logdet) / gamma."""

    name: ClassVar[str] = "second-order"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = CONDITIONS
    citation: ClassVar[str] = CITATION
    erratum: ClassVar[str] = ERRATUM
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at a = 100")

    a: float = given("the parameter a", above=0.0)
    logdet: float = given("sum of ln(1 + lambda_i / a), the eigenvalues of the Gram matrix of the updates", least=0.0)
    lambda_u: float = given("sum over updates of (u.x)^2", least=0.0)
    gamma: float = given("the margin, in units of |x|", above=0.0)
    D: float = given("sum over updates of max(0, 1 - y u.x / gamma)", 0.0, least=0.0)

    @property
    def value(self) -> float:
        """D + sqrt((a + lambda_u) logdet) / gamma."""
        return self.D + math.sqrt((self.a + self.lambda_u) * self.logdet) / self.gamma


@dataclass(frozen=True, kw_only=True)
class SecondOrderSeparable(Bound):
    """Updates are at most (a + logdet) / gamma on examples of length at most 1 where u has the margin gamma."""

    name: ClassVar[str] = "second-order-separable"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (*CONDITIONS, "|x_t| <= 1", "y_t u.x_t >= gamma on every round")
    citation: ClassVar[str] = CITATION
    erratum: ClassVar[str] = ERRATUM
    tight: ClassVar[Tight] = Tight(0.63, "a single row")

    a: float = given("the parameter a", above=0.0)
    logdet: float = given("sum of ln(1 + lambda_i / a), the eigenvalues of the Gram matrix of the updates", least=0.0)
    gamma: float = given("the margin of u, in units of |x|", above=0.0, most=1.0)

    @property
    def value(self) -> float:
        """(a + logdet) / gamma."""
        return (self.a + self.logdet) / self.gamma


@dataclass(frozen=True, kw_only=True)
class KernelSecondOrder(SecondOrder):
    """Updates of the second-order Perceptron with a kernel are at most D + sqrt((a + lambda_u) logdet) / gamma.

    u.x stands for f(x), and the Gram matrix is that of the kernel.
    """

    name: ClassVar[str] = "kernel-second-order"
    conditions: ClassVar[tuple[str, ...]] = KERNEL
    erratum: ClassVar[str] = ERRATUM + DUAL
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at a = 100, with the linear kernel")


@dataclass(frozen=True, kw_only=True)
class KernelSecondOrderSeparable(SecondOrderSeparable):
    """Updates with a kernel are at most (a + logdet) / gamma where k(x, x) <= 1 and f has the margin gamma."""

    name: ClassVar[str] = "kernel-second-order-separable"
    conditions: ClassVar[tuple[str, ...]] = (*KERNEL, "k(x_t, x_t) <= 1", "y_t f(x_t) >= gamma on every round")
    erratum: ClassVar[str] = ERRATUM + DUAL
    tight: ClassVar[Tight] = Tight(0.63, "a single row")
