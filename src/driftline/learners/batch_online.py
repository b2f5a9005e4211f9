"""The learner that fits a batch classifier again and again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Unpack

from driftline import rules
from driftline.engines.composed.estimators import named, text_of
from driftline.learners.learner import Learner, Options
from driftline.rules.composed.batch_online import ESTIMATOR, Schedule


class BatchOnline(Learner):
    """Any scikit-learn classifier, refitted as examples arrive.

    What is random in a fit follows from ``seed`` and the number of the fit. A saved model holds
    the examples, and is fitted again when it is loaded: with the same versions of the libraries
    it gives the same scores. An object that is no plain classifier of scikit-learn, such as a
    pipeline, can be used but not saved. Rows are scored one by one, so that blocks and single
    rows have the same bits: each takes a call of the estimator. The rule and its paper are in
    ``driftline.rules.composed.batch_online``.

    Parameters
    ----------
    estimator : str or object, default="LogisticRegression()"
        A text such as "LogisticRegression(C=0.1)", or an object with ``fit`` and ``predict``.
        Labels are -1 and +1 to it. Its score is its ``decision_function``, or 2 p - 1 of
        ``predict_proba``, or what it predicts.
    schedule : {"geometric", "every", "mistake"}, default="geometric"
        When it is fitted: when a part ``rho`` of the examples kept is new ("geometric"), after
        each example ("every"), or after each wrong label ("mistake").
    rho : float, default=0.1
        Part of new examples that makes "geometric" fit again, > 0.
    first : int, default=2
        Number of examples at the first fit, >= 1. Both classes must have appeared, too.
    most : int or None, default=10_000
        Number of the last examples that are kept, >= 2. None keeps all, without limit.
    seed : int, default=0
        Seed of what is random in a fit, >= 0.
    **options
        ``scale``, ``labels`` and ``hashing``, as in ``driftline.Learner``. There is no bias.

    Examples
    --------
    >>> learner = BatchOnline("LogisticRegression(C=10.0)", schedule="every")
    >>> for x, y in [({"a": 1}, "yes"), ({"b": 1}, "no"), ({"a": 1}, "yes")]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 1}), learner.predict_one({"b": 1}), learner.fitted
    ('yes', 'no', LogisticRegression(C=10.0, random_state=...))
    """

    def __init__(
        self,
        estimator: Any = ESTIMATOR,
        schedule: Schedule = "geometric",
        rho: float = 0.1,
        *,
        first: int = 2,
        most: int | None = 10_000,
        seed: int = 0,
        **options: Unpack[Options],
    ) -> None:
        rule = rules.BatchOnline(_described(estimator), schedule, rho, first, most, seed)
        super().__init__(rule, **options)

    @property
    def fitted(self) -> Any:
        """The estimator of the last fit; None where the more frequent class is said."""
        model = self._engine.model  # type: ignore[attr-defined]
        return None if model is None else model.estimator


def _described(estimator: Any) -> Any:
    """A text that is known to be good, or a copy of an object that no text describes.

    The default is good: making a learner of it does not load scikit-learn yet.
    """
    if isinstance(estimator, str):
        if estimator != ESTIMATOR:
            named(estimator)
        return estimator
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return estimator if isinstance(estimator, type) else deepcopy(estimator)
    return text_of(estimator) or deepcopy(estimator)
