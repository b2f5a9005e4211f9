"""The online classifiers of ``driftline.sklearn``, one for each learner."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from driftline import learners
from driftline.learners import Learner
from driftline.rules import Infeasible, When
from driftline.sklearn.multiclass import MulticlassClassifier
from driftline.sklearn.online import OnlineClassifier


@dataclass(repr=False, eq=False)
class PerceptronClassifier(OnlineClassifier):
    """Add every row that was got wrong. See ``driftline.Perceptron``."""

    learner: ClassVar[type[Learner]] = learners.Perceptron


@dataclass(repr=False, eq=False)
class PNormPerceptronClassifier(OnlineClassifier):
    """The Perceptron in the p-norm geometry, p >= 2. See ``driftline.PNormPerceptron``."""

    learner: ClassVar[type[Learner]] = learners.PNormPerceptron
    p: float = 4.0


@dataclass(repr=False, eq=False)
class ProjectionPerceptronClassifier(OnlineClassifier):
    """A Perceptron of step eta that stays in a ball. See ``driftline.ProjectionPerceptron``."""

    learner: ClassVar[type[Learner]] = learners.ProjectionPerceptron
    poor_score: ClassVar[bool] = True
    eta: float = 0.1
    radius: float = 1.0


@dataclass(repr=False, eq=False)
class NORMAClassifier(OnlineClassifier):
    """Step alpha at margin rho, forgetting at rate lam on every row. See ``driftline.NORMA``."""

    learner: ClassVar[type[Learner]] = learners.NORMA
    poor_score: ClassVar[bool] = True
    alpha: float = 1.0
    lam: float = 0.001
    rho: float = 1.0
    p: float = 2.0


@dataclass(repr=False, eq=False)
class ALMAClassifier(OnlineClassifier):
    """Step alpha at margin rho, kept in the ball of radius B. See ``driftline.ALMA``."""

    learner: ClassVar[type[Learner]] = learners.ALMA
    poor_score: ClassVar[bool] = True
    alpha: float = 1.0
    B: float = 10.0
    rho: float = 1.0
    p: float = 2.0


@dataclass(repr=False, eq=False)
class SelfTuningALMAClassifier(OnlineClassifier):
    """Gentile's ALMA, which approaches the largest margin. See ``driftline.SelfTuningALMA``."""

    learner: ClassVar[type[Learner]] = learners.SelfTuningALMA
    alpha: float = 0.9
    B: float | None = None
    C: float | None = None
    p: float = 2.0


@dataclass(repr=False, eq=False)
class PAClassifier(OnlineClassifier):
    """Passive-aggressive: the shortest move to margin 1. See ``driftline.PA``."""

    learner: ClassVar[type[Learner]] = learners.PA
    _: KW_ONLY
    when: When = "margin"


@dataclass(repr=False, eq=False)
class PA1Classifier(OnlineClassifier):
    """PA-I: the shortest move to margin 1, capped at C. See ``driftline.PA1``."""

    learner: ClassVar[type[Learner]] = learners.PA1
    C: float = 1.0
    _: KW_ONLY
    when: When = "margin"


@dataclass(repr=False, eq=False)
class PA2Classifier(OnlineClassifier):
    """PA-II: the move to margin 1, softened by C. See ``driftline.PA2``."""

    learner: ClassVar[type[Learner]] = learners.PA2
    C: float = 1.0
    _: KW_ONLY
    when: When = "margin"


@dataclass(repr=False, eq=False)
class ShrunkPAClassifier(OnlineClassifier):
    """Passive-aggressive that shrinks by 1 + alpha an update. See ``driftline.ShrunkPA``."""

    learner: ClassVar[type[Learner]] = learners.ShrunkPA
    poor_score: ClassVar[bool] = True
    alpha: float = 0.01
    _: KW_ONLY
    when: When = "mistake"
    sigma: float = 0.0


@dataclass(repr=False, eq=False)
class L2PAClassifier(OnlineClassifier):
    """Passive-aggressive inside the ball |w|_2 <= beta. See ``driftline.L2PA``."""

    learner: ClassVar[type[Learner]] = learners.L2PA
    beta: float = 10.0
    _: KW_ONLY
    when: When = "mistake"
    infeasible: Infeasible = "skip"
    kappa: float = 0.5
    sigma: float = 0.0


@dataclass(repr=False, eq=False)
class L1PAClassifier(OnlineClassifier):
    """Passive-aggressive inside the ball |w|_1 <= beta. See ``driftline.L1PA``."""

    learner: ClassVar[type[Learner]] = learners.L1PA
    beta: float = 10.0
    _: KW_ONLY
    when: When = "mistake"
    infeasible: Infeasible = "skip"
    kappa: float = 0.5
    sigma: float = 0.0


@dataclass(repr=False, eq=False)
class ROMMAClassifier(OnlineClassifier):
    """The relaxed maximum margin algorithm; aggressive with when="margin". See ``driftline.ROMMA``."""

    learner: ClassVar[type[Learner]] = learners.ROMMA
    poor_score: ClassVar[bool] = True
    _: KW_ONLY
    when: When = "mistake"


@dataclass(repr=False, eq=False)
class SecondOrderPerceptronClassifier(OnlineClassifier):
    """The Perceptron, whitened by what it got wrong. See ``driftline.SecondOrderPerceptron``."""

    learner: ClassVar[type[Learner]] = learners.SecondOrderPerceptron
    a: float = 1.0
    _: KW_ONLY
    diagonal: bool = False
    most: int = 4096


@dataclass(repr=False, eq=False)
class AROWClassifier(OnlineClassifier):
    """Ridge regression on labels, from margins below 1. See ``driftline.AROW``."""

    learner: ClassVar[type[Learner]] = learners.AROW
    r: float = 1.0
    _: KW_ONLY
    diagonal: bool = False
    most: int = 4096


@dataclass(repr=False, eq=False)
class SCWClassifier(OnlineClassifier):
    """Soft confidence-weighted learning, SCW-I. See ``driftline.SCW``."""

    learner: ClassVar[type[Learner]] = learners.SCW
    C: float = 1.0
    eta: float = 0.9
    _: KW_ONLY
    diagonal: bool = False
    most: int = 4096


@dataclass(repr=False, eq=False)
class BalancedWinnowClassifier(OnlineClassifier):
    """Multiplicative updates of weights of either sign. See ``driftline.BalancedWinnow``.

    A score is asinh(w.x / 2), with w in ``coef_`` and ``intercept_``.
    """

    learner: ClassVar[type[Learner]] = learners.BalancedWinnow
    eta: float = 0.1


@dataclass(repr=False, eq=False)
class MulticlassPerceptronClassifier(MulticlassClassifier):
    """On a mistake, towards the right class and away from others. See ``driftline.MulticlassPerceptron``."""

    learner: ClassVar[type[Learner]] = learners.MulticlassPerceptron
    poor_score: ClassVar[bool] = True
    update: Literal["max", "uniform", "proportional"] = "max"


@dataclass(repr=False, eq=False)
class MulticlassPAClassifier(MulticlassClassifier):
    """The right class to a margin of 1 above the others. See ``driftline.MulticlassPA``."""

    learner: ClassVar[type[Learner]] = learners.MulticlassPA
    C: float = 1.0
    variant: Literal["pa", "pa1", "pa2"] = "pa1"
    update: Literal["max", "proportional"] = "proportional"
