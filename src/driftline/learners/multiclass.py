"""The learners of several classes."""

from __future__ import annotations

from typing import Literal, Unpack

from driftline import rules
from driftline.learners.base import base_of
from driftline.learners.learner import Learner, Options
from driftline.learners.several_classes import SeveralClasses


class OneVsRest(SeveralClasses):
    """A learner for each class, against the rest. See ``driftline.rules.multiclass.one_vs_rest``.

    ``learner`` is any of two labels, its rule, or a text such as "pa1(C=0.5)"; experts alone are not for it.

    >>> learner = OneVsRest("pa1(C=0.5)")
    >>> for x, y in [({"red": 1}, "apple"), ({"yellow": 1}, "banana"), ({"orange": 1}, "carrot")] * 2:
    ...     margin = learner.learn_one(x, y)
    >>> learner.predict_one({"yellow": 1}), learner.mistakes
    ('banana', 4)
    """

    def __init__(self, learner: Learner | rules.Rule | str = "pa1", **options: Unpack[Options]) -> None:
        rule, options = base_of("OneVsRest", learner, options)
        super().__init__(rules.OneVsRest(rule), **options)


class MulticlassPerceptron(SeveralClasses):
    """On a mistake, towards the right class and away from others.

    See ``driftline.rules.multiclass.multiclass_perceptron``.

    >>> learner = MulticlassPerceptron(labels=("a", "b", "c"), bias=False)
    >>> learner.learn_one({"x": 1.0}, "b")
    0.0
    >>> learner.scores_one({"x": 1.0})
    {'a': -1.0, 'b': 1.0, 'c': 0.0}
    >>> learner.score_one({"x": 1.0})
    1.0
    """

    def __init__(self, update: Literal["max", "uniform", "proportional"] = "max", **options: Unpack[Options]) -> None:
        super().__init__(rules.MulticlassPerceptron(update), **options)


class MulticlassPA(SeveralClasses):
    """The right class to a margin of 1 above the others. See ``driftline.rules.multiclass.multiclass_pa``.

    >>> learner = MulticlassPA(labels=("a", "b", "c"), bias=False)
    >>> learner.learn_one({"x": 1.0}, "b")
    0.0
    >>> learner.scores_one({"x": 1.0})
    {'a': -0.333..., 'b': 0.666..., 'c': -0.333...}
    """

    def __init__(
        self,
        C: float = 1.0,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        update: Literal["max", "proportional"] = "proportional",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.MulticlassPA(C, variant, update), **options)
