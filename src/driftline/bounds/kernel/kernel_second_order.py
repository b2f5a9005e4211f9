"""The second-order Perceptron with a kernel: the theorems of the linear one, in the space of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.second_order.second_order_perceptron import ERRATUM, SecondOrder, SecondOrderSeparable

DUAL = " Its dual vector must hold k(x_i, x_t), where it prints k(x_i, x_i)."
KERNEL = ("updates exactly where y r <= 0", "no support vector is left out", "|f| = 1 in the kernel's space")


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
