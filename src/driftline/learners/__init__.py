"""What a user constructs: learners, and the registry that names them all."""

from driftline.learners import linear
from driftline.learners.averaged import Averaged
from driftline.learners.bank import Bank
from driftline.learners.batch_online import BatchOnline
from driftline.learners.committee import Committee
from driftline.learners.experts import (
    AdaHedge,
    ExponentialWeights,
    FixedShare,
    Halving,
    VariableShare,
    WeightedMajority,
)
from driftline.learners.halving import EllipsoidLearner, GridHalving, VersionSpace
from driftline.learners.kernel import Kernelized
from driftline.learners.kernel_second_order import KernelSecondOrder
from driftline.learners.label_efficient import LabelEfficient
from driftline.learners.learned_block import LearnedBlock
from driftline.learners.learner import Learner
from driftline.learners.linear import (
    ALMA,
    L1PA,
    L2PA,
    NORMA,
    PA,
    PA1,
    PA2,
    ROMMA,
    Perceptron,
    PNormPerceptron,
    ProjectionPerceptron,
    SelfTuningALMA,
    ShrunkPA,
)
from driftline.learners.multiclass import MulticlassPA, MulticlassPerceptron, OneVsRest
from driftline.learners.multilinear import MultilinearPerceptron
from driftline.learners.second_order import AROW, SCW, SecondOrderPerceptron
from driftline.learners.several_classes import SeveralClasses
from driftline.learners.tracker import Tracker
from driftline.learners.winnow import BalancedWinnow, Winnow

REGISTRY: dict[str, type[Learner]] = {
    learner.__name__.lower(): learner
    for learner in (
        Perceptron,
        PNormPerceptron,
        ProjectionPerceptron,
        NORMA,
        ALMA,
        SelfTuningALMA,
        PA,
        PA1,
        PA2,
        ShrunkPA,
        L2PA,
        L1PA,
        ROMMA,
        Halving,
        WeightedMajority,
        ExponentialWeights,
        AdaHedge,
        FixedShare,
        VariableShare,
        Committee,
        Winnow,
        BalancedWinnow,
        GridHalving,
        EllipsoidLearner,
        VersionSpace,
        LabelEfficient,
        SecondOrderPerceptron,
        AROW,
        SCW,
        MultilinearPerceptron,
        Kernelized,
        KernelSecondOrder,
        Averaged,
        BatchOnline,
        Tracker,
        Bank,
        OneVsRest,
        MulticlassPerceptron,
        MulticlassPA,
    )
}
"""Every learner by its name in lower case."""

LINEAR = {name: learner for name, learner in REGISTRY.items() if learner.__module__ == linear.__name__}
"""Those of them that are a two-number rule, or L1PA."""

__all__ = [
    "ALMA",
    "AROW",
    "L1PA",
    "L2PA",
    "LINEAR",
    "NORMA",
    "PA",
    "PA1",
    "PA2",
    "REGISTRY",
    "ROMMA",
    "SCW",
    "AdaHedge",
    "Averaged",
    "BalancedWinnow",
    "Bank",
    "BatchOnline",
    "Committee",
    "EllipsoidLearner",
    "ExponentialWeights",
    "FixedShare",
    "GridHalving",
    "Halving",
    "KernelSecondOrder",
    "Kernelized",
    "LabelEfficient",
    "LearnedBlock",
    "Learner",
    "MulticlassPA",
    "MulticlassPerceptron",
    "MultilinearPerceptron",
    "OneVsRest",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "SecondOrderPerceptron",
    "SelfTuningALMA",
    "SeveralClasses",
    "ShrunkPA",
    "Tracker",
    "VariableShare",
    "VersionSpace",
    "WeightedMajority",
    "Winnow",
]
