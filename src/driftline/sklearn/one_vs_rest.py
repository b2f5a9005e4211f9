"""One learner of two labels for each class against the rest; classes may be added at any time.

Two classes need only one learner: the learner of the first class is that of the second with negated
weights. The learners of the first two classes therefore see every example. The learner of a later
class starts with its first example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.sklearn.versus import Versus


class Sides(NamedTuple):
    """The sorted classes, and the learner of each; with at most two classes only that of the last."""

    classes: np.ndarray
    learners: list[Versus]

    def positive(self, side: int) -> int:
        """The index of the positive class of a learner."""
        return side if len(self.classes) > 2 else len(self.classes) - 1


def fresh(classes: np.ndarray, make: Callable[[], Versus]) -> Sides:
    """New learners of these classes."""
    return Sides(classes, [make() for _ in range(len(classes) if len(classes) > 2 else 1)])


def joined(sides: Sides | None, newcomers: np.ndarray, make: Callable[[], Versus]) -> Sides:
    """The same learners, and new ones for ``newcomers``, the new classes in order of appearance."""
    if sides is not None and not len(newcomers):
        return sides
    classes, learners = (newcomers[:0], []) if sides is None else sides
    if len(classes) == 2:
        learners = [learners[0].mirrored(), learners[0]]
    for _ in newcomers:
        learners = [*learners, learners[0].mirrored() if len(learners) == 1 else make()]
    everyone = np.concatenate([classes, newcomers])
    order = np.argsort(everyone)
    if len(order) <= 2:
        return Sides(everyone[order], [learners[order[-1]]])
    return Sides(everyone[order], [learners[k] for k in order])


def rounds(
    sides: Sides, side: int, codes: np.ndarray, weights: Floats | None, of_class: Floats | None
) -> tuple[Floats, Floats | None]:
    """The labels and sample weights of one learner.

    Parameters
    ----------
    sides
        The classes and their learners.
    side
        The index of the learner.
    codes
        The index of the class of each row.
    weights
        The sample weights, or None.
    of_class
        The weight of each class on the positive rows of its learner, and last that of the negative
        rows; None if all are 1. With two classes, negative rows have the weight of the first class.
    """
    positive = codes == sides.positive(side)
    labels = np.where(positive, 1.0, -1.0)
    if of_class is None:
        return labels, weights
    rest = of_class[0 if len(sides.classes) == 2 else -1]
    each = np.where(positive, of_class[sides.positive(side)], rest)
    return labels, each if weights is None else each * weights
