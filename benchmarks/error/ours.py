"""Driftline's learners at their defaults: one example at a time as the peers, and all rows in one call."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import driftline as dl
from error.play import Outcome, play
from error.stored import Stream

TRACKER = "driftline Tracker"
RECIPE = "driftline Tracker, recipe"
WARM = 64  # rows that compile before the clock starts

LEARNERS: dict[str, Callable[[bool], Any]] = {
    "driftline Perceptron": lambda sparse: dl.Perceptron(),
    "driftline PA1": lambda sparse: dl.PA1(),
    "driftline NORMA": lambda sparse: dl.NORMA(),
    "driftline L2PA": lambda sparse: dl.L2PA(),
    # all pairs of 40,000 words are too many: there it keeps one number a word
    "driftline AROW": lambda sparse: dl.AROW(diagonal=sparse),
}


@dataclass(frozen=True)
class Played:
    """What one of ours did with a stream: `wrong` tells for each example whether the guess was."""

    outcome: Outcome
    wrong: np.ndarray
    seconds_in_one_call: float


def learners(absent: dict[str, str]) -> dict[str, Callable[[bool], Any]]:
    """Return how each is made, the Tracker with both of its banks first; note in `absent` if there is none."""
    tracker = dl.REGISTRY.get("tracker")
    if tracker is None:
        absent[TRACKER] = "this driftline has none"
        return LEARNERS
    return {TRACKER: lambda sparse: tracker(), RECIPE: lambda sparse: tracker(bank="recipe"), **LEARNERS}


def run(make: Callable[[bool], Any], stream: Stream) -> Played:
    """Play a fresh learner over the stream in both ways, which must make the same mistakes."""
    _both(make(stream.sparse), make(stream.sparse), stream, min(WARM, stream.rows))
    return _both(make(stream.sparse), make(stream.sparse), stream, stream.rows)


def _both(single: Any, whole: Any, stream: Stream, rows: int) -> Played:
    X, y = stream.X[:rows], stream.y[:rows]
    start = time.process_time()
    scores = whole.learn_many(X, y)
    seconds = time.process_time() - start
    wrong = (scores >= 0.0) != (y > 0.0)
    examples = [X[row] for row in range(rows)]

    def step(x: Any, positive: bool) -> bool:
        return bool(single.learn_one(x, positive) >= 0.0)

    outcome = play(step, examples, (y > 0.0).tolist())
    if outcome.mistakes != wrong.sum():
        raise RuntimeError(
            f"one at a time it must make the mistakes of one call, got {outcome.mistakes} and {wrong.sum()}"
        )
    return Played(outcome, wrong, seconds)
