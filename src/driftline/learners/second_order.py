"""The public learners that know how unsure they are: weights, and a matrix P between features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from driftline import rules
from driftline.learners.learner import Learner, Options

if TYPE_CHECKING:
    from driftline.engines.second_order.variances import VariancesEngine


class SecondOrder(Learner):
    """What they share: the whole of P for up to ``most`` features, or its diagonal for any number of them."""

    _engine: VariancesEngine

    @property
    def logdet(self) -> float:
        """ln(det P at the start / det P now): how much has become certain."""
        return self._engine.logdet()


class SecondOrderPerceptron(SecondOrder):
    """The Perceptron, whitened by what it got wrong. See ``driftline.rules.second_order.second_order_perceptron``.

    ``logdet`` is the sum of ln(1 + lambda_i / a) in its bound. With ``diagonal=True`` (for sparse rows of many
    features) there is no such bound.

    >>> learner = SecondOrderPerceptron(a=1.0, bias=False)
    >>> for x, y in [({"a": 1.0, "b": 0.9}, True), ({"a": 0.9, "b": 1.0}, False), ({"a": 1.0, "b": 0.8}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 0.5, "b": 0.4}), learner.mistakes
    (True, 2)
    """

    def __init__(self, a: float = 1.0, *, diagonal: bool = False, most: int = 4096, **options: Unpack[Options]) -> None:
        super().__init__(rules.SecondOrderPerceptron(a, diagonal, most), **options)


class AROW(SecondOrder):
    """Ridge regression on labels, from margins below 1. See ``driftline.rules.second_order.arow``.

    >>> learner = AROW(r=0.5, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, True)
    >>> learner.score_one({"a": 1.0})
    0.666...
    """

    def __init__(self, r: float = 1.0, *, diagonal: bool = False, most: int = 4096, **options: Unpack[Options]) -> None:
        super().__init__(rules.AROW(r, diagonal, most), **options)


class SCW(SecondOrder):
    """Soft confidence-weighted learning, SCW-I. See ``driftline.rules.second_order.scw``.

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
