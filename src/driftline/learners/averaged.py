"""The learner that averages the hypotheses of another."""

from __future__ import annotations

from typing import Any, Unpack

from driftline import rules
from driftline.learners.base import base_of
from driftline.learners.learner import Learner, Options


class Averaged(Learner):
    """Score by the mean of all hypotheses that ``learner`` was used with. See ``driftline.rules.composed.averaged``.

    ``learner`` is one of a two-number rule with p = 2, its rule, or a text such as "pa1(C=0.5)". It learns as it would
    by itself; only scores, and what is counted by them, are the average's. A round of sample weight 0 does not count.

    >>> learner = Averaged("perceptron", bias=False)
    >>> for x, y in [({"a": 1}, True), ({"a": 1}, True), ({"a": 1}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.weights(), learner.online  # the mean of 0, 1 and 1
    ({'a': 0.666...}, 1)
    """

    def __init__(self, learner: Learner | rules.Rule | str = "perceptron", **options: Unpack[Options]) -> None:
        rule, options = base_of("Averaged", learner, options)
        super().__init__(rules.Averaged(rule), **options)

    @property
    def online(self) -> int:
        """Mistakes of the hypotheses themselves; ``mistakes`` are those of the average."""
        engine: Any = self._engine
        return int(engine.online)
