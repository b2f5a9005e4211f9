"""Driftline learners as river classifiers of the same names and parameters.

There are the Tracker (which has no use for ``bias``, ``scale`` and ``dtype``), all linear learners, those of second
order, Winnow and BalancedWinnow, OneVsRest, MulticlassPerceptron and MulticlassPA.

River's pipelines, ensembles and evaluations take them. ``labels`` is (False, True), as everywhere in river, so that
there is a prediction from the first example on: ``progressive_val_score`` counts the label errors of ``driftline.run``.
Other labels are declared, or taken as they appear with ``labels=None``. Then river leaves out the first example, and
one label is predicted until there are two: of the examples up to the first with the second label, river counts only
that last one as an error. Classifiers of several classes, and the Tracker, take labels as they appear, unless they are
declared.

>>> from river import datasets, evaluate, metrics, preprocessing
>>> from driftline.river import PA1
>>> model = preprocessing.StandardScaler() | PA1(C=0.1)
>>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
Accuracy: 87.92%
"""

from driftline.river.wrappers import (
    ALMA,
    AROW,
    L1PA,
    L2PA,
    NORMA,
    PA,
    PA1,
    PA2,
    ROMMA,
    SCW,
    BalancedWinnow,
    MulticlassPA,
    MulticlassPerceptron,
    OneVsRest,
    Perceptron,
    PNormPerceptron,
    ProjectionPerceptron,
    SecondOrderPerceptron,
    SelfTuningALMA,
    ShrunkPA,
    Tracker,
    Winnow,
)

__all__ = [
    "ALMA",
    "AROW",
    "L1PA",
    "L2PA",
    "NORMA",
    "PA",
    "PA1",
    "PA2",
    "ROMMA",
    "SCW",
    "BalancedWinnow",
    "MulticlassPA",
    "MulticlassPerceptron",
    "OneVsRest",
    "PNormPerceptron",
    "Perceptron",
    "ProjectionPerceptron",
    "SecondOrderPerceptron",
    "SelfTuningALMA",
    "ShrunkPA",
    "Tracker",
    "Winnow",
]
