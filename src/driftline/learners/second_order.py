"""Second-order learners: weights, and a matrix P of their uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from driftline import rules
from driftline.internals.one_call import whole_call
from driftline.learners.learner import Learner
from driftline.learners.options import Options

if TYPE_CHECKING:
    from driftline.engines.second_order.variances import VariancesEngine


class SecondOrder(Learner):
    """Base class: a full matrix P for up to ``most`` features, or a diagonal for any number."""

    _engine: VariancesEngine

    @property
    @whole_call
    def logdet(self) -> float:
        """ln(det P at the start / det P now); it grows as the weights become certain."""
        return self._engine.logdet()


class SecondOrderPerceptron(SecondOrder):
    """A Perceptron on features whitened by its past mistakes.

    Use it for correlated features. Its mistake bound contains ``logdet``, and does not hold with
    ``diagonal=True``. The rule and its paper are in
    ``driftline.rules.second_order.second_order_perceptron``.

    Parameters
    ----------
    a : float, default=1.0
        Regularisation, from 1e-60 to 1e100. The larger it is, the closer the learner is to a
        Perceptron; 1 suits examples of length 1.
    diagonal : bool, default=False
        Whether to keep only the diagonal of the matrix between features. Time and memory per
        example are then those of a linear learner. Use it for sparse examples of many features.
    most : int, default=4096
        Largest number of features without ``diagonal``, >= 1. More are refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = SecondOrderPerceptron(a=1.0, bias=False)
    >>> for x, y in [({"a": 1.0, "b": 0.9}, True), ({"a": 0.9, "b": 1.0}, False), ({"a": 1.0, "b": 0.8}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 0.5, "b": 0.4}), learner.mistakes
    (True, 2)
    """

    def __init__(self, a: float = 1.0, *, diagonal: bool = False, most: int = 4096, **options: Unpack[Options]) -> None:
        super().__init__(rules.SecondOrderPerceptron(a, diagonal, most), **options)


class AROW(SecondOrder):
    """Adaptive regularisation of weights: ridge regression on the labels of margins below 1.

    Use it for correlated features, or features of very different frequency. It tolerates wrong
    labels better than ``SCW``. The rule and its paper are in
    ``driftline.rules.second_order.arow``.

    Parameters
    ----------
    r : float, default=1.0
        Regularisation, from 1e-60 to 1e100. The larger it is, the less one example counts.
    diagonal : bool, default=False
        Whether to keep only the diagonal of the matrix between features. Time and memory per
        example are then those of a linear learner. Use it for sparse examples of many features.
    most : int, default=4096
        Largest number of features without ``diagonal``, >= 1. More are refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = AROW(r=0.5, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, True)
    >>> learner.score_one({"a": 1.0})
    0.666...
    """

    def __init__(self, r: float = 1.0, *, diagonal: bool = False, most: int = 4096, **options: Unpack[Options]) -> None:
        super().__init__(rules.AROW(r, diagonal, most), **options)


class SCW(SecondOrder):
    """Soft confidence-weighted learning (SCW-I): large steps for weights that are uncertain.

    It learns fast where labels can be trusted. The rule and its paper are in
    ``driftline.rules.second_order.scw``.

    Parameters
    ----------
    C : float, default=1.0
        Largest step, > 0. Use a small ``C`` where labels are noisy.
    eta : float, default=0.9
        Probability with which an example must be classified correctly, > 0.5 and < 1.
    diagonal : bool, default=False
        Whether to keep only the diagonal of the matrix between features. Time and memory per
        example are then those of a linear learner. Use it for sparse examples of many features.
    most : int, default=4096
        Largest number of features without ``diagonal``, >= 1. More are refused with a ValueError.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = SCW(C=1.0, eta=0.9, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, True)
    >>> learner.weights()["a"] > 0.0, learner.logdet > 0.0
    (True, True)
    """

    def __init__(
        self,
        C: float = 1.0,
        eta: float = 0.9,
        *,
        diagonal: bool = False,
        most: int = 4096,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.SCW(C, eta, diagonal, most), **options)
