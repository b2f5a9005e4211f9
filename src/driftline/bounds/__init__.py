"""The theorems, one class each: inputs, conditions, value, prescribed parameters and citation.

A bound is created from its inputs and has a ``value``. If a condition of the theorem fails, the
constructor raises ValueError with the condition and the value.

>>> from driftline import bounds
>>> bound = bounds.NORMAMistakes(X=1, B=5, D1=3, D2=0.02, T=1000, mu=1, K=10)
>>> round(bound.value, 2), round(bound.tuning()["alpha"], 3)
(81.13, 0.876)
>>> bounds.CATALOGUE["norma"] is bounds.NORMAMistakes
True
"""

from driftline.bounds.bound import Bound, Tight
from driftline.bounds.comparators import Comparators
from driftline.bounds.composed.label_efficient import (
    LabelEfficientAdaptive,
    LabelEfficientAdaptiveLabels,
    LabelEfficientLabels,
    LabelEfficientMistakes,
    LabelEfficientSecondOrder,
    LabelEfficientSecondOrderLabels,
    expected_labels,
)
from driftline.bounds.consistent.ellipsoid_learner import EllipsoidUpdates
from driftline.bounds.consistent.grid_halving import GridLectureMistakes, GridMistakes
from driftline.bounds.consistent.sphere import SphereMistakes
from driftline.bounds.consistent.version_space import CentreOfMassUpdates
from driftline.bounds.experts.ada_hedge import AdaHedgeLoss
from driftline.bounds.experts.exponential_weights import (
    ExponentialWeightsAnytime,
    ExponentialWeightsDoubling,
    ExponentialWeightsKnown,
    ExponentialWeightsLoss,
)
from driftline.bounds.experts.fixed_share import FixedShareLoss, FixedShareVote
from driftline.bounds.experts.halving import HalvingMistakes, HalvingReset
from driftline.bounds.experts.variable_share import VariableShareLoss
from driftline.bounds.experts.weighted_majority import WeightedMajorityMistakes
from driftline.bounds.kernel.forgetron import ForgetronMistakes
from driftline.bounds.kernel.kernel_second_order import KernelSecondOrder, KernelSecondOrderSeparable
from driftline.bounds.linear.alma import ALMAMargin, ALMAMistakes, ALMAUntuned, ALMAUntunedMargin
from driftline.bounds.linear.l1pa import L1PAMistakes, L1PAPath
from driftline.bounds.linear.l2pa import L2PAMistakes, L2PAPath
from driftline.bounds.linear.norma import NORMAMargin, NORMAMistakes, NORMAUntuned, NORMAUntunedMargin
from driftline.bounds.linear.pa import PAMistakes
from driftline.bounds.linear.perceptron import (
    PerceptronHinge,
    PerceptronQuadratic,
    PerceptronSeparable,
    PerceptronTightest,
)
from driftline.bounds.linear.pnorm_perceptron import PNorm, PNormMoving, PNormSeparable
from driftline.bounds.linear.projection_perceptron import Projection, ProjectionRegion
from driftline.bounds.linear.romma import ROMMAMistakes
from driftline.bounds.linear.self_tuning_alma import SelfTuningALMAUpdates
from driftline.bounds.linear.shrunk_pa import ShrunkPAMistakes, ShrunkPAPath
from driftline.bounds.multiplicative.balanced_winnow import (
    BalancedWinnowMistakes,
    BalancedWinnowSeparable,
    BalancedWinnowUntuned,
)
from driftline.bounds.multiplicative.tracking_winnow import TrackingWinnowUpdates
from driftline.bounds.multiplicative.winnow import WinnowBest, WinnowBinary, WinnowReal
from driftline.bounds.multiplicative.winnow_or_perceptron import WinnowOrPerceptron, winnow_or_perceptron
from driftline.bounds.online_to_batch import (
    AverageRisk,
    BernsteinRisk,
    BernsteinSuffixRisk,
    ChernoffCertificate,
    ClopperPearsonCertificate,
    HoeffdingCertificate,
    HoeffdingRisk,
    HoeffdingSuffixRisk,
    KLCertificate,
    MeanRisk,
)
from driftline.bounds.regression.gradient_descent import GradientDescentLoss
from driftline.bounds.regression.pa1_regressor import PA1RegressionLoss
from driftline.bounds.regression.pa2_regressor import PA2RegressionLoss
from driftline.bounds.regression.pa_regressor import PARegressionLoss
from driftline.bounds.regression.recursive_least_squares import LeastSquaresLoss
from driftline.bounds.second_order.second_order_perceptron import SecondOrder, SecondOrderSeparable
from driftline.bounds.tracker.tracker import TrackerExpected, TrackerMistakes, TrackerStacker

