"""Every theorem as a small object: what it needs, what it guarantees, what it prescribes, and where it was printed.

A bound is made of its inputs and has a ``value``; where a condition fails it is not made, and the error says which.

>>> from driftline import bounds
>>> bound = bounds.NORMAMistakes(X=1, B=5, D1=3, D2=0.02, T=1000, mu=1, K=10)
>>> round(bound.value, 2), round(bound.tuning()["alpha"], 3)
(81.13, 0.876)
>>> bounds.CATALOGUE["norma"] is bounds.NORMAMistakes
True
"""

from driftline.bounds.alma import ALMAMargin, ALMAMistakes, ALMAUntuned
from driftline.bounds.bound import Bound
from driftline.bounds.budget import ForgetronMistakes
from driftline.bounds.constrained_pa import L1PAMistakes, L1PAPath, L2PAMistakes, L2PAPath, PAMistakes, ROMMAMistakes
from driftline.bounds.experts import (
    AdaHedgeLoss,
    ExponentialWeightsAnytime,
    ExponentialWeightsDoubling,
    ExponentialWeightsKnown,
    ExponentialWeightsLoss,
    FixedShareLoss,
    VariableShareLoss,
    WeightedMajorityMistakes,
)
from driftline.bounds.halving import (
    CentreOfMassUpdates,
    EllipsoidUpdates,
    GridLectureMistakes,
    GridMistakes,
    HalvingMistakes,
    HalvingReset,
    SphereMistakes,
)
from driftline.bounds.label_efficient import (
    LabelEfficientAdaptive,
    LabelEfficientMistakes,
    LabelEfficientSecondOrder,
    expected_labels,
)
from driftline.bounds.norma import NORMAMargin, NORMAMistakes, NORMAUntuned
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
from driftline.bounds.perceptron import PerceptronHinge, PerceptronQuadratic, PerceptronSeparable, PerceptronTightest
from driftline.bounds.pnorm import PNorm, PNormSeparable
from driftline.bounds.projection import Projection
from driftline.bounds.second_order import SecondOrder, SecondOrderSeparable
from driftline.bounds.self_tuning_alma import SelfTuningALMAUpdates
from driftline.bounds.shrunk_pa import ShrunkPAMistakes, ShrunkPAPath
from driftline.bounds.tracker import TrackerExpected, TrackerMistakes, TrackerStacker
from driftline.bounds.winnow import (
    BalancedWinnowMistakes,
    BalancedWinnowSeparable,
    WinnowBinary,
    WinnowReal,
    winnow_or_perceptron,
)

CATALOGUE: dict[str, type[Bound]] = {
    bound.name: bound
    for bound in (
        PerceptronSeparable,
        PerceptronHinge,
        PerceptronQuadratic,
        PerceptronTightest,
        PNormSeparable,
        PNorm,
        ALMAMargin,
        ALMAMistakes,
        ALMAUntuned,
        NORMAMargin,
        NORMAMistakes,
        NORMAUntuned,
        SelfTuningALMAUpdates,
        Projection,
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
        BalancedWinnowMistakes,
        BalancedWinnowSeparable,
        SecondOrder,
        SecondOrderSeparable,
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
        VariableShareLoss,
        TrackerMistakes,
        TrackerExpected,
        TrackerStacker,
        LabelEfficientMistakes,
        LabelEfficientAdaptive,
        LabelEfficientSecondOrder,
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
    "AdaHedgeLoss",
    "AverageRisk",
    "BalancedWinnowMistakes",
    "BalancedWinnowSeparable",
    "BernsteinRisk",
    "BernsteinSuffixRisk",
    "Bound",
    "CentreOfMassUpdates",
    "ChernoffCertificate",
    "ClopperPearsonCertificate",
    "EllipsoidUpdates",
    "ExponentialWeightsAnytime",
    "ExponentialWeightsDoubling",
    "ExponentialWeightsKnown",
    "ExponentialWeightsLoss",
    "FixedShareLoss",
    "ForgetronMistakes",
    "GridLectureMistakes",
    "GridMistakes",
    "HalvingMistakes",
    "HalvingReset",
    "HoeffdingCertificate",
    "HoeffdingRisk",
    "HoeffdingSuffixRisk",
    "KLCertificate",
    "L1PAMistakes",
    "L1PAPath",
    "L2PAMistakes",
    "L2PAPath",
    "LabelEfficientAdaptive",
    "LabelEfficientMistakes",
    "LabelEfficientSecondOrder",
    "MeanRisk",
    "NORMAMargin",
    "NORMAMistakes",
    "NORMAUntuned",
    "PAMistakes",
    "PNorm",
    "PNormSeparable",
    "PerceptronHinge",
    "PerceptronQuadratic",
    "PerceptronSeparable",
    "PerceptronTightest",
    "Projection",
    "ROMMAMistakes",
    "SecondOrder",
    "SecondOrderSeparable",
    "SelfTuningALMAUpdates",
    "ShrunkPAMistakes",
    "ShrunkPAPath",
    "SphereMistakes",
    "TrackerExpected",
    "TrackerMistakes",
    "TrackerStacker",
    "VariableShareLoss",
    "WeightedMajorityMistakes",
    "WinnowBinary",
    "WinnowReal",
    "expected_labels",
    "winnow_or_perceptron",
]
