"""Give a learner that is no longer needed the state of another one, which is faster than making one.

Only learners whose whole state is known here can be reused: linear learners of two labels, without
scaling and class weights.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from driftline.encode import Vocabulary
from driftline.encode.labels import Labels
from driftline.engines import LinearEngine
from driftline.learners.learner import Learner


def is_reusable(learner: Learner) -> bool:
    """Whether ``reuse`` can replace everything that the learner has learned."""
    plain = learner._scaler is None and learner._class_weights is None and not learner.rule.engine
    known = type(learner._engine) is LinearEngine and type(learner._labels) is Labels
    return plain and known and type(learner._encoder.names) is Vocabulary and learner._recent is not None


def reuse(
    learner: Learner,
    features: int,
    engine: dict[str, np.ndarray],
    recent: dict[str, np.ndarray],
    counters: Mapping[int, int],
) -> None:
    """Replace the state by one with the same labels and features. Raise ValueError if it is invalid."""
    assert learner._recent is not None
    learner._engine.restore(features, engine)
    state = learner._engine.state
    for place, value in counters.items():
        state[place] = value
    if not learner._recent.refill(recent):
        learner._row_buffer = None  # its calls write into the former ring


def clear(learner: Learner, labels: list[Any], named: bool | None, names: Mapping[Hashable, int], width: int) -> bool:
    """Replace labels and features; return whether the learner can have the labels. The state must follow.

    Parameters
    ----------
    learner
        The learner.
    labels
        The labels in the order in which they appeared.
    named
        Whether features have names; None if that is open.
    names
        The names of features.
    width
        The number of columns, if features have no names.
    """
    encoder, known = learner._encoder, learner._labels
    if learner.options["labels"] is None:
        known.forget(0)
        for label in labels:
            known.sign(label)
    assert isinstance(encoder.names, Vocabulary)
    encoder.names.index = dict(names)
    encoder.named, encoder.width, encoder.mark = named, width, None
    encoder.lookup.forget()
    encoder._clear_packers()
    learner._engine.v[:] = 0.0
    learner._row_buffer = None
    return list(known.signs) == labels
