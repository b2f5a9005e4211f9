"""The prequential loop of every learner: predict, then learn."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from error.measures import measured


class Guess(NamedTuple):
    """A prediction: whether the example is positive, a score that grows with its chance of being
    positive, and the probability of that; NaN if the learner has none.
    """

    positive: bool
    score: float = math.nan
    probability: float = math.nan


Step = Callable[[Any, bool], Guess]
"""Predicts whether the example is positive, then learns its label. Returns the prediction."""

GLANCE = 32  # examples between two checks of the time limit


@dataclass(frozen=True)
class Outcome:
    """The mistakes in the first `rows` examples, their processor time in seconds, and the measures
    of the probabilities and scores; None if the learner has none.
    """

    rows: int
    mistakes: int
    seconds: float
    log_loss: float | None = None
    auc: float | None = None
    calibration: float | None = None


def play(
    step: Step,
    examples: Sequence[Any],
    positive: Sequence[bool],
    limit: float = math.inf,
    clock: Callable[[], float] = time.process_time,
) -> Outcome:
    """Run over the examples in order. Stop early after `limit` seconds."""
    gc.freeze()  # the garbage collector then does not traverse the examples
    try:
        return _loop(step, examples, positive, limit, clock)
    finally:
        gc.unfreeze()


def _loop(
    step: Step, examples: Sequence[Any], positive: Sequence[bool], limit: float, clock: Callable[[], float]
) -> Outcome:
    rows = mistakes = 0
    scores, probabilities = np.full(len(examples), np.nan), np.full(len(examples), np.nan)
    seconds, start = 0.0, clock()
    while rows < len(examples) and seconds < limit:
        stop = min(len(examples), rows + GLANCE)
        for row in range(rows, stop):
            label = positive[row]
            guess, scores[row], probabilities[row] = step(examples[row], label)
            mistakes += guess is not label
        rows, seconds = stop, clock() - start
    found = measured(scores[:rows], probabilities[:rows], np.array(positive[:rows], bool))
    return Outcome(rows, mistakes, seconds, **vars(found))
