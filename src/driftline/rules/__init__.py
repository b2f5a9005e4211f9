"""The update rules, one file each: the compiled step, its parameters, its paper.

A rule answers one example with two numbers, a shrink and a step: ``w <- shrink * w + tau * y * x``. What is more than
that names an engine of its own.
"""

from typing import Any

from driftline.rules import kernels
from driftline.rules.ada_hedge import AdaHedge
from driftline.rules.alma import ALMA
from driftline.rules.arow import AROW
from driftline.rules.averaged import Averaged
from driftline.rules.balanced_winnow import BalancedWinnow
from driftline.rules.bank import Bank
from driftline.rules.batch_online import BatchOnline
from driftline.rules.committee import Committee
from driftline.rules.ellipsoid_learner import EllipsoidLearner
from driftline.rules.exponential_weights import ExponentialWeights
from driftline.rules.fixed_share import FixedShare
from driftline.rules.grid_halving import GridHalving
from driftline.rules.halving import Halving
from driftline.rules.kernel_second_order import KernelSecondOrder
from driftline.rules.kernelized import Kernelized
from driftline.rules.kernels import ALIASES, KERNELS
from driftline.rules.l1pa import L1PA
from driftline.rules.l2pa import L2PA
from driftline.rules.label_efficient import LabelEfficient, Variant
from driftline.rules.multiclass_pa import MulticlassPA
from driftline.rules.multiclass_perceptron import MulticlassPerceptron
from driftline.rules.multilinear_perceptron import MultilinearPerceptron
from driftline.rules.norma import NORMA
from driftline.rules.one_vs_rest import OneVsRest
from driftline.rules.pa import PA
from driftline.rules.pa1 import PA1
from driftline.rules.pa2 import PA2
from driftline.rules.perceptron import Perceptron
from driftline.rules.pnorm_perceptron import PNormPerceptron
from driftline.rules.projection_perceptron import ProjectionPerceptron
from driftline.rules.random_fourier import RandomFourier
from driftline.rules.romma import ROMMA
from driftline.rules.rule import Infeasible, Rule, When
from driftline.rules.scw import SCW
from driftline.rules.second_order_perceptron import SecondOrderPerceptron
from driftline.rules.self_tuning_alma import SelfTuningALMA
from driftline.rules.shrunk_pa import ShrunkPA
from driftline.rules.tracker import Tracker
from driftline.rules.tracker_of_classes import TrackerOfClasses
from driftline.rules.variable_share import VariableShare
from driftline.rules.version_space import VersionSpace
from driftline.rules.weighted_majority import WeightedMajority
from driftline.rules.winnow import Winnow

PARTS: dict[str, type[Any]] = {
    part.__name__.lower(): part
    for part in (
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
        *KERNELS,
        RandomFourier,
        Averaged,
        BatchOnline,
        Tracker,
        Bank,
        OneVsRest,
        MulticlassPerceptron,
        MulticlassPA,
    )
} | ALIASES
"""Every rule, and whatever else a learner may be made of, by its name in lower case."""

__all__ = [
    "ALMA",
    "AROW",
    "L1PA",
    "L2PA",
    "NORMA",
    "PA",
    "PA1",
    "PA2",
    "PARTS",
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
    "Infeasible",
    "KernelSecondOrder",
    "Kernelized",
    "LabelEfficient",
    "MulticlassPA",
    "MulticlassPerceptron",
    "MultilinearPerceptron",
    "OneVsRest",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "RandomFourier",
    "Rule",
    "SecondOrderPerceptron",
    "SelfTuningALMA",
    "ShrunkPA",
    "Tracker",
    "TrackerOfClasses",
    "VariableShare",
    "Variant",
    "VersionSpace",
    "WeightedMajority",
    "When",
    "Winnow",
    "kernels",
]
