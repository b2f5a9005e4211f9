"""The second-order Perceptron over support vectors, as a user constructs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from driftline import rules
from driftline.learners.kernel import kernel_of, unscaled
from driftline.learners.learner import Learner, Options

if TYPE_CHECKING:
    from driftline.engines.kernel.kernel_second_order import KernelSecondOrderEngine


class KernelSecondOrder(Learner):
    """The second-order Perceptron in the space of a kernel. See ``driftline.rules.kernel.kernel_second_order``.

    The kernel is one of ``driftline.kernels``, a text such as "rbf(gamma=0.5)", or a Python function of two vectors. An
    example that would be support vector ``most`` + 1 is refused.

    >>> learner = KernelSecondOrder(a=0.1, kernel="rbf(gamma=2)")
    >>> for x in ((0, 0), (0, 1), (1, 0), (1, 1)) * 3:
    ...     _ = learner.learn_one(x, x[0] != x[1])
    >>> [learner.predict_one(x) for x in ((0, 0), (0, 1), (1, 0), (1, 1))]
    [False, True, True, False]
    >>> learner.support()
    4
    """

    _engine: KernelSecondOrderEngine

    def __init__(self, a: float = 1.0, kernel: Any = "rbf", most: int = 2000, **options: Unpack[Options]) -> None:
        found = kernel_of("KernelSecondOrder", kernel)
        unscaled("KernelSecondOrder", found, options)
        super().__init__(rules.KernelSecondOrder(a, found, most), **options)

    def support(self) -> int:
        """How many support vectors it has."""
        return self._engine.support

    @property
    def logdet(self) -> float:
        """sum_i ln(1 + lambda_i / a) over the eigenvalues of its kernel matrix: what its bound on updates needs."""
        return self._engine.logdet
