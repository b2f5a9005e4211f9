"""Learners with multiplicative updates: for few relevant features among very many."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner
from driftline.learners.options import Options


class Winnow(Learner):
    """Positive weights, multiplied on a false negative and divided on a false positive.

    Use it where few of many features decide the label. Features must not be negative, and no
    bound holds for values above 1. The rule and its paper are in
    ``driftline.rules.multiplicative.winnow``.

    Parameters
    ----------
    theta : float, default=1.0
        Threshold, > 0. Set it to about the number of features divided by the number of relevant
        ones.
    beta : float, default=1.5
        Factor of an update, > 1.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = Winnow(theta=2.0, beta=2.0, bias=False)
    >>> for x, y in [({"a": 1}, 1), ({"a": 1, "b": 1}, 1), ({"b": 1, "c": 1}, 0), ({"a": 1}, 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.weights()
    {'a': 2.0, 'b': 0.5, 'c': 0.5}
    """

    def __init__(self, theta: float = 1.0, beta: float = 1.5, **options: Unpack[Options]) -> None:
        super().__init__(rules.Winnow(theta, beta), **options)


class TrackingWinnow(Learner):
    """Winnow with a floor under its weights, for few relevant features that change.

    Use it where few of many features decide the label, and these features change over time. If
    they stay the same, use ``Winnow``. Features must not be negative, and no bound holds for
    values above 1. The rule and its paper are in
    ``driftline.rules.multiplicative.tracking_winnow``.

    Parameters
    ----------
    theta : float, default=1.0
        Threshold, > 0: the label is positive if the weighted sum of the features is at least
        ``theta``. Set it to about the number of features divided by the number of relevant ones.
    beta : float, default=1.5
        Factor of an update, > 1. A mistake on a positive example multiplies the weight of a
        feature with value 1 by ``beta``, a mistake on a negative one divides it. The larger it
        is, the faster the learner follows a change, and the more it reacts to noise.
    floor : float, default=0.01
        Smallest weight, in (0, 1). A feature at the floor needs about ln(theta / floor) / ln(beta)
        mistakes to reach the threshold, so a larger floor follows a change sooner. The sum of the
        features of an example, multiplied by the floor, should be well below ``theta``; otherwise
        irrelevant features decide the label.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = TrackingWinnow(theta=2.0, beta=2.0, floor=0.25, bias=False)
    >>> for x, y in [({"a": 9}, 0), ({"a": 1}, 1), ({"a": 1, "b": 1}, 1)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.weights()
    {'a': 1.0, 'b': 2.0}
    """

    def __init__(self, theta: float = 1.0, beta: float = 1.5, floor: float = 0.01, **options: Unpack[Options]) -> None:
        super().__init__(rules.TrackingWinnow(theta, beta, floor), **options)


class BalancedWinnow(Learner):
    """Multiplicative updates for weights of either sign, at threshold 0.

    Use it where few of many features decide the label. The score is ``asinh(w.x / 2)`` for the
    weights w. The rule and its paper are in ``driftline.rules.multiplicative.balanced_winnow``.

    Parameters
    ----------
    eta : float, default=0.1
        Learning rate, > 0. The best choice is the margin of the target, for features between -1
        and 1.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = BalancedWinnow(eta=0.5)
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False), ({"a": 1}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 1}), learner.mistakes
    (True, 2)
    """

    def __init__(self, eta: float = 0.1, **options: Unpack[Options]) -> None:
        super().__init__(rules.BalancedWinnow(eta), **options)
