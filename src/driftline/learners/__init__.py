"""What a user constructs: learners, and the registry that names them all."""

from driftline.learners.averaged import Averaged
from driftline.learners.batch_online import BatchOnline
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
        Averaged,
        BatchOnline,
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
    "Averaged",
    "BatchOnline",
    "Learner",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "SelfTuningALMA",
    "ShrunkPA",
    "Trials",
]
