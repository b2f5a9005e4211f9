"""Driftline learners as scikit-learn classifiers, and a drop-in for its ``PassiveAggressiveClassifier``.

There are the Tracker, all linear learners, those of second order, BalancedWinnow, MulticlassPerceptron and
MulticlassPA. (Winnow is not there: its features must not be negative, and the learner of one of two classes is not the
mirror image of the other's.)

They go into any pipeline or search. Several classes are told apart by one learner each, or by one for all of them
(``TrackerClassifier``, ``MulticlassPAClassifier``), new classes may join at any time, and ``fit`` of the online ones is
one pass in the order of the rows: what ``partial_fit`` block by block learns. NaN is a missing value to
``TrackerClassifier``; the others refuse it.

>>> from driftline.sklearn import PA1Classifier
>>> classifier = PA1Classifier(C=0.5).partial_fit([[1.0, 0.0], [0.0, 1.0]], ["spam", "ham"])
>>> classifier.partial_fit([[-1.0, -1.0]], ["news"]).predict([[1.0, 0.0], [-1.0, -1.0]]).tolist()
['spam', 'news']

``fit`` takes no ``sample_weight``: scikit-learn wants a row of weight 2 there to count as that row twice, and the order
of rows not to matter, which holds for no online learner. In ``partial_fit`` it multiplies the step.
"""

from driftline.sklearn.estimators import (
    ALMAClassifier,
    AROWClassifier,
    BalancedWinnowClassifier,
    L1PAClassifier,
    L2PAClassifier,
    MulticlassPAClassifier,
    MulticlassPerceptronClassifier,
    NORMAClassifier,
    PA1Classifier,
    PA2Classifier,
    PAClassifier,
    PerceptronClassifier,
    PNormPerceptronClassifier,
    ProjectionPerceptronClassifier,
    ROMMAClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    SelfTuningALMAClassifier,
    ShrunkPAClassifier,
)
from driftline.sklearn.passive_aggressive import PassiveAggressiveClassifier
from driftline.sklearn.tracker import TrackerClassifier

__all__ = [
    "ALMAClassifier",
    "AROWClassifier",
    "BalancedWinnowClassifier",
    "L1PAClassifier",
    "L2PAClassifier",
    "MulticlassPAClassifier",
    "MulticlassPerceptronClassifier",
    "NORMAClassifier",
    "PA1Classifier",
    "PA2Classifier",
    "PAClassifier",
    "PNormPerceptronClassifier",
    "PassiveAggressiveClassifier",
    "PerceptronClassifier",
    "ProjectionPerceptronClassifier",
    "ROMMAClassifier",
    "SCWClassifier",
    "SecondOrderPerceptronClassifier",
    "SelfTuningALMAClassifier",
    "ShrunkPAClassifier",
    "TrackerClassifier",
]
