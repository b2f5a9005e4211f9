"""driftline: online classifiers for streams whose right answer changes.

>>> import driftline as dl
>>> learner = dl.PA1()
>>> learner.learn_one({"colour": "red", "size": 2.0}, True)
0.0
>>> learner.predict_one({"colour": "red"})
True
"""

from driftline import streams
from driftline.encode import Hashing
from driftline.evaluate import Run, compare, run
from driftline.learners import (
    ALMA,
    L1PA,
    L2PA,
    NORMA,
    PA,
    PA1,
    PA2,
    REGISTRY,
    ROMMA,
    Learner,
    Perceptron,
    PNormPerceptron,
    ProjectionPerceptron,
    SelfTuningALMA,
    ShrunkPA,
)

__version__ = "0.1.0"

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
    "Hashing",
    "Learner",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "Run",
    "SelfTuningALMA",
    "ShrunkPA",
    "compare",
    "run",
    "streams",
]
