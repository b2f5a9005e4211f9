"""A learner that averages the hypotheses of another learner."""

from __future__ import annotations

from typing import Any, Unpack

from driftline import rules
from driftline.internals.one_call import whole_call
from driftline.learners.inner_learners import base_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options


class Averaged(Learner):
    """The mean of all hypotheses of a two-number rule.

    Use it for targets that do not change, above all with noise. The learner inside learns as it
    would alone. Scores, mistakes and all other counts are those of the mean. A round with sample
    weight 0 does not enter the mean. The rule and its paper are in
    ``driftline.rules.composed.averaged``.

    Parameters
    ----------
    learner : Learner, Rule or str, default="perceptron"
        A new learner of a two-number rule with p = 2 and sigma = 0, its rule, or a text such as
        "pa1(C=0.5)".
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
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
    @whole_call
    def online(self) -> int:
        """The number of mistakes of the learner inside; ``mistakes`` counts those of the mean."""
        engine: Any = self._engine
        return int(engine.online)
