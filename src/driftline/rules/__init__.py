"""The update rules, one file each: the compiled step, its parameters, its paper.

A rule answers one example with two numbers, a shrink and a step: ``w <- shrink * w + tau * y * x``. What is more than
that names an engine of its own.
"""

from typing import Any

from driftline.rules.composed.averaged import Averaged
from driftline.rules.composed.bank import Bank
from driftline.rules.composed.batch_online import BatchOnline
from driftline.rules.composed.committee import Committee
from driftline.rules.composed.label_efficient import LabelEfficient, Variant
from driftline.rules.consistent.ellipsoid_learner import EllipsoidLearner
from driftline.rules.consistent.grid_halving import GridHalving
from driftline.rules.consistent.version_space import VersionSpace
from driftline.rules.experts.ada_hedge import AdaHedge
from driftline.rules.experts.exponential_weights import ExponentialWeights
from driftline.rules.experts.fixed_share import FixedShare
from driftline.rules.experts.halving import Halving
from driftline.rules.experts.variable_share import VariableShare
from driftline.rules.experts.weighted_majority import WeightedMajority
from driftline.rules.kernel import kernels
from driftline.rules.kernel.kernel_second_order import KernelSecondOrder
from driftline.rules.kernel.kernelized import Kernelized
from driftline.rules.kernel.kernels import ALIASES, KERNELS
from driftline.rules.kernel.multilinear_perceptron import MultilinearPerceptron
from driftline.rules.kernel.random_fourier import RandomFourier
from driftline.rules.linear.alma import ALMA
from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.l2pa import L2PA
from driftline.rules.linear.norma import NORMA
from driftline.rules.linear.pa import PA
from driftline.rules.linear.pa1 import PA1
from driftline.rules.linear.pa2 import PA2
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.linear.pnorm_perceptron import PNormPerceptron
from driftline.rules.linear.projection_perceptron import ProjectionPerceptron
from driftline.rules.linear.romma import ROMMA
from driftline.rules.linear.self_tuning_alma import SelfTuningALMA
from driftline.rules.linear.shrunk_pa import ShrunkPA
from driftline.rules.multiclass.multiclass_pa import MulticlassPA
from driftline.rules.multiclass.multiclass_perceptron import MulticlassPerceptron
from driftline.rules.multiclass.one_vs_rest import OneVsRest
from driftline.rules.multiplicative.balanced_winnow import BalancedWinnow
from driftline.rules.multiplicative.winnow import Winnow
from driftline.rules.rule import Infeasible, Rule, When
from driftline.rules.second_order.arow import AROW
from driftline.rules.second_order.scw import SCW
from driftline.rules.second_order.second_order_perceptron import SecondOrderPerceptron
from driftline.rules.tracker.tracker import Tracker
from driftline.rules.tracker.tracker_of_classes import TrackerOfClasses

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
