"""The learner that fits a batch classifier again and again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Unpack

from driftline import rules
from driftline.engines.composed.estimators import named, text_of
from driftline.learners.learner import Learner, Options
from driftline.rules.composed.batch_online import ESTIMATOR, Schedule


class BatchOnline(Learner):
    """Any scikit-learn classifier, online: fitted again as examples come.

    See ``driftline.rules.composed.batch_online``.

    ``estimator`` is a text such as "LogisticRegression(C=0.1)", or any object with ``fit`` and ``predict``; labels are
    -1 and +1 to it. Its score is its ``decision_function``, or 2 p - 1 of ``predict_proba``, or what it predicts.

    ``schedule`` says when it is fitted: "geometric", when a share ``rho`` of the examples kept is new; "every", after
    each example; "mistake", after each wrong label. The first fit comes with ``first`` examples, of both classes. The
    last ``most`` examples are kept, older ones are forgotten with the next fit; None keeps all, without limit.

    What is random in a fit follows from ``seed`` and the number of the fit. A saved model holds the examples, and is
    fitted again when it is loaded: with the same versions of the libraries it then gives the same scores. An object
    that is no plain classifier of scikit-learn, such as a pipeline, can be used but not saved.

    Rows are scored one by one, so that blocks and single rows have the same bits: each takes a call of the estimator.

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
