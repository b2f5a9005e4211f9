"""The second-order Perceptron with a kernel: directions with many examples count for less.

    A = a I + sum_i phi(x_i) phi(x_i)^T,    w = sum_i y_i phi(x_i)    over the updates
    score r = w^T A^-1 phi(x);    an update where y r <= 0

Dual form, with the kernel matrix K of the m examples of the updates, and k_i = k(x_i, x):

    r = alpha.k,    alpha = (a I + K)^-1 y
    a I + K = L L^T,    z = L^-1 y,    alpha = L^-T z

An update appends a row (l, pivot) to L and a number to z; alpha follows from them:

    l = L^-1 k,    pivot^2 = a + k(x, x) - l.l,    z_m = (y - l.z) / pivot

A score costs m kernel values, an update O(m^2) more.

Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM J. Comput. 34 (2005),
section 4. With |u| = 1, D = sum of max(0, 1 - y u(x) / gamma) and lambda_u = sum of u(x)^2 over
the updates, and lambda_i the eigenvalues of their K:

    updates <= D + sqrt((a + lambda_u) sum_i ln(1 + lambda_i / a)) / gamma

The sum of logarithms is ``logdet``. As a grows, the rule becomes the Perceptron.
Differs from the paper: the paper adds phi(x) phi(x)^T to A before it scores x. This would divide
the score by 1 + phi(x)^T A^-1 phi(x), which does not change its sign. A sample weight multiplies
y.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.cholesky import append, backward, next_forward
from driftline.internals.require import positive, require, whole
from driftline.rules.kernel.kernels import Gaussian, Kernel
from driftline.rules.rule import Rule

WHERE = "KernelSecondOrder"
MOST = 50_000


@inlined
def errs(y: float, r: float, x_sq: float, weight: float, shortest: float) -> bool:
    """Whether score r makes an update; x_sq = k(x, x) below ``shortest`` counts as 0."""
    return weight != 0.0 and y * r <= 0.0 and x_sq >= shortest


@jit
def update(L: Floats, z: Floats, alpha: Floats, m: int, k: Floats, x_sq: float, y: float, a: float) -> None:
    """Add the example with kernel values ``k`` and x_sq = k(x, x) to m others.

    Row i of L starts at L[i (i + 1) / 2]. pivot^2 is at least a, as it is without rounding.
    """
    append(L, m, k, a + x_sq, a)  # l = L^-1 k,  pivot
    next_forward(L, m, z, y)  # z_m = (y - l.z) / pivot
    backward(L, m + 1, z, alpha)  # alpha = L^-T z


@dataclass(frozen=True)
class KernelSecondOrder(Rule):
    """The second-order Perceptron over support vectors.

    Parameters
    ----------
    a : float
        > 0. The larger, the more the rule is like the Perceptron.
    kernel : Kernel
        One of ``driftline.kernels``.
    most : int
        An example that would be support vector ``most`` + 1 is refused.
    """

    a: float = 1.0
    kernel: Kernel = field(default_factory=Gaussian)
    most: int = 2000
    engine: ClassVar[str] = "kernel.kernel_second_order:KernelSecondOrderEngine"
    paper: ClassVar[str] = "Cesa-Bianchi, Conconi, Gentile 2005"
    single: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("kernel-second-order", "kernel-second-order-separable")

    def check(self) -> None:
        """a > 0, a kernel, and a whole number of support vectors."""
        positive(WHERE, "a", self.a)
        require(isinstance(self.kernel, Kernel), WHERE, "kernel must be one of driftline.kernels", self.kernel)
        whole(WHERE, "most", self.most, 1, MOST)
        object.__setattr__(self, "most", int(self.most))

    @property
    def refuses(self) -> bool:
        """True: where there is no room for an example, or where the kernel overflows."""
        return True
