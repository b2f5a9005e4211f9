"""The learners of several classes."""

from __future__ import annotations

from typing import Literal, Unpack

from driftline import rules
from driftline.learners.inner_learners import base_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.learners.several_classes import SeveralClasses


class OneVsRest(SeveralClasses):
    """One learner of two labels for each class against the rest.

    New classes may appear at any time. Declare known classes with ``labels``: their learners then
    see every example. The rule and its paper are in
    ``driftline.rules.multiclass.one_vs_rest``.

    Parameters
    ----------
    learner : Learner, Rule or str, default="pa1"
        A new learner of two labels, its rule, or a text such as "pa1(C=0.5)". Experts are
        refused.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing``, ``dtype`` and ``class_weight``, as in
        ``driftline.Learner``.

    Examples
    --------
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
    """A multiclass Perceptron: towards the right class, away from the classes that outscored it.

    New classes may appear at any time. The rule and its paper are in
    ``driftline.rules.multiclass.multiclass_perceptron``.

    Parameters
    ----------
    update : {"max", "uniform", "proportional"}, default="max"
        The classes that a mistake moves away from: the one with the highest score ("max"), or all
        that outscored the right one, by the same amount ("uniform") or by how far they are above
        it ("proportional").
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
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
    """Multiclass passive-aggressive: gives the right class a margin of 1 over the others.

    New classes may appear at any time. The rule and its paper are in
    ``driftline.rules.multiclass.multiclass_pa``.

    Parameters
    ----------
    C : float, default=1.0
        Largest step ("pa1") or weight of the squared slack ("pa2"), > 0. "pa" ignores it.
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        Which step is taken: as in ``PA``, ``PA1`` or ``PA2``.
    update : {"max", "proportional"}, default="proportional"
        The classes that an update moves away from: the highest other one ("max"), or all within
        the margin, by their loss ("proportional").
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
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
