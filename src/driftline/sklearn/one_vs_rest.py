"""Several classes by learners of two labels: each class against the rest, and classes may be added at any time.

Two classes need one learner: each is the other's rest, so that the learner of the first is the mirror image of the
second's. The first two classes thereby know of every example; a later one starts empty, with its first example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.sklearn.versus import Versus


class Sides(NamedTuple):
    """The classes, sorted, and the learner of each; of the last one only, where there are no more than two."""

    classes: np.ndarray
    learners: list[Versus]

    def positive(self, side: int) -> int:
        """The number of the class that is positive to a learner."""
        return side if len(self.classes) > 2 else len(self.classes) - 1


def fresh(classes: np.ndarray, make: Callable[[], Versus]) -> Sides:
    """Learners of these classes, which know nothing."""
    return Sides(classes, [make() for _ in range(len(classes) if len(classes) > 2 else 1)])


def joined(sides: Sides | None, newcomers: np.ndarray, make: Callable[[], Versus]) -> Sides:
    """The same learners, and those of the newcomers, which are in the order of their appearance."""
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
    """Labels and sample weights of one learner, for rows whose classes have these numbers.

    ``of_class`` has the weight of each class, on the positive rows of its learner, and last that of all other rows;
    where there are two classes, these are the rows of the first.
    """
    positive = codes == sides.positive(side)
    labels = np.where(positive, 1.0, -1.0)
    if of_class is None:
        return labels, weights
    rest = of_class[0 if len(sides.classes) == 2 else -1]
    each = np.where(positive, of_class[sides.positive(side)], rest)
    return labels, each if weights is None else each * weights
