"""The prequential loop of every learner: predict, then learn."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from error.marks import packed, unpacked
from error.measures import Measures, measured


class Guess(NamedTuple):
    """A prediction.

    With two classes the label is True for the positive one, the score grows with the chance of
    being positive, and the probability is that of being positive; NaN if the learner has none.
    With several classes the label is a class number, or None before the first label.
    """

    label: bool | int | None
    score: float = math.nan
    probability: float = math.nan


Step = Callable[[Any, Any], Guess]
"""Predicts the label of the example, then learns it. Returns the prediction."""

GLANCE = 32  # examples between two checks of the time limit


@dataclass(frozen=True)
class Outcome:
    """The mistakes in the first `rows` examples, their processor time in seconds, the measures of
    the probabilities and scores, None if the learner has none, and packed marks of the mistakes.
    """

    rows: int
    mistakes: int
    seconds: float
    log_loss: float | None = None
    auc: float | None = None
    calibration: float | None = None
    marks: str = ""

    @classmethod
    def of(cls, wrong: np.ndarray, seconds: float, found: Measures | None = None) -> Outcome:
        """Return the outcome of a run in which the marked predictions were wrong."""
        return cls(len(wrong), int(wrong.sum()), seconds, **vars(found or Measures()), marks=packed(wrong))

    @property
    def wrong(self) -> np.ndarray:
        """Marks the rows with a wrong prediction."""
        return unpacked(self.marks, self.rows)


def play(
    step: Step,
    examples: Sequence[Any],
    labels: Sequence[Any],
    limit: float = math.inf,
    clock: Callable[[], float] = time.process_time,
) -> Outcome:
    """Run over the examples in order. Stop early after `limit` seconds.

    Labels are bools, or class numbers, which have no measures.
    """
    gc.freeze()  # the garbage collector then does not traverse the examples
    try:
        return _loop(step, examples, labels, limit, clock)
    finally:
        gc.unfreeze()


def _loop(
    step: Step, examples: Sequence[Any], labels: Sequence[Any], limit: float, clock: Callable[[], float]
) -> Outcome:
    rows, wrong = 0, np.zeros(len(examples), bool)
    scores, probabilities = np.full(len(examples), np.nan), np.full(len(examples), np.nan)
    seconds, start = 0.0, clock()
    while rows < len(examples) and seconds < limit:
        stop = min(len(examples), rows + GLANCE)
        for row in range(rows, stop):
            label = labels[row]
            guess, scores[row], probabilities[row] = step(examples[row], label)
            wrong[row] = guess != label
        rows, seconds = stop, clock() - start
    if not isinstance(next(iter(labels), None), bool):
        return Outcome.of(wrong[:rows], seconds)
    positive = np.array(labels[:rows], bool)
    return Outcome.of(wrong[:rows], seconds, measured(scores[:rows], probabilities[:rows], positive))
