"""Learners over a sum of support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from driftline import rules
from driftline.encode.faults import shortened
from driftline.internals.require import require
from driftline.learners.base import base_of, part_of
from driftline.learners.learner import Learner, Options
from driftline.rules.kernel.kernelized import Evict
from driftline.rules.kernel.kernels import Kernel

if TYPE_CHECKING:
    from driftline.engines.kernel.expansion_engine import KernelEngine


class Kernelized(Learner):
    """Any rule of two numbers in the space of a kernel, within a budget. See ``driftline.rules.kernel.kernelized``.

    The learner is one of driftline's, its rule, or a text such as "pa1(C=0.5)"; the kernel is one of
    ``driftline.kernels``, a text such as "rbf(gamma=0.5)", or a Python function of two vectors. Kernels of distances
    (Gaussian, Laplacian) take no notice of the bias feature.

    >>> learner = Kernelized("perceptron", "rbf(gamma=2)", budget=100)
    >>> for _ in range(5):
    ...     for x in ((0, 0), (0, 1), (1, 0), (1, 1)):
    ...         _ = learner.learn_one(x, x[0] != x[1])
    >>> [learner.predict_one(x) for x in ((0, 0), (0, 1), (1, 0), (1, 1))]
    [False, True, True, False]
    >>> learner.support()
    4
    """

    _engine: KernelEngine

    def __init__(
        self,
        learner: Any = "pa1",
        kernel: Any = "rbf",
        budget: int | None = None,
        evict: Evict = "oldest",
        *,
        age: int | None = None,
        epsilon: float | None = None,
        eta: float = 0.1,
        seed: int = 0,
        most: int = 20_000,
        **options: Unpack[Options],
    ) -> None:
        rule, options = base_of("Kernelized", learner, options)
        found = kernel_of("Kernelized", kernel)
        unscaled("Kernelized", found, options)
        super().__init__(rules.Kernelized(rule, found, budget, evict, age, epsilon, eta, seed, most), **options)

    def support(self) -> int:
        """How many support vectors it has."""
        return self._engine.support


def unscaled(where: str, kernel: Kernel, options: Options) -> None:
    """An example that is the number of a row must stay that number."""
    scale = options.get("scale")
    require(not kernel.numbered or scale is None, where, "scale must be None: an example is the number of a row", scale)


def kernel_of(where: str, given: Any) -> Kernel:
    """The kernel that is given: as it is, by its name with parameters, or as a Python function.

    >>> kernel_of("Kernelized", "poly(degree=3)")
    Polynomial(degree=3, offset=1.0, gamma=1.0)
    """
    if isinstance(given, str):
        given = part_of(where, "kernel", given)
    if isinstance(given, Kernel):
        return given
    if callable(given) and not isinstance(given, type):
        return rules.kernels.Callable(given)
    raise ValueError(
        f"{where}: kernel must be one of driftline.kernels, its name, or a function, got {shortened(given)}. "
        "Pass 'rbf(gamma=0.5)'"
    )
