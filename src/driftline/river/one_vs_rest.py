"""OneVsRest as a river classifier.

Its learner is given as a rule or a text, because river clones parameters.
"""

from __future__ import annotations

from driftline import learners
from driftline.encode import Hashing
from driftline.river.classifier import ClassWeight, RiverMulticlass, Several
from driftline.river.learner_wrapper import Dtype, Scale
from driftline.rules import Rule


class OneVsRest(RiverMulticlass):
    """Any learner of two labels, once for each class against the rest.

    The learner is ``driftline.OneVsRest``.

    Parameters
    ----------
    classifier : Rule or str, default="pa1"
        The rule of the learner for each class, or a text such as "pa1(C=0.5)".
    bias : bool, default=True
        Whether a constant feature is added.
    scale : {"unit", "standard"}, RandomFourier or None, default=None
        None uses examples as they are. "unit" scales each to length 1, "standard" divides by the
        running standard deviation, and ``RandomFourier(n, gamma)`` replaces an example by n
        random features.
    labels : tuple or None, default=None
        Labels that are known from the start, in the order in which ties are decided. Others are
        taken as they appear.
    hashing : Hashing or None, default=None
        Hashes feature names into a fixed number of weights. None keeps all names.
    dtype : {"float64", "float32"}, default="float64"
        Type of the weights.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels, which multiply the sample weights. A dict may name some labels;
        others have the weight 1. "balanced" gives recently rare labels larger weights.
    """

    def __init__(
        self,
        classifier: Rule | str = "pa1",
        *,
        bias: bool = True,
        scale: Scale = None,
        labels: Several = None,
        hashing: Hashing | None = None,
        dtype: Dtype = "float64",
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(
            learners.OneVsRest(
                classifier,
                bias=bias,
                scale=scale,
                labels=labels,
                hashing=hashing,
                dtype=dtype,
                class_weight=class_weight,
            )
        )
        self.classifier = classifier
