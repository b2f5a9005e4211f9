"""Learners with multiplicative updates: for few features that matter among very many."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner, Options


class Winnow(Learner):
    """Positive weights, multiplied by beta or divided by it. See ``driftline.rules.multiplicative.winnow``.

    Features must not be negative, and should not exceed 1: above that no bound holds. Set theta to about the number
    of features over the number of those that matter.

    >>> learner = Winnow(theta=2.0, beta=2.0, bias=False)
    >>> for x, y in [({"a": 1}, 1), ({"a": 1, "b": 1}, 1), ({"b": 1, "c": 1}, 0), ({"a": 1}, 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.weights()
    {'a': 2.0, 'b': 0.5, 'c': 0.5}
    """

    def __init__(self, theta: float = 1.0, beta: float = 1.5, **options: Unpack[Options]) -> None:
        super().__init__(rules.Winnow(theta, beta), **options)


class BalancedWinnow(Learner):
    """Weights of either sign, w = 2 sinh(eta z), at threshold 0.

    See ``driftline.rules.multiplicative.balanced_winnow``.

    >>> learner = BalancedWinnow(eta=0.5)
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False), ({"a": 1}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 1}), learner.mistakes
    (True, 2)
    """

    def __init__(self, eta: float = 0.1, **options: Unpack[Options]) -> None:
        super().__init__(rules.BalancedWinnow(eta), **options)
