"""A learner that refits a batch classifier as examples arrive."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Unpack

from driftline import rules
from driftline.engines.composed.estimators import named, text_of
from driftline.internals.one_call import whole_call
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules.composed.batch_online import ESTIMATOR, Schedule


class BatchOnline(Learner):
    """Any scikit-learn classifier, fitted again as examples arrive.

    Random choices within a fit depend only on ``seed`` and the number of the fit. A saved model
    contains the examples. After loading it is fitted again when it is first used: with the same
    library versions it gives the same scores. An object that is not a plain scikit-learn
    classifier, such as a pipeline, can be used but not saved. Each row is scored by a separate
    call of the estimator, so that blocks and single rows give the same bits. The rule and its
    paper are in ``driftline.rules.composed.batch_online``.

    Parameters
    ----------
    estimator : str or object, default="LogisticRegression()"
        A text such as "LogisticRegression(C=0.1)", or an object with ``fit`` and ``predict``. It
        is fitted with the labels -1 and +1. The score is its ``decision_function``; without one,
        2 p - 1 for the p of ``predict_proba``; without either, its prediction.
    schedule : {"geometric", "every", "mistake"}, default="geometric"
        When it is fitted: when the share ``rho`` of the stored examples is new ("geometric"),
        after each example ("every"), or after each wrong label ("mistake").
    rho : float, default=0.1
        Share of new examples at which "geometric" fits again, > 0.
    first : int, default=2
        Number of examples at the first fit, >= 1. Both classes must also have appeared.
    most : int or None, default=10_000
        Number of the latest examples that are stored, >= 2. None stores all, without limit.
    seed : int, default=0
        Seed of the random choices within a fit, >= 0.
    **options
        ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in ``driftline.Learner``.
        There is no bias.

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
    @whole_call
    def fitted(self) -> Any:
        """The estimator of the last fit; None while the more frequent class is predicted."""
        engine: Any = self._engine
        return None if engine.model is None else engine.fit(engine.model)


def _described(estimator: Any) -> Any:
    """The checked text of an estimator, or a copy of an object that no text describes.

    The default text is not checked, so that scikit-learn is not loaded yet.
    """
    if isinstance(estimator, str):
        if estimator != ESTIMATOR:
            named(estimator)
        return estimator
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return estimator if isinstance(estimator, type) else deepcopy(estimator)
    return text_of(estimator) or deepcopy(estimator)