CATALOGUE: dict[str, type[Bound]] = {
    bound.name: bound
    for bound in (
        PerceptronSeparable,
        PerceptronHinge,
        PerceptronQuadratic,
        PerceptronTightest,
        PNormSeparable,
        PNorm,
        PNormMoving,
        ALMAMargin,
        ALMAMistakes,
        ALMAUntuned,
        ALMAUntunedMargin,
        NORMAMargin,
        NORMAMistakes,
        NORMAUntuned,
        NORMAUntunedMargin,
        SelfTuningALMAUpdates,
        Projection,
        ProjectionRegion,
        PAMistakes,
        ROMMAMistakes,
        ShrunkPAMistakes,
        ShrunkPAPath,
        L2PAMistakes,
        L2PAPath,
        L1PAMistakes,
        L1PAPath,
        WinnowBinary,
        WinnowReal,
        WinnowBest,
        TrackingWinnowUpdates,
        BalancedWinnowMistakes,
        BalancedWinnowSeparable,
        WinnowOrPerceptron,
        BalancedWinnowUntuned,
        SecondOrder,
        SecondOrderSeparable,
        KernelSecondOrder,
        KernelSecondOrderSeparable,
        ForgetronMistakes,
        HalvingMistakes,
        HalvingReset,
        GridMistakes,
        GridLectureMistakes,
        SphereMistakes,
        EllipsoidUpdates,
        CentreOfMassUpdates,
        WeightedMajorityMistakes,
        ExponentialWeightsLoss,
        ExponentialWeightsKnown,
        ExponentialWeightsAnytime,
        ExponentialWeightsDoubling,
        AdaHedgeLoss,
        FixedShareLoss,
        FixedShareVote,
        VariableShareLoss,
        TrackerMistakes,
        TrackerExpected,
        TrackerStacker,
        LabelEfficientMistakes,
        LabelEfficientAdaptive,
        LabelEfficientSecondOrder,
        LabelEfficientLabels,
        LabelEfficientAdaptiveLabels,
        LabelEfficientSecondOrderLabels,
        PARegressionLoss,
        PA1RegressionLoss,
        PA2RegressionLoss,
        GradientDescentLoss,
        LeastSquaresLoss,
        MeanRisk,
        AverageRisk,
        HoeffdingCertificate,
        ChernoffCertificate,
        KLCertificate,
        ClopperPearsonCertificate,
        HoeffdingRisk,
        HoeffdingSuffixRisk,
        BernsteinRisk,
        BernsteinSuffixRisk,
    )
}
"""Every theorem by its name on the command line."""

__all__ = [
    "CATALOGUE",
    "ALMAMargin",
    "ALMAMistakes",
    "ALMAUntuned",
    "ALMAUntunedMargin",
    "AdaHedgeLoss",
    "AverageRisk",
    "BalancedWinnowMistakes",
    "BalancedWinnowSeparable",
    "BalancedWinnowUntuned",
    "BernsteinRisk",
    "BernsteinSuffixRisk",
    "Bound",
    "CentreOfMassUpdates",
    "ChernoffCertificate",
    "ClopperPearsonCertificate",
    "Comparators",
    "EllipsoidUpdates",
    "ExponentialWeightsAnytime",
    "ExponentialWeightsDoubling",
    "ExponentialWeightsKnown",
    "ExponentialWeightsLoss",
    "FixedShareLoss",
    "FixedShareVote",
    "ForgetronMistakes",
    "GradientDescentLoss",
    "GridLectureMistakes",
    "GridMistakes",
    "HalvingMistakes",
    "HalvingReset",
    "HoeffdingCertificate",
    "HoeffdingRisk",
    "HoeffdingSuffixRisk",
    "KLCertificate",
    "KernelSecondOrder",
    "KernelSecondOrderSeparable",
    "L1PAMistakes",
    "L1PAPath",
    "L2PAMistakes",
    "L2PAPath",
    "LabelEfficientAdaptive",
    "LabelEfficientAdaptiveLabels",
    "LabelEfficientLabels",
    "LabelEfficientMistakes",
    "LabelEfficientSecondOrder",
    "LabelEfficientSecondOrderLabels",
    "LeastSquaresLoss",
    "MeanRisk",
    "NORMAMargin",
    "NORMAMistakes",
    "NORMAUntuned",
    "NORMAUntunedMargin",
    "PA1RegressionLoss",
    "PA2RegressionLoss",
    "PAMistakes",
    "PARegressionLoss",
    "PNorm",
    "PNormMoving",
    "PNormSeparable",
    "PerceptronHinge",
    "PerceptronQuadratic",
    "PerceptronSeparable",
    "PerceptronTightest",
    "Projection",
    "ProjectionRegion",
    "ROMMAMistakes",
    "SecondOrder",
    "SecondOrderSeparable",
    "SelfTuningALMAUpdates",
    "ShrunkPAMistakes",
    "ShrunkPAPath",
    "SphereMistakes",
    "Tight",
    "TrackerExpected",
    "TrackerMistakes",
    "TrackerStacker",
    "TrackingWinnowUpdates",
    "VariableShareLoss",
    "WeightedMajorityMistakes",
    "WinnowBest",
    "WinnowBinary",
    "WinnowOrPerceptron",
    "WinnowReal",
    "expected_labels",
    "winnow_or_perceptron",
]
