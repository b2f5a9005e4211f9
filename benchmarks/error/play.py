"""Predict, then learn: the loop that every learner goes through, ours and theirs."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Step = Callable[[Any, bool], bool]
"""Guesses whether the example is positive, then learns that it is or is not; returns the guess."""

GLANCE = 32  # examples between two looks at the clock


@dataclass(frozen=True)
class Outcome:
    """`mistakes` in the first `rows` examples, and the seconds of processor time that they took."""

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
    """Go through the examples in order; stop early when `limit` seconds are used up."""
    gc.freeze()  # so that the collector does not walk through the examples again and again
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
