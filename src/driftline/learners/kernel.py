"""Kernel learners: a hypothesis is a sum over support vectors, or over products of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from driftline import rules
from driftline.encode.faults import shortened
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.learners.inner_learners import base_of, part_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules.kernel.kernelized import Evict
from driftline.rules.kernel.kernels import Kernel

if TYPE_CHECKING:
    from driftline.engines.kernel.expansion_engine import KernelEngine
    from driftline.engines.kernel.kernel_second_order import KernelSecondOrderEngine


class Kernelized(Learner):
    """A two-number rule in the space of a kernel, with a budget of support vectors.

    Use it for boundaries that are not linear. With a regressor inside it learns targets that are
    not linear in the features. Kernels of distances (Gaussian, Laplacian) ignore the bias feature.
    The rule and its papers are in ``driftline.rules.kernel.kernelized``.

    Parameters
    ----------
    learner : Learner, Rule or str, default="pa1"
        A new learner of a two-number rule with p = 2, its rule, or a text such as "pa1(C=0.5)".
    kernel : Kernel, str or callable, default="rbf"
        One of ``driftline.kernels``, a text such as "rbf(gamma=0.5)", or a function of two
        vectors.
    budget : int or None, default=None
        Largest number of support vectors, >= 1. None sets no budget.
    evict : {"oldest", "smallest", "random", "age", "forgetron", "projectron"}, default="oldest"
        What happens when the budget is exceeded. "oldest", "smallest" and "random" drop that
        support vector. "age" drops those older than ``age``, with or without a budget.
        "forgetron" and "projectron" are for the Perceptron only. "forgetron" shrinks all
        coefficients and drops the oldest support vector. "projectron" is Projectron++: it writes
        an example as a linear combination of the others.
    age : int or None, default=None
        Rounds (with ``ShrunkPA``: updates) after which a support vector is dropped; for
        ``evict="age"``.
    epsilon : float or None, default=None
        Alternative to ``age``, > 0: the largest error that dropping old support vectors may cause
        in a score. ``age`` is computed from it. It needs ``NORMA`` or ``ShrunkPA`` and a kernel
        with k(x, x) = 1.
    eta : float, default=0.1
        Distance below which ``evict="projectron"`` projects an example onto the others, > 0.
    seed : int, default=0
        Seed of ``evict="random"``, >= 0.
    most : int, default=20_000
        Largest number of support vectors without a budget, >= 1. An example that needs one more
        is refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
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

    @whole_call
    def support(self) -> int:
        """The number of support vectors."""
        return self._engine.support


def unscaled(where: str, kernel: Kernel, options: Options) -> None:
    """Raise ValueError if examples are row numbers of a kernel matrix and would be scaled."""
    scale = options.get("scale")
    require(
        not kernel.numbered or scale is None,
        where,
        "scale must be None: an example is a row number of the kernel matrix",
        scale,
    )


def kernel_of(where: str, given: Any) -> Kernel:
    """The kernel that is given as an object, as a text with parameters, or as a Python function.

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
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

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

    @whole_call
    def support(self) -> int:
        """The number of support vectors."""
        return self._engine.support

    @property
    @whole_call
    def logdet(self) -> float:
        """sum_i ln(1 + lambda_i / a) over the eigenvalues of the kernel matrix.

        The bound on the updates contains it.
        """
        return self._engine.logdet


class MultilinearPerceptron(Learner):
    """The p-norm Perceptron, p = 4, over all 2^n products of features, computed exactly.

    Use it where few conjunctions of features decide the label. Keep features within -1 and 1.
    There are no weights of single features: ``weights()`` is empty. The rule and its paper are in
    ``driftline.rules.kernel.multilinear_perceptron``.

    Parameters
    ----------
    most : int, default=100
        Largest number of updates, from 1 to 1000; memory grows with its cube. An example that
        needs one more is refused with a ValueError, unless there are few features (usually at
        most 21).
    **options
        ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in ``driftline.Learner``.
        There is no bias.

    Examples
    --------
    >>> learner = MultilinearPerceptron()
    >>> xor = [({"a": a, "b": b}, a != b) for a in (-1, 1) for b in (-1, 1)]
    >>> for x, y in xor * 3:
    ...     score = learner.learn_one(x, y)
    >>> [learner.predict_one(x) == y for x, y in xor]
    [True, True, True, True]
    """

    def __init__(self, most: int = 100, **options: Unpack[Options]) -> None:
        super().__init__(rules.MultilinearPerceptron(most), **options)
