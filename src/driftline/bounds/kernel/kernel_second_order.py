"""The second-order Perceptron with a kernel: the linear theorems in the kernel's space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Tight
from driftline.bounds.second_order.second_order_perceptron import ERRATUM, SecondOrder, SecondOrderSeparable

DUAL = " The tutorial prints k(x_i, x_i) in the dual vector; correct is k(x_i, x_t)."
KERNEL = (
    "updates exactly where y r <= 0",
    "all support vectors are kept",
    "|f| = 1 in the kernel's space",
)


@dataclass(frozen=True, kw_only=True)
class KernelSecondOrder(SecondOrder):
    """Updates of the second-order Perceptron with a kernel are at most
    D + sqrt((a + lambda_u) logdet) / gamma.

    u.x is f(x), and the Gram matrix is the kernel matrix.
    """

    name: ClassVar[str] = "kernel-second-order"
    conditions: ClassVar[tuple[str, ...]] = KERNEL
    erratum: ClassVar[str] = ERRATUM + DUAL
    tight: ClassVar[Tight] = Tight(1.0, "orthonormal rows at a = 100, with the linear kernel")


@dataclass(frozen=True, kw_only=True)
class KernelSecondOrderSeparable(SecondOrderSeparable):
    """Updates are at most (a + logdet) / gamma if k(x, x) <= 1 and f has margin gamma."""

    name: ClassVar[str] = "kernel-second-order-separable"
    conditions: ClassVar[tuple[str, ...]] = (*KERNEL, "k(x_t, x_t) <= 1", "y_t f(x_t) >= gamma on every round")
    erratum: ClassVar[str] = ERRATUM + DUAL
    tight: ClassVar[Tight] = Tight(0.63, "a single row")
