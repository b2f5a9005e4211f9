"""The prequential loop of every learner: predict, then learn."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Step = Callable[[Any, bool], bool]
"""Predicts whether the example is positive, then learns its label. Returns the prediction."""

GLANCE = 32  # examples between two checks of the time limit


@dataclass(frozen=True)
class Outcome:
    """The mistakes in the first `rows` examples, and their processor time in seconds."""

    rows: int
    mistakes: int
    seconds: float


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
    seconds, start = 0.0, clock()
    while rows < len(examples) and seconds < limit:
        stop = min(len(examples), rows + GLANCE)
        for x, label in zip(examples[rows:stop], positive[rows:stop], strict=True):
            mistakes += step(x, label) is not label
        rows, seconds = stop, clock() - start
    return Outcome(rows, mistakes, seconds)
