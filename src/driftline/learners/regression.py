"""Learners of real targets."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner
from driftline.learners.options import Options


class PA1Regressor(Learner):
    """Passive-aggressive regression (PA-I): the smallest change to an error of ``epsilon``.

    The step is capped at ``C``. Use a small ``C`` if targets are noisy. The update and its paper
    are in ``driftline.rules.regression.pa1_regressor``.

    Parameters
    ----------
    C : float, default=1.0
        Largest step, > 0. Infinity always corrects the error to ``epsilon``.
    epsilon : float, default=0.1
        Errors up to ``epsilon`` are not corrected, >= 0.
    **options
        ``bias``, ``scale``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> import driftline as dl
    >>> learner = dl.PA1Regressor(epsilon=0.0)
    >>> for hour, price in [(1.0, 2.5), (2.0, 4.5), (3.0, 6.5), (1.0, 2.5), (2.0, 4.5)]:
    ...     predicted = learner.learn_one({"hour": hour}, price)
    >>> round(learner.predict_one({"hour": 4.0}), 1)
    8.5
    """

    def __init__(self, C: float = 1.0, epsilon: float = 0.1, **options: Unpack[Options]) -> None:
        super().__init__(rules.PA1Regressor(C, epsilon), **options)
