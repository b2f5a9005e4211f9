"""The Perceptron over all products of features, as a user constructs it."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner, Options


class MultilinearPerceptron(Learner):
    """The p-norm Perceptron, p = 4, over all 2^n products of features.

    See ``driftline.rules.kernel.multilinear_perceptron``.

    It refuses an example that it would have to add after ``most`` others, unless there are few features (21 as a
    rule). Keep features within -1 and 1. It has no weights of single features: ``weights()`` is empty.

    >>> learner = MultilinearPerceptron()
    >>> xor = [({"a": a, "b": b}, a != b) for a in (-1, 1) for b in (-1, 1)]
    >>> for x, y in xor * 3:
    ...     score = learner.learn_one(x, y)
    >>> [learner.predict_one(x) == y for x, y in xor]
    [True, True, True, True]
    """

    def __init__(self, most: int = 100, **options: Unpack[Options]) -> None:
        super().__init__(rules.MultilinearPerceptron(most), **options)
