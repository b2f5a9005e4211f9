"""driftline's learners at their defaults, run one example at a time like the peers, and in one
call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import driftline as dl
from error.measures import Measures, measured
from error.play import Guess, Outcome, play
from error.stored import Stream

TRACKER = "driftline Tracker"
RECIPE = "driftline Tracker, recipe"
WARM = 64  # rows of the untimed run that compiles

LEARNERS: dict[str, Callable[[bool], Any]] = {
    "driftline Perceptron": lambda sparse: dl.Perceptron(),
    "driftline PA1": lambda sparse: dl.PA1(),
    "driftline NORMA": lambda sparse: dl.NORMA(),
    "driftline L2PA": lambda sparse: dl.L2PA(),
    # a full matrix over 40,000 words is too large
    "driftline AROW": lambda sparse: dl.AROW(diagonal=sparse),
}


@dataclass(frozen=True, eq=False)
class Said:
    """The probability of the positive label before each example, and the labels."""

    probabilities: np.ndarray
    positive: np.ndarray

    def measures(self, rows: int) -> Measures:
        """Return the measures over the first `rows` examples."""
        first = self.probabilities[:rows]
        return measured(first, first, self.positive[:rows])


@dataclass(frozen=True)
class Played:
    """The result of a learner on a stream. `wrong` marks the wrong predictions, and `said` has the
    probability of the positive label before each example.
    """

    outcome: Outcome
    wrong: np.ndarray
    said: Said
    seconds_in_one_call: float


def learners(absent: dict[str, str]) -> dict[str, Callable[[bool], Any]]:
    """Return a factory for each learner, the Tracker with both banks first.

    A missing Tracker is recorded in `absent`.
    """
    tracker = dl.REGISTRY.get("tracker")
    if tracker is None:
        absent[TRACKER] = "this version of driftline has no Tracker"
        return LEARNERS
    return {TRACKER: lambda sparse: tracker(), RECIPE: lambda sparse: tracker(bank="recipe"), **LEARNERS}


def run(make: Callable[[bool], Any], stream: Stream) -> Played:
    """Run new learners over the stream in both ways, and check that the mistakes are equal."""
    _both([make(stream.sparse) for _ in range(3)], stream, min(WARM, stream.rows))
    return _both([make(stream.sparse) for _ in range(3)], stream, stream.rows)


def _both(learners: list[Any], stream: Stream, rows: int) -> Played:
    single, whole, third = learners
    X, y = stream.X[:rows], stream.y[:rows]
    start = time.process_time()
    scores = whole.learn_many(X, y)
    seconds = time.process_time() - start
    wrong = (scores >= 0.0) != (y > 0.0)
    examples = [X[row] for row in range(rows)]

    def step(x: Any, positive: bool) -> Guess:
        score = single.learn_one(x, positive)
        return Guess(score >= 0.0, score)

    outcome = play(step, examples, (y > 0.0).tolist())
    if outcome.mistakes != wrong.sum():
        raise RuntimeError(
            f"mistakes one at a time must equal those of one call, got {outcome.mistakes} and {wrong.sum()}"
        )
    said = Said(probabilities(third, X, y), y > 0.0)
    return Played(replace(outcome, **vars(said.measures(rows))), wrong, said, seconds)


def probabilities(learner: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Return the probability of the label +1 of each row before the learner learns it."""
    learned = learner.learn_block(X, y, keep_probabilities=True)
    labels = list(learner.labels)
    found: np.ndarray = learned.probabilities[:, labels.index(1)] if 1 in labels else np.zeros(len(y))
    return found
