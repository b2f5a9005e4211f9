"""The learner of the Perceptron over all products of features."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner
from driftline.learners.options import Options


class MultilinearPerceptron(Learner):
    """The p-norm Perceptron, p = 4, over all 2^n products of features, computed exactly.

    Use it where few conjunctions of features decide the label. Keep features within -1 and 1.
    There are no weights of single features: ``weights()`` is empty. The rule and its paper are in
    ``driftline.rules.kernel.multilinear_perceptron``.

    Parameters
    ----------
    most : int, default=100
        Largest number of updates, from 1 to 1000; memory grows with its cube. An example that
        needs one more is refused with a ValueError, unless there are few features (usually at
        most 21).
    **options
        ``scale``, ``labels`` and ``hashing``, as in ``driftline.Learner``. There is no bias.

    Examples
    --------
    >>> learner = MultilinearPerceptron()
    >>> xor = [({"a": a, "b": b}, a != b) for a in (-1, 1) for b in (-1, 1)]
    >>> for x, y in xor * 3:
    ...     score = learner.learn_one(x, y)
    >>> [learner.predict_one(x) == y for x, y in xor]
    [True, True, True, True]
    """

    def __init__(self, most: int = 100, **options: Unpack[Options]) -> None:
        super().__init__(rules.MultilinearPerceptron(most), **options)
