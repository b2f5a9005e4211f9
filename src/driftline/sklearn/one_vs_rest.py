"""One learner of two labels for each class against the rest; classes may be added at any time.

Two classes need only one learner: the learner of the first class is that of the second with
negated weights. The learners of the first two classes therefore see every example. The learner of
a later class starts with its first example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.sklearn.class_learner import ClassLearner


class ClassLearners(NamedTuple):
    """The sorted classes, and their learners; with at most two classes only that of the last."""

    classes: np.ndarray
    learners: list[ClassLearner]

    def positive(self, k: int) -> int:
        """The index of the positive class of a learner."""
        return k if len(self.classes) > 2 else len(self.classes) - 1


def fresh(classes: np.ndarray, make: Callable[[], ClassLearner]) -> ClassLearners:
    """New learners of these classes."""
    return ClassLearners(classes, [make() for _ in range(len(classes) if len(classes) > 2 else 1)])


def joined(
    class_learners: ClassLearners | None, new_classes: np.ndarray, make: Callable[[], ClassLearner]
) -> ClassLearners:
    """The same learners, and those of ``new_classes``, which are in order of appearance."""
    if class_learners is not None and not len(new_classes):
        return class_learners
    classes, learners = (new_classes[:0], []) if class_learners is None else class_learners
    if len(classes) == 2:
        learners = [learners[0].negated(), learners[0]]
    for _ in new_classes:
        learners = [*learners, learners[0].negated() if len(learners) == 1 else make()]
    all_classes = np.concatenate([classes, new_classes])
    order = np.argsort(all_classes)
    if len(order) <= 2:
        return ClassLearners(all_classes[order], [learners[order[-1]]])
    return ClassLearners(all_classes[order], [learners[k] for k in order])


def rounds(
    class_learners: ClassLearners,
    k: int,
    codes: np.ndarray,
    weights: Floats | None,
    of_class: Floats | None,
) -> tuple[Floats, Floats | None]:
    """The labels and sample weights of one learner.

    Parameters
    ----------
    class_learners
        The classes and their learners.
    k
        The index of the learner.
    codes
        The index of the class of each row.
    weights
        The sample weights, or None.
    of_class
        The weight of each class on the positive rows of its learner, and last that of the negative
        rows; None if all are 1. With two classes, negative rows have the weight of the first.
    """
    positive = codes == class_learners.positive(k)
    labels = np.where(positive, 1.0, -1.0)
    if of_class is None:
        return labels, weights
    rest = of_class[0 if len(class_learners.classes) == 2 else -1]
    each = np.where(positive, of_class[class_learners.positive(k)], rest)
    return labels, each if weights is None else each * weights
