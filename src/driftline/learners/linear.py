"""The public learners: a rule's parameters, and the options that every learner takes."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner, Options
from driftline.rules import Infeasible, When


class Perceptron(Learner):
    """Add every example that was got wrong. See ``driftline.rules.linear.perceptron``.

    >>> learner = Perceptron()
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False), ({"a": 1}, True)]:
    ...     score = learner.learn_one(x, y)
    >>> learner.predict_one({"a": 1}), learner.mistakes
    (True, 2)
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(rules.Perceptron(), **options)


class PNormPerceptron(Learner):
    """The Perceptron in the p-norm geometry, p >= 2. See ``driftline.rules.linear.pnorm_perceptron``."""

    def __init__(self, p: float = 4.0, **options: Unpack[Options]) -> None:
        super().__init__(rules.PNormPerceptron(p), **options)


class ProjectionPerceptron(Learner):
    """A Perceptron of step eta that stays in a ball. See ``driftline.rules.linear.projection_perceptron``."""

    def __init__(self, eta: float = 0.1, radius: float = 1.0, **options: Unpack[Options]) -> None:
        super().__init__(rules.ProjectionPerceptron(eta, radius), **options)


class NORMA(Learner):
    """Step alpha at margin rho, forgetting at rate lam on every round. See ``driftline.rules.linear.norma``."""

    def __init__(
        self, alpha: float = 1.0, lam: float = 0.001, rho: float = 1.0, p: float = 2.0, **options: Unpack[Options]
    ) -> None:
        super().__init__(rules.NORMA(alpha, lam, rho, p), **options)


class ALMA(Learner):
    """Step alpha at margin rho, kept in the ball of radius B. See ``driftline.rules.linear.alma``."""

    def __init__(
        self, alpha: float = 1.0, B: float = 10.0, rho: float = 1.0, p: float = 2.0, **options: Unpack[Options]
    ) -> None:
        super().__init__(rules.ALMA(alpha, B, rho, p), **options)


class SelfTuningALMA(Learner):
    """Gentile's ALMA, which approaches the largest margin. See ``driftline.rules.linear.self_tuning_alma``."""

    def __init__(
        self,
        alpha: float = 0.9,
        B: float | None = None,
        C: float | None = None,
        p: float = 2.0,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.SelfTuningALMA(alpha, B, C, p), **options)


class PA(Learner):
    """Passive-aggressive: the shortest move to margin 1. See ``driftline.rules.linear.pa``."""

    def __init__(self, *, when: When = "margin", **options: Unpack[Options]) -> None:
        super().__init__(rules.PA(when), **options)


class PA1(Learner):
    """PA-I: the shortest move to margin 1, capped at C. See ``driftline.rules.linear.pa1``.

    >>> learner = PA1(C=0.5)
    >>> learner.learn_one({"free": 1, "money": 1}, "spam")
    0.0
    >>> learner.learn_one({"lunch": 1}, "ham")
    -0.333...
    >>> learner.predict_one({"money": 1})
    'spam'
    """

    def __init__(self, C: float = 1.0, *, when: When = "margin", **options: Unpack[Options]) -> None:
        super().__init__(rules.PA1(C, when), **options)


class PA2(Learner):
    """PA-II: the move to margin 1, softened by C. See ``driftline.rules.linear.pa2``."""

    def __init__(self, C: float = 1.0, *, when: When = "margin", **options: Unpack[Options]) -> None:
        super().__init__(rules.PA2(C, when), **options)


class ShrunkPA(Learner):
    """Passive-aggressive that shrinks by 1 + alpha an update. See ``driftline.rules.linear.shrunk_pa``."""

    def __init__(
        self, alpha: float = 0.01, *, when: When = "mistake", sigma: float = 0.0, **options: Unpack[Options]
    ) -> None:
        super().__init__(rules.ShrunkPA(alpha, when, sigma), **options)


class L2PA(Learner):
    """Passive-aggressive inside the ball |w|_2 <= beta. See ``driftline.rules.linear.l2pa``."""

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
        super().__init__(rules.L2PA(beta, when, infeasible, kappa, sigma), **options)


class L1PA(Learner):
    """Passive-aggressive inside the ball |w|_1 <= beta. See ``driftline.rules.linear.l1pa``."""

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
        super().__init__(rules.L1PA(beta, when, infeasible, kappa, sigma), **options)


class ROMMA(Learner):
    """The relaxed maximum margin algorithm; aggressive with when="margin". See ``driftline.rules.linear.romma``."""

    def __init__(self, *, when: When = "mistake", **options: Unpack[Options]) -> None:
        super().__init__(rules.ROMMA(when), **options)
