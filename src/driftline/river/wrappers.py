"""The river classifiers of ``driftline.river``, one for each learner."""

from __future__ import annotations

from typing import Literal

from driftline import learners
from driftline.encode import Hashing
from driftline.river.classifier import BOOLS, Dtype, Pair, RiverClassifier, RiverMulticlass, Scale, Several
from driftline.river.float64_only import RiverDouble, RiverPositive, RiverSecondOrder
from driftline.river.vote import RiverVote
from driftline.rules import Infeasible, Rule, When


class Perceptron(RiverClassifier):
    """Add every example that was got wrong. See ``driftline.Perceptron``."""

    def __init__(
        self,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(learners.Perceptron(bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype))


class PNormPerceptron(RiverClassifier):
    """The Perceptron in the p-norm geometry, p >= 2. See ``driftline.PNormPerceptron``."""

    def __init__(
        self,
        p: float = 4.0,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.PNormPerceptron(p, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class ProjectionPerceptron(RiverClassifier):
    """A Perceptron of step eta that stays in a ball. See ``driftline.ProjectionPerceptron``."""

    def __init__(
        self,
        eta: float = 0.1,
        radius: float = 1.0,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.ProjectionPerceptron(
                eta, radius, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype
            )
        )


class NORMA(RiverClassifier):
    """Step alpha at margin rho, forgetting at rate lam on every round. See ``driftline.NORMA``."""

    def __init__(
        self,
        alpha: float = 1.0,
        lam: float = 0.001,
        rho: float = 1.0,
        p: float = 2.0,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.NORMA(alpha, lam, rho, p, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class ALMA(RiverClassifier):
    """Step alpha at margin rho, kept in the ball of radius B. See ``driftline.ALMA``."""

    def __init__(
        self,
        alpha: float = 1.0,
        B: float = 10.0,
        rho: float = 1.0,
        p: float = 2.0,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.ALMA(alpha, B, rho, p, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class SelfTuningALMA(RiverClassifier):
    """Gentile's ALMA, which approaches the largest margin. See ``driftline.SelfTuningALMA``."""

    def __init__(
        self,
        alpha: float = 0.9,
        B: float | None = None,
        C: float | None = None,
        p: float = 2.0,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.SelfTuningALMA(alpha, B, C, p, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class PA(RiverClassifier):
    """Passive-aggressive: the shortest move to margin 1. See ``driftline.PA``."""

    def __init__(
        self,
        *,
        when: When = "margin",
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(learners.PA(when=when, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype))


class PA1(RiverClassifier):
    """PA-I: the shortest move to margin 1, capped at C. See ``driftline.PA1``."""

    def __init__(
        self,
        C: float = 1.0,
        *,
        when: When = "margin",
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.PA1(C, when=when, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class PA2(RiverClassifier):
    """PA-II: the move to margin 1, softened by C. See ``driftline.PA2``."""

    def __init__(
        self,
        C: float = 1.0,
        *,
        when: When = "margin",
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.PA2(C, when=when, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class ShrunkPA(RiverClassifier):
    """Passive-aggressive that shrinks by 1 + alpha an update. See ``driftline.ShrunkPA``."""

    def __init__(
        self,
        alpha: float = 0.01,
        *,
        when: When = "mistake",
        sigma: float = 0.0,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.ShrunkPA(
                alpha, when=when, sigma=sigma, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype
            )
        )


class L2PA(RiverClassifier):
    """Passive-aggressive inside the ball |w|_2 <= beta. See ``driftline.L2PA``."""

    def __init__(
        self,
        beta: float = 10.0,
        *,
        when: When = "mistake",
        infeasible: Infeasible = "skip",
        kappa: float = 0.5,
        sigma: float = 0.0,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.L2PA(
                beta,
                when=when,
                infeasible=infeasible,
                kappa=kappa,
                sigma=sigma,
                bias=bias,
                scale=scale,
                labels=labels,
                hashing=hashing,
                dtype=dtype,
            )
        )


class L1PA(RiverClassifier):
    """Passive-aggressive inside the ball |w|_1 <= beta. See ``driftline.L1PA``."""

    def __init__(
        self,
        beta: float = 10.0,
        *,
        when: When = "mistake",
        infeasible: Infeasible = "skip",
        kappa: float = 0.5,
        sigma: float = 0.0,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.L1PA(
                beta,
                when=when,
                infeasible=infeasible,
                kappa=kappa,
                sigma=sigma,
                bias=bias,
                scale=scale,
                labels=labels,
                hashing=hashing,
                dtype=dtype,
            )
        )


class ROMMA(RiverClassifier):
    """The relaxed maximum margin algorithm; aggressive with when="margin". See ``driftline.ROMMA``."""

    def __init__(
        self,
        *,
        when: When = "mistake",
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(learners.ROMMA(when=when, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype))


class SecondOrderPerceptron(RiverSecondOrder):
    """The Perceptron, whitened by what it got wrong. See ``driftline.SecondOrderPerceptron``."""

    def __init__(
        self,
        a: float = 1.0,
        *,
        diagonal: bool = False,
        most: int = 4096,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.SecondOrderPerceptron(
                a, diagonal=diagonal, most=most, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype
            )
        )


class AROW(RiverSecondOrder):
    """Ridge regression on labels, from margins below 1. See ``driftline.AROW``."""

    def __init__(
        self,
        r: float = 1.0,
        *,
        diagonal: bool = False,
        most: int = 4096,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.AROW(
                r, diagonal=diagonal, most=most, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype
            )
        )


class SCW(RiverSecondOrder):
    """Soft confidence-weighted learning, SCW-I. See ``driftline.SCW``."""

    def __init__(
        self,
        C: float = 1.0,
        eta: float = 0.9,
        *,
        diagonal: bool = False,
        most: int = 4096,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.SCW(
                C,
                eta,
                diagonal=diagonal,
                most=most,
                bias=bias,
                scale=scale,
                labels=labels,
                hashing=hashing,
                dtype=dtype,
            )
        )


class Winnow(RiverPositive):
    """Positive weights, multiplied and divided; features must not be negative. See ``driftline.Winnow``."""

    def __init__(
        self,
        theta: float = 1.0,
        beta: float = 1.5,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.Winnow(theta, beta, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class BalancedWinnow(RiverDouble):
    """Multiplicative updates of weights of either sign. See ``driftline.BalancedWinnow``."""

    def __init__(
        self,
        eta: float = 0.1,
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Pair = BOOLS,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.BalancedWinnow(eta, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class Tracker(RiverVote):
    """No tuning, under any drift, and any number of labels: a vote that follows the best. See ``driftline.Tracker``.

    Values that are None or NaN are missing. Where two labels are declared it stays with these.
    """

    def __init__(
        self,
        bank: Literal["extended", "recipe"] = "extended",
        *,
        labels: Several = None,
        hashing: Hashing | None = None,
    ) -> None:
        super().__init__(learners.Tracker(bank, labels=labels, hashing=hashing))
        self.bank = bank


class OneVsRest(RiverMulticlass):
    """A learner for each class, against the rest; given by its rule or name. See ``driftline.OneVsRest``."""

    def __init__(
        self,
        classifier: Rule | str = "pa1",
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Several = None,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.OneVsRest(classifier, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )
        self.classifier = classifier


class MulticlassPerceptron(RiverMulticlass):
    """On a mistake, towards the right class and away from others. See ``driftline.MulticlassPerceptron``."""

    def __init__(
        self,
        update: Literal["max", "uniform", "proportional"] = "max",
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Several = None,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.MulticlassPerceptron(update, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        )


class MulticlassPA(RiverMulticlass):
    """The right class to a margin of 1 above the others. See ``driftline.MulticlassPA``."""

    def __init__(
        self,
        C: float = 1.0,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        update: Literal["max", "proportional"] = "proportional",
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Several = None,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
    ) -> None:
        super().__init__(
            learners.MulticlassPA(
                C, variant, update, bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype
            )
        )
