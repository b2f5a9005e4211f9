"""Learners that combine the predictions of experts for real outcomes, by square loss."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.experts import Experts
from driftline.learners.options import Options


class OutcomeExperts(Experts):
    """A learner that weighs the predictions of experts for real outcomes.

    Each feature is an expert, and its value is its prediction: a number from -B to B. An absent
    expert predicts 0. Outcomes are from -B to B too; others are refused. Experts are ordered by
    column, or by name in the order of the first example, which fixes their number. The prediction
    is a number from -B to B. A sample weight multiplies the losses of its round.
    """


class SquareLossExperts(OutcomeExperts):
    """The mean of the experts' predictions, weighted by ``exp(-eta * square loss)``.

    Use it for real outcomes if one expert is best on the whole stream and the prediction must be a
    weighted mean. ``AggregatingExperts`` has a smaller regret bound. The rule and its paper are in
    ``driftline.rules.experts.square_loss_experts``.

    Parameters
    ----------
    eta : float or None, default=None
        Learning rate, > 0. None is 1 / (8 B^2), the largest rate for which the regret bound holds.
    B : float, default=1.0
        Largest absolute value of predictions and outcomes, > 0.
    **options
        None of those in ``driftline.Learner``: targets have no labels, and predictions of experts
        are neither scaled nor hashed.

    Examples
    --------
    >>> learner = SquareLossExperts(B=10.0)
    >>> for z, y in [([9.0, 1.0], 8.0), ([2.0, 7.0], 1.0), ([5.0, -5.0], 6.0)]:
    ...     predicted = learner.learn_one(z, y)
    >>> round(learner.predict_one([4.0, 0.0]), 2), learner.losses().tolist()
    (2.25, [3.0, 206.0])
    """

    def __init__(self, eta: float | None = None, B: float = 1.0, **options: Unpack[Options]) -> None:
        super().__init__(rules.SquareLossExperts(eta, B), **options)


class AggregatingExperts(OutcomeExperts):
    """Vovk's aggregating algorithm for square loss.

    Use it for real outcomes if one expert is best on the whole stream. Its loss exceeds that of
    the best of n experts by at most 2 B^2 ln n. The rule and its paper are in
    ``driftline.rules.experts.aggregating_experts``.

    Parameters
    ----------
    eta : float or None, default=None
        Learning rate, > 0 and at most 1 / (2 B^2). None is 1 / (2 B^2).
    B : float, default=1.0
        Largest absolute value of predictions and outcomes, > 0.
    **options
        None of those in ``driftline.Learner``: targets have no labels, and predictions of experts
        are neither scaled nor hashed.
    """

    def __init__(self, eta: float | None = None, B: float = 1.0, **options: Unpack[Options]) -> None:
        super().__init__(rules.AggregatingExperts(eta, B), **options)


class SquareLossFixedShare(OutcomeExperts):
    """The aggregating algorithm for a best expert that changes; experts share their weight.

    Use it for real outcomes if the best expert changes. The rule and its paper are in
    ``driftline.rules.experts.square_loss_fixed_share``.

    Parameters
    ----------
    eta : float or None, default=None
        Learning rate, > 0 and at most 1 / (2 B^2). None is 1 / (2 B^2).
    B : float, default=1.0
        Largest absolute value of predictions and outcomes, > 0.
    alpha : float, default=0.003
        Part of its weight that every expert shares each round, > 0 and <= 1. ``k / (T - 1)`` is
        the best choice for k changes in T rounds.
    **options
        None of those in ``driftline.Learner``: targets have no labels, and predictions of experts
        are neither scaled nor hashed.
    """

    def __init__(
        self, eta: float | None = None, B: float = 1.0, alpha: float = 0.003, **options: Unpack[Options]
    ) -> None:
        super().__init__(rules.SquareLossFixedShare(eta, B, alpha), **options)
