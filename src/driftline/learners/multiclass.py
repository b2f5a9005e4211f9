"""The learners of several classes."""

from __future__ import annotations

from typing import Literal, Unpack

from driftline import rules
from driftline.learners.inner_learners import base_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.learners.several_classes import SeveralClasses
from driftline.rules.rule import Infeasible, When


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


class MulticlassShrunkPA(SeveralClasses):
    """Multiclass passive-aggressive, with weights of all classes that shrink in every update.

    Use it for targets that move. An update gives the right class a margin of 1 over the other
    class with the highest score, and divides the older weights by a constant. New classes may
    appear at any time. The rule and its paper are in
    ``driftline.rules.multiclass.multiclass_shrunk_pa``.

    Parameters
    ----------
    alpha : float, default=0.01
        Shrinkage, >= 0: each update divides the weights of all classes by 1 + ``alpha``.
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only if another class scores as high as
        the right one (margin <= 0).
    sigma : float, default=0.0
        Feature removal, >= 0: after each update the smallest weights are set to 0 as long as the
        sum of their squares is below ``sigma``. 0 removes none.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = MulticlassShrunkPA(alpha=1.0, labels=("a", "b", "c"), bias=False)
    >>> learner.learn_one({"x": 1.0}, "b")
    0.0
    >>> learner.scores_one({"x": 1.0})
    {'a': -0.5, 'b': 0.5, 'c': 0.0}
    """

    def __init__(
        self, alpha: float = 0.01, *, when: When = "mistake", sigma: float = 0.0, **options: Unpack[Options]
    ) -> None:
        super().__init__(rules.MulticlassShrunkPA(alpha, when, sigma), **options)


class MulticlassL2PA(SeveralClasses):
    """Multiclass passive-aggressive inside the ball of L2 norm ``beta``, solved exactly.

    Use it for targets that move. The norm is that of the weights of all classes together. Every
    update that would leave the ball shrinks the older weights of all classes. New classes may
    appear at any time. The rule and its paper are in
    ``driftline.rules.multiclass.multiclass_l2pa``.

    Parameters
    ----------
    beta : float, default=10.0
        Radius of the ball, > 0. Every step is feasible if ``beta`` times the square root of 2 is
        at least 1 / |x| for every example.
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only if another class scores as high as
        the right one (margin <= 0).
    infeasible : {"skip", "relax", "best", "raise"}, default="skip"
        What to do if no point of the ball gives the example margin 1. "skip" leaves the weights
        unchanged, "relax" aims at a smaller margin (see ``kappa``), "best" goes to the point of
        the ball with the largest margin, and "raise" refuses the example with a ValueError.
    kappa : float, default=0.5
        The fraction of the largest possible margin that "relax" aims at, > 0 and < 1.
    sigma : float, default=0.0
        Feature removal, >= 0: after each update the smallest weights are set to 0 as long as the
        sum of their squares is below ``sigma``. 0 removes none.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = MulticlassL2PA(beta=2.0, labels=("a", "b", "c"), bias=False)
    >>> learner.learn_one({"x": 1.0}, "b")
    0.0
    >>> learner.scores_one({"x": 1.0})
    {'a': -0.5, 'b': 0.5, 'c': 0.0}
    """

    def __init__(
        self,
        beta: float = 10.0,
        *,
        when: When = "mistake",
        infeasible: Infeasible = "skip",
        kappa: float = 0.5,
        sigma: float = 0.0,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.MulticlassL2PA(beta, when, infeasible, kappa, sigma), **options)


class MulticlassL1PA(SeveralClasses):
    """Multiclass passive-aggressive inside the ball of L1 norm ``beta``, solved exactly.

    Use it if few features matter: few weights are not 0. The norm is that of the weights of all
    classes together. New classes may appear at any time. The rule and its paper are in
    ``driftline.rules.multiclass.multiclass_l1pa``.

    Parameters
    ----------
    beta : float, default=10.0
        Radius of the ball, > 0. Every step is feasible if ``beta`` is at least 1 / max |x_i| for
        every example.
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only if another class scores as high as
        the right one (margin <= 0).
    infeasible : {"skip", "relax", "best", "raise"}, default="skip"
        What to do if no point of the ball gives the example margin 1. "skip" leaves the weights
        unchanged, "relax" aims at a smaller margin (see ``kappa``), "best" goes to the nearest
        point of the ball with the largest margin, and "raise" refuses the example with a
        ValueError.
    kappa : float, default=0.5
        The fraction of the largest possible margin that "relax" aims at, > 0 and < 1.
    sigma : float, default=0.0
        Feature removal, >= 0: after each update the smallest weights are set to 0 as long as the
        sum of their squares is below ``sigma``. 0 removes none.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``class_weight``, as in
        ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = MulticlassL1PA(beta=2.0, labels=("a", "b", "c"), bias=False)
    >>> learner.learn_one({"x": 1.0}, "b")
    0.0
    >>> learner.scores_one({"x": 1.0})
    {'a': -0.5, 'b': 0.5, 'c': 0.0}
    """

    def __init__(
        self,
        beta: float = 10.0,
        *,
        when: When = "mistake",
        infeasible: Infeasible = "skip",
        kappa: float = 0.5,
        sigma: float = 0.0,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.MulticlassL1PA(beta, when, infeasible, kappa, sigma), **options)
