"""A forest over a whole stream, its scores of another one, and whether two forests are the same."""

from __future__ import annotations

import numpy as np

from driftline.engines.nonlinear.forest import Forest
from driftline.internals.compiled import Floats
from tests.support.curved_streams import Curved


def learned(stream: Curved, classes: int, forest: Forest | None = None) -> tuple[Forest, Floats]:
    """The forest after the stream, and the scores of every row before it was learned."""
    if forest is None:
        forest = Forest()
    forest.make_room(stream.Z.shape[1], classes)()
    scores = np.empty((len(stream.y), Forest.experts, classes))
    forest.learn(*stream, scores)
    return forest, scores


def scored(forest: Forest, stream: Curved, classes: int) -> Floats:
    scores = np.empty((len(stream.y), Forest.experts, classes))
    forest.score(stream.Z, stream.known, scores)
    return scores


def same(one: Forest, other: Forest) -> None:
    """Both have the same bits."""
    ours, theirs = one.saved(), other.saved()
    for name, array in ours.items():
        assert array.tobytes() == theirs[name].tobytes(), name
