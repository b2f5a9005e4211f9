"""The second-order Perceptron in the space of a kernel: directions in which examples abound count for less.

    A = a I + sum_i phi(x_i) phi(x_i)^T,  w = sum_i y_i phi(x_i)  over the updates;    score r = w^T A^-1 phi(x)
      = sum_i alpha_i k(x_i, x),    alpha = (a I + K)^-1 y;    an update where y r <= 0

Dual form: with the Cholesky factor L of a I + K, z = L^-1 y and alpha = L^-T z. A new example appends a row to L and a
number to z: with k_i = k(x_i, x), l = L^-1 k and pivot^2 = a + k(x, x) - l.l they are (l, pivot) and (y - l.z) / pivot.
A score costs m kernel values for m updates so far, an update O(m^2) more.

Cesa-Bianchi, Conconi, Gentile. A second-order Perceptron algorithm. SIAM J. Comput. 34 (2005), section 4.
With |u| = 1, D = sum of max(0, 1 - y u(x) / gamma) and lambda_u = sum of u(x)^2 over the updates, lambda_i the
eigenvalues of their K: at most D + sqrt((a + lambda_u) sum_i ln(1 + lambda_i / a)) / gamma updates. The sum of
logarithms is ``logdet``. As a grows it becomes the Perceptron.
Differs from the paper: the score has no x in the inverse, which divides it by 1 + x^T A^-1 x and leaves its sign. A
sample weight multiplies y.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.internals.require import positive, require, whole
from driftline.rules.kernel.kernels import Gaussian, Kernel
from driftline.rules.rule import Rule

WHERE = "KernelSecondOrder"
MOST = 50_000


@dataclass(frozen=True)
class KernelSecondOrder(Rule):
    """``a > 0`` and a ``kernel``. An example that would be support vector ``most`` + 1 is refused."""

    a: float = 1.0
    kernel: Kernel = field(default_factory=Gaussian)
    most: int = 2000
    engine: ClassVar[str] = "kernel.kernel_second_order:KernelSecondOrderEngine"
    paper: ClassVar[str] = "Cesa-Bianchi, Conconi, Gentile 2005"
    single: ClassVar[bool] = False

    def check(self) -> None:
        """a > 0, a kernel, and a whole number of support vectors."""
        positive(WHERE, "a", self.a)
        require(isinstance(self.kernel, Kernel), WHERE, "kernel must be one of driftline.kernels", self.kernel)
        whole(WHERE, "most", self.most, 1, MOST)
        object.__setattr__(self, "most", int(self.most))

    @property
    def refuses(self) -> bool:
        """Where there is no room, or where a kernel overflows."""
        return True
