"""What a user constructs: learners, and the registry that names them all."""

from driftline.learners.kernel import Kernelized
from driftline.learners.kernel_second_order import KernelSecondOrder
from driftline.learners.learner import Learner, Trials
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
from driftline.learners.multilinear import MultilinearPerceptron

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
        MultilinearPerceptron,
        Kernelized,
        KernelSecondOrder,
    )
}
"""Every learner by its name in lower case."""

__all__ = [
    "ALMA",
    "L1PA",
    "L2PA",
    "NORMA",
    "PA",
    "PA1",
    "PA2",
    "REGISTRY",
    "ROMMA",
    "KernelSecondOrder",
    "Kernelized",
    "Learner",
    "MultilinearPerceptron",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "SelfTuningALMA",
    "ShrunkPA",
    "Trials",
]
