"""The learner of the second-order Perceptron with a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from driftline import rules
from driftline.learners.kernel import kernel_of, unscaled
from driftline.learners.learner import Learner
from driftline.learners.options import Options

if TYPE_CHECKING:
    from driftline.engines.kernel.kernel_second_order import KernelSecondOrderEngine


class KernelSecondOrder(Learner):
    """The second-order Perceptron in the space of a kernel.

    Use it for boundaries that are not linear. The rule and its paper are in
    ``driftline.rules.kernel.kernel_second_order``.

    Parameters
    ----------
    a : float, default=1.0
        Regularisation, > 0. The larger it is, the closer the learner is to a kernel Perceptron.
    kernel : Kernel, str or callable, default="rbf"
        One of ``driftline.kernels``, a text such as "rbf(gamma=0.5)", or a function of two
        vectors.
    most : int, default=2000
        Largest number of support vectors, >= 1. An example that needs one more is refused with a
        ValueError.
    **options
        ``bias``, ``scale``, ``labels`` and ``hashing``, as in ``driftline.Learner``. Weights are
        float64.

    Examples
    --------
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
        """The number of support vectors."""
        return self._engine.support

    @property
    def logdet(self) -> float:
        """sum_i ln(1 + lambda_i / a) over the eigenvalues of the kernel matrix.

        The bound on the updates contains it.
        """
        return self._engine.logdet
